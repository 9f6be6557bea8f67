import type { WorkspaceAccess } from '../../shared/access/authorize/workspace.ts';
import { readingOf } from '../../shared/access/readable-workspaces.ts';
import { canRead, effectiveRights } from '../../shared/access/rights.ts';
import { DomainError } from '../../shared/domain/errors.ts';
import { isId } from '../../shared/domain/ids.ts';
import { isAlive, type Workspace } from '../../shared/domain/workspace/workspace-record.ts';
import { startEarly } from '../../shared/lib/start-early.ts';
import type { Dependencies } from '../../shared/runtime/dependencies.ts';
import type { Found } from '../../shared/store/directory/directory-reader.ts';

type Store = Dependencies['store'];

/**
 * The one refusal of a workspace that is not there, not for the caller, of another organization, or the subject itself:
 * it does not tell which.
 */
const unusable = (index: number): DomainError =>
  new DomainError(
    'unprocessable',
    'A remote state consumer must be another workspace of the organization, and one that you can read',
    { source: { pointer: `/data/${index}/id` } },
  );

/** So many workspaces are looked up in one call, beside the token; of more, the list index is asked first. */
const FEW = 100;

interface LookedUp {
  readonly workspaces: ReadonlyMap<string, Workspace>;
  readonly projects: Found;
}

/** Workspaces by id, and the projects that they are in. */
const lookUp = async (store: Store, ids: readonly string[], consistent: boolean): Promise<LookedUp> => {
  const rows = ids.filter((id) => isId('workspace', id)).map((id) => ({ id, hasLongText: false }));
  const found = (await store.findAll(rows, consistent)).filter(isAlive);
  const projects = await store.findRecords(
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

/** What the list index does not know as usable; what it knows is as old as its index, milliseconds as a rule. */
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

/** Looks a hundred up at a time: to list nothing but nonsense costs no more than that. */
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
 * Whether what a request lists may be consumers: begun before it is known who asks.
 * @returns what demands it, by throwing a 422 that points at the first that may not. `acceptedOf` is asked, where some
 * may not, which are taken whatever they are.
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
    const refused = doubted.filter((id) => !accepted.has(id));
    const first = begun === undefined ? await firstUnusable(store, refused, access) : refused[0];
    if (first !== undefined) throw unusable(listed.indexOf(first));
  };
};
