import { authenticate } from '../../shared/access/authorize/caller.ts';
import {
  authorizeWorkspace,
  type WorkspaceAccess,
  type WorkspaceTarget,
} from '../../shared/access/authorize/workspace.ts';
import { type Belonging, organizationsOf } from '../../shared/access/caller-organizations.ts';
import { readingOf } from '../../shared/access/readable-workspaces.ts';
import { decide, type WorkspaceAction } from '../../shared/access/workspace-policy.ts';
import { createResponseSizeBudget, mostVariables } from '../../shared/documents/response-size-budget.ts';
import { requireMatch } from '../../shared/domain/changes/entity-tags.ts';
import type { Caller, Project } from '../../shared/domain/directory/records.ts';
import { conflict, DomainError, notFound, tooLarge, unavailable } from '../../shared/domain/errors.ts';
import { isId } from '../../shared/domain/ids.ts';
import { isChangedBy } from '../../shared/domain/transitions/relationships/change-variables.ts';
import {
  asRevised,
  type Content,
  changeVariable,
  type Draft,
  encryptionContext,
  isNewReference,
  newVariable,
  ownerId,
  requireAllowedReference,
  type Variable,
  VariableChanged,
  valueToFingerprint,
} from '../../shared/domain/workspace/variable.ts';
import { isAlive, type Workspace } from '../../shared/domain/workspace/workspace-record.ts';
import { type Encrypt, preloadEncryption } from '../../shared/encryption/encrypt.ts';
import { type Fingerprints, isEqualText } from '../../shared/encryption/fingerprint.ts';
import type { BodyOf, OperationRequest, Operations } from '../../shared/http/operation.ts';
import type { Document } from '../../shared/jsonapi/document.ts';
import { type Page, paginate, rangeOf, readOptionalPage, singlePage } from '../../shared/jsonapi/pagination.ts';
import { now } from '../../shared/lib/clock.ts';
import { mapWithConcurrency } from '../../shared/lib/concurrency.ts';
import { newId, versionId } from '../../shared/lib/random.ts';
import { retry } from '../../shared/lib/retry.ts';
import { startEarly } from '../../shared/lib/start-early.ts';
import { dryRunResource } from '../../shared/resources/dry-runs/response.ts';
import { variableRequest } from '../../shared/resources/variables/request-mapping.ts';
import {
  type VariablePaths,
  variableResource,
  verificationResource,
} from '../../shared/resources/variables/response.ts';
import type { ListDependencies } from '../../shared/runtime/dependencies.ts';
import type { ListStore } from '../../shared/store/store.ts';
import type { VariableSets } from '../../shared/store/variable-sets/variable-set-store.ts';
import type { CountVerification } from '../../shared/store/variables/verification-limit.ts';
import { previewCreation, previewUpdate } from './preview.ts';

/** Dependencies of the operations on variables and variable sets. */
export interface VariableDependencies extends ListDependencies {
  readonly encrypt: Encrypt;
  readonly fingerprints: Fingerprints;
  readonly variableSets: VariableSets;
  readonly countVerification: CountVerification;
}

/** Path parameters of a variable: its id, and its workspace in the paths below a workspace. */
export type VariableParameters = { readonly variable_id: string; readonly workspace_id?: string };

/**
 * Finds the variable that a path names, for a caller who may perform the action in its workspace.
 * @throws DomainError 401; 404, including for a variable of another workspace.
 */
const findVariable = async (
  { store }: Pick<VariableDependencies, 'store'>,
  digest: string,
  { workspace_id: workspaceId, variable_id: id }: VariableParameters,
  action: WorkspaceAction,
): Promise<{ readonly access: WorkspaceAccess; readonly variable: Variable }> => {
  const place = startEarly(isId('variable', id) ? store.variables.findPlace(id) : Promise.resolve(undefined));
  const read = startEarly(place.then(store.variables.find));
  const target = workspaceId === undefined ? { owner: () => place } : { id: workspaceId };
  const access = await authorizeWorkspace(store, digest, target, action);
  const variable = await read;
  if (variable?.workspace !== access.workspace.id) throw notFound();
  return { access, variable };
};

