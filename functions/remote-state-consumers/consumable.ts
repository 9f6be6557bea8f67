import type { WorkspaceAccess } from '../../shared/access/authorize/workspace.ts';
import { readingOf } from '../../shared/access/readable-workspaces.ts';
import { canRead, effectiveRights } from '../../shared/access/rights.ts';
import { DomainError } from '../../shared/domain/errors.ts';
import { isId } from '../../shared/domain/ids.ts';
import { isAlive, type Workspace } from '../../shared/domain/workspace/workspace-record.ts';
import { startEarly } from '../../shared/lib/start-early.ts';
import type { ListDependencies } from '../../shared/runtime/dependencies.ts';
import type { Found } from '../../shared/store/directory/directory-reader.ts';

type Store = ListDependencies['store'];

/**
 * Creates the error of a workspace that cannot be a consumer. It is the same for one that does not exist, that the caller
 * cannot read, that is in another organization, or that is the workspace itself, so that it reveals nothing.
 */
const unusable = (index: number): DomainError =>
  new DomainError(
    'unprocessable',
    'A remote state consumer must be another workspace of the organization, and one that you can read',
    { source: { pointer: `/data/${index}/id` } },
  );

/** Up to this number, workspaces are read in one call in parallel with the token. Longer lists use the list index. */
const FEW = 100;

interface LookedUp {
  readonly workspaces: ReadonlyMap<string, Workspace>;
  readonly projects: Found;
}

/** Reads workspaces by id, and their projects. */
const lookUp = async (store: Store, ids: readonly string[], consistent: boolean): Promise<LookedUp> => {
  const rows = ids.filter((id) => isId('workspace', id)).map((id) => ({ id, hasLongText: false }));
  const found = (await store.workspaces.findAll(rows, consistent)).filter(isAlive);
  const projects = await store.records.find(
    found.map(({ project: id }) => ({ kind: 'project', id })),
    consistent,
  );
  return { workspaces: new Map(found.map((workspace) => [workspace.id, workspace])), projects };
};

const isUsable = (
  id: string,
  { workspaces, projects }: LookedUp,
  { caller, organization, workspace: subject }: WorkspaceAccess,
): boolean => {
  const workspace = workspaces.get(id);
  if (workspace?.organization !== organization.name || id === subject.id) return false;
  return canRead(effectiveRights(caller, organization, projects('project', workspace.project), workspace));
};

/** Returns the ids that are not usable according to the list index, which usually lags by milliseconds. */
const unlisted = async (
  store: Store,
  ids: readonly string[],
  { caller, organization, workspace: subject }: WorkspaceAccess,
): Promise<readonly string[]> => {
  const listIndex = await store.listIndexes.open(organization);
  const reading = readingOf(caller, organization);
  return ids.filter((id) => {
    const row = listIndex.row(id);
    if (row === undefined || id === subject.id) return true;
    const project = listIndex.project(row.project);
    const isReadable = reading.everything || (project !== undefined && reading.project(project));
    return !isReadable && !reading.grants(row.access);
  });
};

/** Finds the first unusable id. Ids are read in parts, so a list of invalid ids costs only one part. */
const firstUnusable = async (
  store: Store,
  doubted: readonly string[],
  access: WorkspaceAccess,
): Promise<string | undefined> => {
  for (let start = 0; start < doubted.length; start += FEW) {
    const part = doubted.slice(start, start + FEW);
    const found = await lookUp(store, part, true);
    const first = part.find((id) => !isUsable(id, found, access));
    if (first !== undefined) return first;
  }
  return undefined;
};

/**
 * Starts to read the listed workspaces, before the caller is authorized.
 * @returns a function that requires that all of them may be consumers. It throws a 422 that points at the first one that
 * may not; ids that `acceptedOf` returns are accepted in any case.
 */
export const consumable = (store: Store, listed: readonly string[]) => {
  const ids = [...new Set(listed)];
  const begun = ids.length > FEW ? undefined : startEarly(lookUp(store, ids, false));

  const doubtedOf = async (access: WorkspaceAccess, consistent: boolean): Promise<readonly string[]> => {
    if (begun === undefined) return unlisted(store, ids, access);
    const found = consistent ? await lookUp(store, ids, true) : await begun;
    return ids.filter((id) => !isUsable(id, found, access));
  };

  return async (
    access: WorkspaceAccess,
    consistent: boolean,
    acceptedOf?: () => Promise<readonly string[]>,
  ): Promise<void> => {
    const doubted = await doubtedOf(access, consistent);
    if (doubted.length === 0) return;
    const accepted = new Set(await acceptedOf?.());
    const rejected = doubted.filter((id) => !accepted.has(id));
    const first = begun === undefined ? await firstUnusable(store, rejected, access) : rejected[0];
    if (first !== undefined) throw unusable(listed.indexOf(first));
  };
};
