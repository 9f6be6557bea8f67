import type { Clock } from '../../lib/clock.ts';
import type { Database } from '../dynamodb/database.ts';
import { openOrganizations } from './organizations/organizations.ts';
import { openReservedTagKeys } from './organizations/reserved-tag-keys.ts';
import { openProjects } from './projects/projects.ts';
import { openRecords } from './records/record-store.ts';
import { openTeams } from './teams/teams.ts';
import { openTokens } from './tokens/tokens.ts';
import { openMembers } from './users/memberships.ts';
import { openUsers } from './users/users.ts';
import { openWorkloadIdentities } from './workload-identities/workload-identities.ts';

/**
 * Opens the changes of organizations, their records, users, memberships and tokens. A change that must be atomic is one
 * transaction, so that a crash leaves nothing incomplete. Every change can be repeated, and leaves a change record for the
 * request on whose behalf it is made.
 */
export const openDirectoryWriter = (database: Database, clock: Clock) => {
  const table = { database, clock };
  const records = openRecords(table);
  const users = openUsers(table);
  const organizations = openOrganizations(table, records, users);
  const tokens = openTokens(table, records, users);
  return {
    table,
    records,
    users,
    organizations,
    members: openMembers(table, records, users),
    tokens,
    workloadIdentities: openWorkloadIdentities(table, records, tokens),
    reservedTagKeys: openReservedTagKeys(table, records),
    teams: openTeams(table, records),
    projects: openProjects(table, records, organizations),
  };
};

export type DirectoryWriter = ReturnType<typeof openDirectoryWriter>;
