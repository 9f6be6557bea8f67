import type { Team, WorkloadIdentity } from '../../domain/directory/records.ts';
import { concealed } from '../../domain/errors.ts';
import { requireOrganizationPermission, seesTeam } from '../organization-policy.ts';
import type { OrganizationAccess } from './organization.ts';
import type { AuthorizationReader, FindById } from './reader.ts';
import { authorizeRecord, type RecordAccess } from './record.ts';

/** Reads of authorization on workload identities. */
interface WorkloadReader extends AuthorizationReader {
  readonly teams: { readonly find: FindById<Team> };
}

/** A workload identity, and its team as far as it exists. */
interface Found {
  readonly organization: string;
  readonly identity: WorkloadIdentity;
  readonly team: Team | undefined;
}

/**
 * Requires that a caller may manage workload identities: whoever may manage the tokens of teams (AUTH-10). No workload identity
 * belongs to the owners team.
 */
export const requireWorkloadManagement = (access: OrganizationAccess): void =>
  requireOrganizationPermission(access, 'team.manage');

/**
 * Authorizes a request on a workload identity that a path names by its id, for callers who see its team. What does not exist is
 * read in as many rounds as what does (PERM-21).
 * @param find reads the workload identity.
 * @throws DomainError 401, 404.
 */
export const authorizeWorkloadIdentity = (
  reader: WorkloadReader,
  digest: string,
  find: (consistent: boolean) => Promise<WorkloadIdentity | undefined>,
): Promise<RecordAccess<Found>> =>
  authorizeRecord(
    reader,
    digest,
    async (consistent): Promise<Found | undefined> => {
      const identity = await find(consistent);
      const team = await reader.teams.find(identity?.team ?? '', consistent);
      return identity && { organization: identity.organization, identity, team };
    },
    (access) => {
      const { team } = access.record;
      if (team === undefined || !seesTeam(access, team)) throw concealed();
      requireWorkloadManagement(access);
    },
  );
