import type { Clock } from '../../lib/clock.ts';
import type { Database } from '../dynamodb/database.ts';
import { openOrganizations } from './organizations/organizations.ts';
import { openReservedTagKeys } from './organizations/reserved-tag-keys.ts';
import type { Table } from './records/commit.ts';
import { openRecords } from './records/record-store.ts';
import { openTokens } from './tokens/tokens.ts';
import { openMembers } from './users/memberships.ts';
import { openUsers } from './users/users.ts';

/**
 * Opens the changes of organizations, their records, users, memberships and tokens. A change that must be atomic is one
 * transaction, so that a crash leaves nothing incomplete. Every change can be repeated.
 */
export const openDirectoryWriter = (database: Database, clock: Clock) => {
  const table: Table = { database, clock };
  const records = openRecords(table);
  const users = openUsers(table);
  return {
    table,
    records,
    ...users,
    ...openMembers(table, records, users),
    ...openTokens(table, records, users.getUser),
    ...openOrganizations(table, records, users),
    ...openReservedTagKeys(table),
  };
};

export type DirectoryWriter = ReturnType<typeof openDirectoryWriter>;
