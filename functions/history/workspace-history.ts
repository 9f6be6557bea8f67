import { authorizeWorkspace, type WorkspaceAccess } from '../../shared/access/authorize/workspace.ts';
import { canReadEverything } from '../../shared/access/readable-workspaces.ts';
import { rightsAllow } from '../../shared/access/workspace-policy.ts';
import { findRights } from '../../shared/documents/find-rights.ts';
import { type HistoryRights, teamsIn, visibleEntry } from '../../shared/documents/visible-entry.ts';
import type { HistoryEntry } from '../../shared/domain/history/history-entry.ts';
import type { Operation } from '../../shared/http/operation.ts';
import { cursorLinks, readCursorPage } from '../../shared/jsonapi/pagination.ts';
import { historyEntryResource } from '../../shared/resources/history-entries/response.ts';
import type { Dependencies } from '../../shared/runtime/dependencies.ts';
import { type HistoryParts, type HistoryReader, isCursor } from '../../shared/store/history/history-reader.ts';
import { readHistoryFilter, requireActorIds } from './filters.ts';
import { findReferences, findVisibleTeams, toReads } from './visibility.ts';

/** Dependencies of the operations on the history. */
export interface HistoryDependencies extends Dependencies {
  readonly history: HistoryReader;
}

/** Finds out which of the teams in the entries the caller sees. Managers of access see all, also deleted ones. */
const visibleTeams = async (
  { store }: HistoryDependencies,
  access: WorkspaceAccess,
  entries: readonly HistoryEntry[],
): Promise<HistoryRights['seesTeam']> => {
  if (access.rights.teamAccess) return () => true;
  return findVisibleTeams(store, access, entries.flatMap(teamsIn));
};

/** Finds out which of the workspaces in the entries the caller may read. Most callers need no calls for that. */
const readableReferences = async (
  { store }: HistoryDependencies,
  access: WorkspaceAccess,
  entries: readonly HistoryEntry[],
  parts: Promise<HistoryParts>,
): Promise<HistoryRights['reads']> => {
  if (canReadEverything(access.caller, access.organization)) return () => true;
  return toReads(await findRights(store, access, await findReferences(entries, parts)));
};

/** `GET /workspaces/:workspace_id/history` (HIST-8): the changes of a workspace, newest first. */
export const listWorkspaceHistory: Operation<'workspaces.history', HistoryDependencies> = async (
  { digest, parameters, query, url },
  dependencies,
) => {
  const { store, history } = dependencies;
  const filter = readHistoryFilter(query);
  const { size, after } = readCursorPage(query, isCursor);
  const access = await authorizeWorkspace(
    store,
    digest,
    { id: parameters.workspace_id },
    'workspace.read-settings',
    ({ workspace }) => history.findEntries(workspace, filter, size, after),
  );
  const { rights, organization, results } = access;
  requireActorIds(filter, organization.name);
  const entries = results.entries.map(({ entry }) => entry);
  const reading = history.findParts(entries);
  const [parts, isTeamVisible, reads] = await Promise.all([
    reading,
    visibleTeams(dependencies, access, entries),
    readableReferences(dependencies, access, entries, reading),
  ]);
  const visible = {
    isOwner: rights.owner,
    seesOrigins: rights.admin,
    readsVariables: rightsAllow(rights, organization, 'variable.read'),
    seesTeam: isTeamVisible,
    reads,
  };
  const shown = entries
    .map((entry) => visibleEntry(entry, visible, parts))
    // A filter must not confirm the id of a team that the caller may not see.
    .filter(({ actor }) => filter.actors === undefined || actor.id !== null);
  return { data: shown.map(historyEntryResource), ...cursorLinks(results.next, url, query) };
};