/**
 * Converts a draft to the stored variable. Secret values are encrypted before they leave the memory of the function, at the
 * same time as their fingerprints are computed (VAR-15).
 */
export const encryptContent = async (
  { encrypt, fingerprints }: Pick<VariableDependencies, 'encrypt' | 'fingerprints'>,
  draft: Draft,
): Promise<Variable> => {
  const { content } = draft;
  const value = valueToFingerprint(draft);
  const [stored, fingerprint] = await Promise.all([
    'secret' in content ? encryptSecret(encrypt(content.secret, encryptionContext(draft))) : content,
    value === undefined ? draft.fingerprint : fingerprints.compute({ owner: ownerId(draft), id: draft.id, value }),
  ]);
  return { ...draft, content: stored, fingerprint };
};

const encryptSecret = async (ciphertext: Promise<Uint8Array>): Promise<Content> => ({
  encryptedValue: await ciphertext,
});

type ListRequest = Pick<OperationRequest<'variables.list'>, 'digest' | 'query' | 'url'>;

const list = async (
  { store }: VariableDependencies,
  { digest, query, url }: ListRequest,
  target: WorkspaceTarget,
  paths: VariablePaths,
): Promise<Document> => {
  const page = readOptionalPage(query);
  const { workspace, results: variables } = await authorizeWorkspace(store, digest, target, 'variable.read', (ids) =>
    store.variables.list(ids.workspace, page && rangeOf(page), createResponseSizeBudget().takeVariable),
  );
  const total = page === undefined ? variables.length : (workspace.variableCount ?? 0);
  return {
    data: variables.map((variable) => variableResource(variable, workspace, paths)),
    ...paginate(page ?? singlePage(total), total, url, query),
  };
};

const filters = { workspace: 'filter[workspace][name]', organization: 'filter[organization][name]' } as const;

/** Reads the filters. @throws DomainError 400 for one without the other. */
const readFilters = (query: URLSearchParams): { organization: string; name: string } | undefined => {
  const [name, organization] = [query.get(filters.workspace), query.get(filters.organization)];
  if (name && organization) return { organization, name };
  if (!name && !organization) return undefined;
  const [given, parameter] = name
    ? [filters.workspace, filters.organization]
    : [filters.organization, filters.workspace];
  throw new DomainError('bad-request', `${given} requires ${parameter}; send both or neither`, {
    source: { parameter },
  });
};

type ShowRequest = Pick<OperationRequest<'workspace-variables.show'>, 'digest'> & {
  readonly parameters: VariableParameters;
};

const show =
  (paths: VariablePaths) =>
  async ({ digest, parameters }: ShowRequest, dependencies: VariableDependencies): Promise<Document> => {
    const { access, variable } = await findVariable(dependencies, digest, parameters, 'variable.read');
    return { data: variableResource(variable, access.workspace, paths) };
  };

type Body = BodyOf<'variables.create'>;

const create = async (
  dependencies: VariableDependencies,
  {
    id,
    contextFor,
    digest,
    body,
    isDryRun,
  }: Pick<OperationRequest<'variables.create'>, 'id' | 'contextFor' | 'digest' | 'isDryRun'> &
    Pick<OperationRequest<'workspace-variables.create'>, 'body'>,
  target: WorkspaceTarget,
  paths: VariablePaths,
  check: (workspace: Workspace) => void = () => undefined,
): Promise<Document> => {
  const { store } = dependencies;
  const given = variableRequest(body.data.attributes);
  if (given.sensitive && !isDryRun) preloadEncryption();
  const { caller, workspace, organization, project } = await authorizeWorkspace(
    store,
    digest,
    target,
    'variable.update',
  );
  check(workspace);
  if (given.reference !== undefined) requireAllowedReference(given.reference, organization, project);
  const request = contextFor(caller);
  const identity = {
    id: newId('variable', request),
    workspace: workspace.id,
    createdAt: now(),
    version: versionId(),
  };
  const draft = newVariable(identity, given);
  if (isDryRun) return previewCreation(store, id, workspace, draft, request);
  const planned = await encryptContent(dependencies, draft);
  const variable = await store.variables.create(workspace, planned, request);
  return { data: variableResource(variable, workspace, paths) };
};

