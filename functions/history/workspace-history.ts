import type { OrganizationAccess } from '../../shared/access/authorize/organization.ts';
import { authorizeWorkspace, type WorkspaceAccess } from '../../shared/access/authorize/workspace.ts';
import { seesTeam } from '../../shared/access/organization-policy.ts';
import { rightsAllow } from '../../shared/access/workspace-policy.ts';
import { type HistoryRights, teamsIn, visibleEntry } from '../../shared/documents/visible-entry.ts';
import type { HistoryEntry } from '../../shared/domain/history/history-entry.ts';
import type { Operation } from '../../shared/http/operation.ts';
import { cursorLinks, readCursorPage } from '../../shared/jsonapi/pagination.ts';
import { historyEntryResource } from '../../shared/resources/history-entries/response.ts';
import type { Dependencies } from '../../shared/runtime/dependencies.ts';
import { type HistoryReader, isCursor } from '../../shared/store/history/history-reader.ts';
import { readHistoryFilter } from './filters.ts';

/** Dependencies of the operations on the history. */
export interface HistoryDependencies extends Dependencies {
  readonly history: HistoryReader;
}

/** Reads teams by their ids, and returns which of them exist in the organization and are visible to the caller. */
export const findVisibleTeams = async (
  store: Dependencies['store'],
  access: Pick<OrganizationAccess, 'caller' | 'organization'>,
  teams: readonly string[],
): Promise<HistoryRights['seesTeam']> => {
  if (teams.length === 0) return () => false;
  const found = await store.findRecords([...new Set(teams)].map((id) => ({ kind: 'team', id })));
  return (id) => {
    const team = found('team', id);
    return team?.organization === access.organization.name && seesTeam(access, team);
  };
};

/** Finds out which of the teams in the entries the caller sees. Managers of access see all, also deleted ones. */
const visibleTeams = async (
  { store }: HistoryDependencies,
  access: WorkspaceAccess,
  entries: readonly HistoryEntry[],
): Promise<HistoryRights['seesTeam']> => {
  if (access.rights.teamAccess) return () => true;
  return findVisibleTeams(store, access, entries.flatMap(teamsIn));
};

/** `GET /workspaces/:workspace_id/history` (HIST-8): the changes of a workspace, newest first. */
export const listWorkspaceHistory =
  (dependencies: HistoryDependencies): Operation<'workspaces.history'> =>
  async ({ digest, parameters, query, url }) => {
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
    const entries = results.entries.map(({ entry }) => entry);
    const [parts, isTeamVisible] = await Promise.all([
      history.findParts(entries),
      visibleTeams(dependencies, access, entries),
    ]);
    const visible = {
      isOwner: rights.owner,
      seesOrigins: rights.admin,
      readsVariables: rightsAllow(rights, organization, 'variable.read'),
      seesTeam: isTeamVisible,
    };
    const shown = entries
      .map((entry) => visibleEntry(entry, visible, parts))
      // A filter must not confirm the id of a team that the caller may not see.
      .filter(({ actor }) => filter.actors === undefined || actor.id !== null);
    return { data: shown.map(historyEntryResource), ...cursorLinks(results.next, url, query) };
  };
