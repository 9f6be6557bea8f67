import { authorizeOrganization, type OrganizationAccess } from '../../shared/access/authorize/organization.ts';
import { mayIn, requireOrganizationPermission } from '../../shared/access/organization-policy.ts';
import { canReadEverything } from '../../shared/access/readable-workspaces.ts';
import { canRead } from '../../shared/access/rights.ts';
import { rightsAllow } from '../../shared/access/workspace-policy.ts';
import { type FoundRights, findRights } from '../../shared/documents/find-rights.ts';
import { type HistoryRights, teamsIn, visibleEntry } from '../../shared/documents/visible-entry.ts';
import type { HistoryEntry } from '../../shared/domain/history/history-entry.ts';
import type { Operation } from '../../shared/http/operation.ts';
import { cursorLinks, readCursorPage } from '../../shared/jsonapi/pagination.ts';
import { historyEntryResource } from '../../shared/resources/history-entries/response.ts';
import { type AuditTrailReader, isTrailCursor } from '../../shared/store/history/audit-trail-reader.ts';
import type { HistoryParts } from '../../shared/store/history/history-reader.ts';
import { readHistoryFilter, requireActorIds } from './filters.ts';
import { findReferences, findVisibleTeams, toReads } from './visibility.ts';
import type { HistoryDependencies } from './workspace-history.ts';

/** Dependencies of the operations on audit trails. */
export interface TrailDependencies extends HistoryDependencies {
  readonly trail: AuditTrailReader;
}

const isOfWorkspace = ({ resource }: HistoryEntry): boolean => resource.type === 'workspaces';

const isOwner = ({ caller, organization }: OrganizationAccess): boolean =>
  caller.teams.some((team) => organization.access[team] === 'owners');

/** Returns the ids of the teams that an entry is about: the resource is one, or belongs to one. */
const subjectTeams = ({ resource: { type, id, team } }: HistoryEntry): string[] => [
  ...(type === 'teams' ? [id] : []),
  ...(team === undefined ? [] : [team]),
];

/**
 * Reads the rights of the caller on the workspaces that entries are about. Unless the caller may read everything, it also
 * reads those on the workspaces and projects that the details of entries name.
 */
const readRights = async (
  { store }: TrailDependencies,
  { caller, organization }: OrganizationAccess,
  entries: readonly HistoryEntry[],
  parts: Promise<HistoryParts>,
): Promise<FoundRights> => {
  const subjects = entries.filter(isOfWorkspace).map(({ resource }) => resource.id);
  const named = await findReferences(canReadEverything(caller, organization) ? [] : entries, parts);
  const wanted = { ...named, workspaces: [...subjects, ...named.workspaces] };
  return findRights(store, { caller, organization }, wanted);
};

const readVisibleTeams = async (
  { store }: TrailDependencies,
  access: OrganizationAccess,
  entries: readonly HistoryEntry[],
): Promise<HistoryRights['seesTeam']> => {
  if (mayIn(access, 'team.read-secret')) return () => true;
  return findVisibleTeams(
    store,
    access,
    entries.flatMap((entry) => [...teamsIn(entry), ...subjectTeams(entry)]),
  );
};

/**
 * `GET /organizations/:organization_name/audit-trail` (HIST-12): the changes of an organization and of everything in it,
 * newest first.
 */
export const listOrganizationTrail: Operation<'organizations.audit-trail', TrailDependencies> = async (
  { digest, parameters: { organization_name: name }, query, url },
  dependencies,
) => {
  const { store, history, trail } = dependencies;
  const filter = readHistoryFilter(query);
  requireActorIds(filter, name);
  const { size, after } = readCursorPage(query, isTrailCursor);
  const access = await authorizeOrganization(store, digest, { organization: name }, (context) =>
    requireOrganizationPermission(context, 'audit-trail.read'),
  );
  const page = await trail.findPage(name, filter, size, after);
  const entries = page.entries.map(({ entry }) => entry);
  const owner = isOwner(access);
  const reading = history.findParts(entries);
  const [parts, seesTeamOf, rightsOn] = await Promise.all([
    reading,
    owner ? () => true : readVisibleTeams(dependencies, access, entries),
    owner ? () => undefined : readRights(dependencies, access, entries, reading),
  ]);
  const reads = canReadEverything(access.caller, access.organization) ? () => true : toReads(rightsOn);
  const shown = entries.flatMap((entry) => {
    const rights = isOfWorkspace(entry) ? rightsOn('workspaces', entry.resource.id) : undefined;
    const isHidden = isOfWorkspace(entry)
      ? rights === undefined || !canRead(rights)
      : !subjectTeams(entry).every(seesTeamOf) ||
        // An actor who may not be seen is null in the entry.
        !teamsIn(entry).every((team) => team === entry.actor.id || seesTeamOf(team));
    if (isHidden && !owner) return [];
    const visible = visibleEntry(
      entry,
      {
        isOwner: owner,
        seesOrigins: owner || rights?.admin === true,
        readsVariables:
          owner ||
          (rights === undefined
            ? mayIn(access, 'variable-set.read')
            : rightsAllow(rights, access.organization, 'variable.read')),
        seesTeam: seesTeamOf,
        reads,
      },
      parts,
    );
    // A filter must not confirm the id of a team that the caller may not see.
    return filter.actors !== undefined && visible.actor.id === null ? [] : [visible];
  });
  return { data: shown.map(historyEntryResource), ...cursorLinks(page.next, url, query) };
};