const unprocessable = (pointer: string, detail: string): DomainError =>
  new DomainError('unprocessable', detail, { source: { pointer } });

const targetOf = ({ data, filter }: Body): WorkspaceTarget => {
  const id = data.relationships?.workspace?.data?.id;
  if (id) return { id };
  const [name, organization] = [filter?.workspace?.name, filter?.organization?.name];
  if (name && organization) return { organization, name };
  if (!name && !organization) throw unprocessable('/data/relationships/workspace', "Workspace can't be blank");
  const [missing, pointer] = name
    ? ['Organization', '/filter/organization/name']
    : ['Workspace', '/filter/workspace/name'];
  throw unprocessable(pointer, `${missing} name can't be blank`);
};

/** @throws DomainError 422 if the relationship and the filter name different workspaces. */
const requireSameWorkspace = ({ name, organization }: Workspace, { filter }: Body): void => {
  const isSame = (given: string | null | undefined, is: string): boolean => !given || given === is;
  if (isSame(filter?.workspace?.name, name) && isSame(filter?.organization?.name, organization)) return;
  throw unprocessable('/filter', 'Filter names another workspace than the relationship');
};

type DeleteRequest = Pick<OperationRequest<'variables.delete'>, 'id' | 'contextFor' | 'digest' | 'isDryRun'> & {
  readonly parameters: VariableParameters;
};

/** `DELETE /vars/:variable_id` and `/workspaces/:workspace_id/vars/:variable_id` (VAR-11). */
const remove = (
  { id, contextFor, digest, parameters, isDryRun }: DeleteRequest,
  { store }: VariableDependencies,
): Promise<Document | undefined> =>
  retryChangedVariable(async () => {
    const { access, variable } = await findVariable({ store }, digest, parameters, 'variable.update');
    const request = contextFor(access.caller);
    const revised = asRevised(variable);
    requireMatch(request.precondition, revised);
    if (isDryRun) return { data: dryRunResource(id, { outcome: 'deleted', revised }) };
    await store.variables.delete(access.workspace, variable, request);
    return undefined;
  });

/** Number of attempts to change a variable that other requests change at the same time. */
const ATTEMPTS = 5;

/**
 * Repeats a change of a variable, including its read, while other requests change the variable.
 * @throws DomainError `unavailable` once the attempts are used up.
 */
export const retryChangedVariable = <T>(attempt: () => Promise<T>): Promise<T> =>
  retry(attempt, {
    attempts: ATTEMPTS,
    retryOn: (error) => error instanceof VariableChanged,
    exhausted: () => unavailable('The variable is busy. Try again shortly.'),
  });

type UpdateRequest = Pick<
  OperationRequest<'variables.update'>,
  'id' | 'contextFor' | 'digest' | 'body' | 'isDryRun'
> & {
  readonly parameters: VariableParameters;
};

/** `PATCH /vars/:variable_id` and `/workspaces/:workspace_id/vars/:variable_id` (VAR-5): an omitted attribute keeps its value. */
const update =
  (paths: VariablePaths) =>
  async (
    { id, contextFor, digest, parameters, body: { data }, isDryRun }: UpdateRequest,
    dependencies: VariableDependencies,
  ): Promise<Document> => {
    const { store } = dependencies;
    const given = variableRequest(data.attributes ?? {});
    return retryChangedVariable(async () => {
      const { access, variable } = await findVariable({ store }, digest, parameters, 'variable.update');
      if (data.id && data.id !== variable.id) {
        throw new DomainError('unprocessable', "Id does not match the path's variable", {
          source: { pointer: '/data/id' },
        });
      }
      const { caller, workspace, organization, project } = access;
      const request = contextFor(caller);
      if (isChangedBy(request, workspace.change, variable.id)) {
        return { data: variableResource(variable, workspace, paths) };
      }
      requireMatch(request.precondition, asRevised(variable));
      if (isNewReference(variable, given)) requireAllowedReference(given.reference, organization, project);
      const draft = changeVariable(variable, given, versionId());
      if (isDryRun) return previewUpdate(store, id, variable, draft);
      const changed = await encryptContent(dependencies, draft);
      await store.variables.update(workspace, variable, changed, request);
      return { data: variableResource(changed, workspace, paths) };
    });
  };

