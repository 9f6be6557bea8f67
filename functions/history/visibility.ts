import type { OrganizationAccess } from '../../shared/access/authorize/organization.ts';
import { seesTeam } from '../../shared/access/organization-policy.ts';
import { canRead } from '../../shared/access/rights.ts';
import type { FoundRights } from '../../shared/documents/find-rights.ts';
import { type HistoryRights, referencesIn } from '../../shared/documents/visible-entry.ts';
import type { HistoryEntry } from '../../shared/domain/history/history-entry.ts';
import type { Dependencies } from '../../shared/runtime/dependencies.ts';
import type { HistoryParts } from '../../shared/store/history/history-reader.ts';

type Store = Dependencies['store'];
type Reader = Pick<OrganizationAccess, 'caller' | 'organization'>;

/** Reads teams by their ids, and returns which of them exist in the organization and are visible to the caller. */
export const findVisibleTeams = async (
  store: Store,
  access: Reader,
  teams: readonly string[],
): Promise<HistoryRights['seesTeam']> => {
  if (teams.length === 0) return () => false;
  const found = await store.records.find([...new Set(teams)].map((id) => ({ kind: 'team', id })));
  return (id) => {
    const team = found('team', id);
    return team?.organization === access.organization.name && seesTeam(access, team);
  };
};

/** Maximum number of ids in details that a request looks up. The others are withheld. */
const LOOKED_UP = 1_000;

/**
 * Returns the ids that the details of entries name. Waits for the parts of the entries only if the parts have some of them.
 * @returns at most `LOOKED_UP` of each type.
 */
export const findReferences = async (entries: readonly HistoryEntry[], parts: Promise<HistoryParts>) => {
  const naming = entries.some(({ consumers }) => consumers !== undefined) ? await parts : undefined;
  const ofType = (type: 'workspaces' | 'projects') =>
    [...new Set(entries.flatMap((entry) => referencesIn(entry, type, naming)))].slice(0, LOOKED_UP);
  return { workspaces: ofType('workspaces'), projects: ofType('projects') };
};

/** Converts rights to a function that tells what the caller may read. */
export const toReads =
  (rights: FoundRights): HistoryRights['reads'] =>
  (type, id) => {
    const found = rights(type, id);
    return found !== undefined && canRead(found);
  };
