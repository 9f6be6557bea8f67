import type { RequestContext } from '../../domain/changes/change-context.ts';
import { recordOrganizationChange } from '../../domain/changes/organization-changes.ts';
import type { Clock } from '../../lib/clock.ts';
import { newEventId } from '../../lib/random.ts';
import type { Database } from '../dynamodb/database.ts';
import { openOrganizations } from './organizations/organizations.ts';
import { openReservedTagKeys } from './organizations/reserved-tag-keys.ts';
import type { RecordingTable } from './records/commit.ts';
import { openRecords } from './records/record-store.ts';
import { openTokens } from './tokens/tokens.ts';
import { openMembers } from './users/memberships.ts';
import { openUsers } from './users/users.ts';

/**
 * Opens the changes of organizations, their records, users, memberships and tokens. A change that must be atomic is one
 * transaction, so that a crash leaves nothing incomplete. Every change can be repeated, and leaves a change record.
 * @param request returns the request on whose behalf a change is made; it is called for each change record.
 */
export const openDirectoryWriter = (database: Database, clock: Clock, request: () => RequestContext) => {
  const table: RecordingTable = {
    database,
    clock,
    request,
    record: (type, at, details) => recordOrganizationChange(newEventId(), type, request(), at, details),
  };
  const records = openRecords(table);
  const users = openUsers(table);
  return {
    table,
    request,
    records,
    ...users,
    ...openMembers(table, records, users),
    ...openTokens(table, records, users.getUser),
    ...openOrganizations(table, records, users),
    ...openReservedTagKeys(table),
  };
};

export type DirectoryWriter = ReturnType<typeof openDirectoryWriter>;

/** The reads of the directory that need no request. */
export type DirectoryReads = Pick<DirectoryWriter, 'findUserId' | 'findReservedTagKeyPlace'> & {
  readonly records: Pick<DirectoryWriter['records'], 'find' | 'findById' | 'listAll'>;
};

/** The directory as operations use it: reads, and changes on behalf of a request. */
export interface DirectoryAccess {
  readonly directory: DirectoryReads;
  readonly directoryFor: (request: RequestContext) => DirectoryWriter;
}

/** Opens the reads of the directory, and its changes on behalf of requests. */
export const openDirectoryAccess = (database: Database, clock: Clock): DirectoryAccess => ({
  directory: openDirectoryWriter(database, clock, () => {
    throw new TypeError('A change of the directory needs a request');
  }),
  directoryFor: (request) => openDirectoryWriter(database, clock, () => request),
});