/**
 * Compares a value with the value of a variable, in constant time.
 * @throws DomainError 409 if the variable has no value, or one without a fingerprint; 429 if the caller has reached the limit.
 */
export const compareValue = async (
  { fingerprints, countVerification }: Pick<VariableDependencies, 'fingerprints' | 'countVerification'>,
  { principal }: Pick<Caller, 'principal'>,
  variable: Variable,
  value: string,
): Promise<boolean> => {
  const { content, fingerprint } = variable;
  if ('reference' in content)
    throw conflict('The variable has a value reference, and no value that could be verified.');
  if ('encryptedValue' in content && fingerprint === undefined) throw withoutFingerprint();
  await countVerification(variable.id, principal);
  if ('value' in content) return isEqualText(content.value, value);
  const matches = await fingerprints.verify(String(fingerprint), { owner: ownerId(variable), id: variable.id, value });
  if (matches === undefined) throw withoutFingerprint();
  return matches;
};

const withoutFingerprint = () =>
  conflict('The value was written before fingerprints existed, or under another key. Set it again to verify it later.');

/** Number of workspaces that are read at once. */
const WORKSPACES = 1_000;
/** Number of workspaces whose variables are queried concurrently. */
const QUERIES = 64;

/**
 * Lists the variables that the caller may read in all organizations (VAR-9), ordered by organization and workspace. The
 * list indexes return the workspaces that may have variables. Their items give the permissions and the number of
 * variables, so variables are queried only for the workspaces on the page.
 */
const listEverywhere = async (
  { store }: VariableDependencies,
  { digest, query, url }: Pick<OperationRequest<'variables.list'>, 'digest' | 'query' | 'url'>,
): Promise<Document> => {
  const page = readOptionalPage(query);
  const principal = await authenticate(store, digest);
  const belongings = [...(await organizationsOf(store, principal))].sort(byName);
  const candidates = (await Promise.all(belongings.map((belonging) => candidatesOf(store, belonging)))).flat();
  const { workspaces, total } = await filterReadable(store, candidates, page === undefined ? mostVariables : undefined);

  const { takeVariable } = createResponseSizeBudget();
  const lists = await mapWithConcurrency(partsOf(workspaces, page), QUERIES, async ({ workspace, range }) => {
    const variables = await store.variables.list(workspace.id, range, takeVariable);
    return variables.map((variable) => variableResource(variable, workspace, 'deprecated'));
  });
  const data = lists.flat();
  return page === undefined
    ? { data, ...paginate(singlePage(data.length), data.length, url, query) }
    : { data, ...paginate(page, total, url, query) };
};

const byName = (a: Belonging, b: Belonging): number => (a.organization.name < b.organization.name ? -1 : 1);

interface Candidate {
  readonly id: string;
  readonly hasLongText: boolean;
  readonly belonging: Belonging;
}

/** Lists the workspaces that the caller can see and that have, or had, variables. */
const candidatesOf = async (store: ListStore, belonging: Belonging): Promise<readonly Candidate[]> => {
  const { caller, organization } = belonging;
  const listIndex = await store.listIndexes.open(organization);
  const reading = readingOf(caller, organization);
  const all = { from: 0, to: Number.POSITIVE_INFINITY };
  return listIndex
    .select({ reading, order: 'name', direction: 'ascending', ...all })
    .rows.filter(({ hasVariables }) => hasVariables)
    .map(({ id, hasLongText }) => ({ id, hasLongText, belonging }));
};

/**
 * Filters the candidates whose variables the caller may read, and counts those variables.
 * @throws DomainError 422 when there are more than `most`.
 */
