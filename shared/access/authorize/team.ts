import type { Team } from '../../domain/directory/records.ts';
import { concealed } from '../../domain/errors.ts';
import { seesTeam } from '../organization-policy.ts';
import type { AuthorizationReader, FindById } from './reader.ts';
import type { Reads } from './reads.ts';
import { authorizeRecord, type RecordAccess } from './record.ts';

/** Reads of authorization on teams. */
interface TeamReader extends AuthorizationReader {
  readonly teams: { readonly find: FindById<Team> };
}

/**
 * Authorizes a request on a team that a path names by its id.
 * @param requirePermission throws when the caller, who sees the team, may not perform the action.
 * @param reads read at the same time as the memberships, once the organization of the team is known.
 * @throws DomainError 401; 404 for a team that does not exist or that the caller does not see (TEAM-2); the error of
 *   `requirePermission`.
 */
export const authorizeTeam = (
  reader: TeamReader,
  digest: string,
  id: string,
  requirePermission: (access: RecordAccess<Team>) => void = () => undefined,
  reads?: Reads<[organization: string], unknown>,
): Promise<RecordAccess<Team>> =>
  authorizeRecord(
    reader,
    digest,
    (consistent) => reader.teams.find(id, consistent),
    (access) => {
      if (!seesTeam(access, access.record)) throw concealed();
      requirePermission(access);
    },
    reads,
  );
