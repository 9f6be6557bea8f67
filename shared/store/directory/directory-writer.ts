import type { Clock } from '../../lib/clock.ts';
import type { Database } from '../dynamodb/database.ts';
import type { Table } from './commit.ts';
import { openMembers } from './memberships.ts';
import { openOrganizations } from './organizations.ts';
import { openRecords } from './records.ts';
import { openTokens } from './tokens.ts';
import { openUsers } from './users.ts';

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
  };
};

export type DirectoryWriter = ReturnType<typeof openDirectoryWriter>;