const filterReadable = async (store: ListStore, candidates: readonly Candidate[], most = Number.POSITIVE_INFINITY) => {
  const projects = new Map<string, Promise<Project | undefined>>();
  const projectOf = ({ project: id }: Workspace): Promise<Project | undefined> => {
    const project = projects.get(id) ?? store.projects.find(id, true);
    projects.set(id, project);
    return project;
  };
  const workspaces: Workspace[] = [];
  let total = 0;
  for (const some of chunks(candidates, WORKSPACES)) {
    const found = new Map((await store.workspaces.findAll(some, true)).map((workspace) => [workspace.id, workspace]));
    const contexts = some.map(async ({ id, belonging }) => {
      const workspace = found.get(id);
      if (!isAlive(workspace) || !workspace.variableCount) return [];
      return [{ ...belonging, workspace, project: await projectOf(workspace) }];
    });
    for (const context of (await Promise.all(contexts)).flat()) {
      if (decide(context, 'variable.read').kind !== 'allow') continue;
      workspaces.push(context.workspace);
      total += context.workspace.variableCount ?? 0;
    }
    if (total > most) throw tooLarge();
  }
  return { workspaces, total };
};

interface Part {
  readonly workspace: Workspace;
  /** Positions of its variables on the page; absent for all. */
  readonly range?: { readonly from: number; readonly to: number };
}

/** Computes the range of each workspace's variables that is on a page. */
const partsOf = (workspaces: readonly Workspace[], page: Page | undefined): readonly Part[] => {
  if (page === undefined) return workspaces.map((workspace) => ({ workspace }));
  const { from, to } = rangeOf(page);
  let position = 0;
  return workspaces.flatMap((workspace) => {
    const [first, count] = [position, workspace.variableCount ?? 0];
    position += count;
    if (position <= from || first >= to) return [];
    return [{ workspace, range: { from: Math.max(0, from - first), to: Math.min(count, to - first) } }];
  });
};

const chunks = function* <T>(all: readonly T[], size: number): Generator<readonly T[]> {
  for (let from = 0; from < all.length; from += size) yield all.slice(from, from + size);
};

export const variableOperations = {
  /** `GET /workspaces/:workspace_id/vars` (VAR-10): all variables, or one page if requested. */
  'workspace-variables.list': (request, dependencies) =>
    list(dependencies, request, { id: request.parameters.workspace_id }, 'successor'),

  /** `GET /vars` (VAR-9): variables of the workspace in the filters or, without filters, all that the caller may read. */
  'variables.list': (request, dependencies) => {
    const target = readFilters(request.query);
    return target === undefined
      ? listEverywhere(dependencies, request)
      : list(dependencies, request, target, 'deprecated');
  },

  /** `POST /workspaces/:workspace_id/vars` (VAR-8): creates a variable of the workspace in the path. */
  'workspace-variables.create': (request, dependencies) =>
    create(dependencies, request, { id: request.parameters.workspace_id }, 'successor'),

  /** `POST /vars` (VAR-8): the workspace is named by the relationship or, deprecated, by a `filter` in the body. */
  'variables.create': (request, dependencies) =>
    create(dependencies, request, targetOf(request.body), 'deprecated', (workspace) =>
      requireSameWorkspace(workspace, request.body),
    ),

  /**
   * `POST /workspaces/:workspace_id/vars/:variable_id/actions/verify` (VAR-16): compares a value with the value of the variable.
   * The response is sent only after the verification was recorded.
   */
  'workspace-variables.verify': async ({ contextFor, digest, parameters, body: { value } }, dependencies) => {
    const { access, variable } = await findVariable(dependencies, digest, parameters, 'variable.update');
    const matches = await compareValue(dependencies, access.caller, variable, value);
    await dependencies.store.variables.recordVerification(
      access.workspace,
      variable,
      matches,
      contextFor(access.caller),
    );
    return { data: verificationResource(variable, matches) };
  },

  /** `GET /workspaces/:workspace_id/vars/:variable_id` (VAR-6). */
  'workspace-variables.show': show('successor'),
  'variables.show': show('deprecated'),
  'workspace-variables.update': update('successor'),
  'variables.update': update('deprecated'),
  'workspace-variables.delete': remove,
  'variables.delete': remove,
} satisfies Partial<Operations<'variables', VariableDependencies>>;
