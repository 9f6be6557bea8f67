import { authorizeOrganization } from '../../../shared/access/authorize/organization.ts';
import { authorizeRecord } from '../../../shared/access/authorize/record.ts';
import { authorizeWorkspace } from '../../../shared/access/authorize/workspace.ts';
import { requireProjectPermission } from '../../../shared/access/project-policy.ts';
import { atLeast, effectiveRights } from '../../../shared/access/rights.ts';
import { mayOnVariableSet } from '../../../shared/access/variable-set-policy.ts';
import type { Caller, Organization, Project } from '../../../shared/domain/directory/records.ts';
import { notFound } from '../../../shared/domain/errors.ts';
import { isId } from '../../../shared/domain/ids.ts';
import type { VariableSet } from '../../../shared/domain/variable-sets/variable-set.ts';
import type { Operation, OperationRequest } from '../../../shared/http/operation.ts';
import type { Document } from '../../../shared/jsonapi/document.ts';
import { paginate, readPage, slice } from '../../../shared/jsonapi/pagination.ts';
import type { VariableSetRow } from '../../../shared/store/variable-sets/variable-set-changes.ts';
import type { VariableDependencies } from '../dependencies.ts';
import { presentVariableSets } from './present.ts';

type ListRequest = Pick<OperationRequest<'varsets.list'>, 'query' | 'include' | 'url'>;

interface Viewer {
  readonly caller: Caller;
  readonly organization: Organization;
}

/** The rows that a caller may read, and the projects that own some of them. */
interface Readable {
  readonly rows: readonly VariableSetRow[];
  readonly owners: readonly Project[];
}

/** Returns the elements whose name contains the parameter `q`, ignoring case, sorted by name. */
const search = <T extends { readonly name: string }>(all: readonly T[], query: URLSearchParams): readonly T[] => {
  const text = (query.get('q') ?? '').toLowerCase();
  return all
    .filter(({ name }) => name.toLowerCase().includes(text))
    .toSorted((one, other) => (one.name < other.name ? -1 : 1));
};

/** Builds the page of a list whose variable sets are known. */
const presentList = async (
  dependencies: VariableDependencies,
  viewer: Viewer & { readonly owners: readonly Project[] },
  all: readonly VariableSet[],
  { query, include, url }: ListRequest,
): Promise<Document> => {
  const page = readPage(query);
  const sets = search(all, query);
  const shown = await presentVariableSets(dependencies, viewer, slice(sets, page), { include, url });
  return { ...shown, ...paginate(page, sets.length, url, query) };
};

/** Returns the rows that the caller may read. The projects of rows with an owner are read once each. */
const readableRows = async (
  { store }: VariableDependencies,
  { caller, organization }: Viewer,
  rows: readonly VariableSetRow[],
): Promise<Readable> => {
  const ids = [...new Set(rows.flatMap(({ project }) => project ?? []))];
  const find = ids.length === 0 ? undefined : await store.records.find(ids.map((id) => ({ kind: 'project', id })));
  const readable = rows.filter(({ project: id }) => {
    const project = id === undefined ? undefined : find?.('project', id);
    if (id !== undefined && project === undefined) return false;
    return mayOnVariableSet({ caller, organization, project }, 'variable-set.read');
  });
  return { rows: readable, owners: ids.flatMap((id) => find?.('project', id) ?? []) };
};

/** `GET /organizations/:organization_name/varsets` (VARSET-3). */
export const listVariableSets =
  (dependencies: VariableDependencies): Operation<'varsets.list'> =>
  async ({ digest, parameters: { organization_name: name }, query, include, url }) => {
    const page = readPage(query);
    const { store, variableSets } = dependencies;
    const viewer = await authorizeOrganization(store, digest, { organization: name });
    const { owners, ...readable } = await readableRows(dependencies, viewer, await variableSets.listRows(name));
    const rows = search(readable.rows, query);
    const sets = await variableSets.findAll(slice(rows, page).map(({ id }) => id));
    const shown = await presentVariableSets(dependencies, { ...viewer, owners }, sets, { include, url });
    return { ...shown, ...paginate(page, rows.length, url, query) };
  };

/** `GET /workspaces/:workspace_id/varsets` (VARSET-6). */
export const listVariableSetsOfWorkspace =
  (dependencies: VariableDependencies): Operation<'workspace-varsets.list'> =>
  async ({ digest, parameters: { workspace_id: id }, ...request }) => {
    const { store, variableSets } = dependencies;
    const access = await authorizeWorkspace(store, digest, { id }, 'variable.read', async (_, workspace) =>
      workspace === undefined ? [] : variableSets.findApplicable(workspace),
    );
    return presentList(dependencies, { ...access, owners: [access.project] }, access.results, request);
  };

/** `GET /projects/:project_id/varsets` (VARSET-6). */
export const listVariableSetsOfProject =
  (dependencies: VariableDependencies): Operation<'project-varsets.list'> =>
  async ({ digest, parameters: { project_id: id }, ...request }) => {
    const { store, variableSets } = dependencies;
    const access = await authorizeRecord(
      store,
      digest,
      async (consistent) => (isId('project', id) ? store.projects.find(id, consistent) : undefined),
      ({ caller, organization, record }) => {
        const rights = effectiveRights(caller, organization, record);
        requireProjectPermission(rights, 'project.read');
        if (!atLeast(rights, 'variables', 'read')) throw notFound('This needs permission to read variables.');
      },
      async ({ organization, id: project }) => {
        const ids = await variableSets.findIdsFor(organization, { project });
        const sets = await variableSets.findAll(ids);
        return sets.filter((set) => set.global || set.project === project || set.projects.includes(project));
      },
    );
    return presentList(dependencies, { ...access, owners: [access.record] }, access.results, request);
  };
