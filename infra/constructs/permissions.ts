import { routeIds, routes } from '../../shared/routes/index.ts';
import type { FunctionName } from '../../shared/runtime/environment.ts';
import type { IndexName } from '../../shared/store/dynamodb/table-definition.ts';

/** What a function may ask of the table, and of which index. A transaction needs the right of each action in it. */
export interface TableAccess {
  readonly table: readonly string[];
  readonly indexes?: { readonly [I in IndexName]?: readonly string[] };
}

/** Creates, renames and deletes named records: a claim on the name, and checks of what the record refers to. */
const changesRecords: TableAccess = {
  table: ['GetItem', 'Query', 'BatchGetItem', 'PutItem', 'UpdateItem', 'DeleteItem', 'ConditionCheckItem'],
  indexes: { list: ['Query'] },
};

/**
 * The least that each function needs: an operation that calls something new fails with AccessDenied until it is listed
 * here, and a line that nothing needs any more is taken out.
 */
export const tableAccess: { readonly [F in FunctionName]: TableAccess } = {
  workspaces: {
    table: ['GetItem', 'Query', 'BatchGetItem', 'PutItem', 'UpdateItem', 'DeleteItem'],
    // Ids of tags are computed from their names, and the organization's rows say which there are.
    indexes: { list: ['Query'] },
  },
  'workspace-list': { table: ['GetItem', 'Query', 'BatchGetItem'], indexes: { list: ['Query'] } },
  'workspace-locks': { table: ['GetItem', 'Query', 'UpdateItem'] },
  'workspace-deletion': { table: ['GetItem', 'Query', 'UpdateItem', 'DeleteItem'] },
  'workspace-tags': { table: ['GetItem', 'Query', 'UpdateItem'], indexes: { list: ['Query'] } },
  'remote-state-consumers': {
    table: ['GetItem', 'Query', 'BatchGetItem', 'PutItem', 'UpdateItem'],
    indexes: { list: ['Query'] },
  },
  'ssh-key': { table: ['GetItem', 'Query', 'BatchGetItem', 'UpdateItem'] },
  runs: { table: ['GetItem', 'Query', 'BatchGetItem'] },
  'data-retention-policy': { table: ['GetItem', 'Query', 'UpdateItem'] },
  variables: {
    table: ['GetItem', 'Query', 'BatchGetItem', 'PutItem', 'UpdateItem', 'DeleteItem'],
    indexes: { list: ['Query'] },
  },
  organizations: changesRecords,
  projects: changesRecords,
  teams: changesRecords,
  integrations: changesRecords,
  'state-versions': { table: ['GetItem', 'Query', 'BatchGetItem', 'PutItem', 'UpdateItem'] },
  // Reads what was uploaded, and makes it a part of its workspace.
  'state-content': { table: ['GetItem', 'Query', 'PutItem', 'UpdateItem'] },
  // Answers files that it brings along.
  documentation: { table: [] },
  // Answers 404, 405 and the ping, from the route table alone.
  fallback: { table: [] },
  // Looks for whatever refers to what is to be deleted, and deletes what hangs on it; asks for destroy runs.
  cleanup: {
    table: ['GetItem', 'Query', 'BatchGetItem', 'UpdateItem', 'DeleteItem', 'ConditionCheckItem'],
    indexes: { list: ['Query'], due: ['Query'] },
  },
  // Reads what lists read, and notes on the organization that it did.
  'list-index-snapshots': { table: ['GetItem', 'UpdateItem'], indexes: { list: ['Query'] } },
  // The index says which workspaces there are, of all organizations.
  'state-retention': {
    table: ['GetItem', 'Query', 'BatchGetItem', 'PutItem', 'UpdateItem', 'DeleteItem'],
    indexes: { list: ['Scan'] },
  },
  ingest: { table: ['GetItem', 'Query', 'PutItem', 'UpdateItem', 'DeleteItem'] },
  // Is given what was written; it asks for nothing.
  publish: { table: [] },
  // Its own record of commands, and what names stand for; everything else the functions do that it invokes.
  automation: { table: ['GetItem', 'Query', 'PutItem', 'UpdateItem'] },
  // Scan is for check-table, which looks at every item.
  admin: {
    table: ['GetItem', 'Query', 'BatchGetItem', 'Scan', 'PutItem', 'UpdateItem', 'DeleteItem', 'ConditionCheckItem'],
    indexes: { list: ['Query'] },
  },
};

/**
 * The functions that encrypt secrets, each with the encryption contexts that it may do so in: exactly these keys, with
 * values of this form. None may decrypt.
 */
export const encryptedContexts: { readonly [F in FunctionName]?: readonly Readonly<Record<string, string>>[] } = {
  variables: [{ workspace: 'ws-*', variable: 'var-*' }],
  integrations: [
    { organization: '*', sshKey: 'sshkey-*' },
    { organization: '*', vcsConnection: 'ot-*' },
  ],
};

/** What a function may do beside its calls to the table and its encryption. */
export interface FurtherAccess {
  /**
   * Actions of S3 by the prefix of the keys that they are allowed on. Those that list (`ListBucket`,
   * `ListBucketVersions`) are given on the bucket for that prefix: without one, an object that is not there is answered
   * 403 and not 404.
   */
  readonly objects?: Readonly<Record<`${string}/`, readonly string[]>>;
  readonly putsEvents?: true;
  /** Invoked with events (`triggers.ts`), or sends letters itself. */
  readonly sendsDeadLetters?: true;
  readonly readsStream?: true;
  readonly invokes?: readonly FunctionName[];
}

/** Of functions that keep an organization's rows in memory, and begin with a snapshot of them. */
const listing: FurtherAccess = { objects: { 'catalogues/': ['GetObject'] }, invokes: ['list-index-snapshots'] };

/** As little as the table above, and for the same reason. */
export const furtherAccess: { readonly [F in FunctionName]?: FurtherAccess } = {
  workspaces: listing,
  'workspace-list': listing,
  'workspace-tags': listing,
  'remote-state-consumers': listing,
  variables: listing,
  projects: listing,
  'list-index-snapshots': { objects: { 'catalogues/': ['PutObject', 'DeleteObject'] }, sendsDeadLetters: true },
  // An organization's goes with it.
  admin: { objects: { 'catalogues/': ['DeleteObject'] } },
  ingest: { objects: { 'readmes/': ['GetObject', 'GetObjectVersion', 'ListBucket'] }, sendsDeadLetters: true },
  publish: { putsEvents: true, sendsDeadLetters: true, readsStream: true },
  // What is behind the HTTP API, without the API.
  automation: { invokes: [...new Set(routeIds.map((id) => routes[id].function))], sendsDeadLetters: true },
  'workspace-locks': { invokes: ['state-content'] },
  'workspace-deletion': { invokes: ['state-content'] },
  // What a URL lets anybody do who has it, whoever signed it must be allowed to do.
  'state-versions': {
    objects: {
      'states/': ['PutObject', 'GetObject', 'GetObjectVersion', 'DeleteObjectVersion', 'ListBucket'],
      'json-states/': ['PutObject', 'GetObjectVersion'],
    },
  },
  'state-content': {
    objects: {
      'states/': ['GetObject', 'GetObjectVersion', 'DeleteObjectVersion', 'ListBucket'],
      'json-states/': ['DeleteObjectVersion'],
    },
    sendsDeadLetters: true,
  },
  cleanup: {
    objects: {
      'states/': ['DeleteObject', 'DeleteObjectVersion', 'ListBucketVersions'],
      'json-states/': ['DeleteObject', 'DeleteObjectVersion', 'ListBucketVersions'],
      'readmes/': ['DeleteObject'],
      'catalogues/': ['DeleteObject'],
    },
  },
  'state-retention': {
    objects: {
      'states/': ['DeleteObjectVersion', 'ListBucketVersions'],
      'json-states/': ['DeleteObjectVersion', 'ListBucketVersions'],
    },
  },
};

/** The functions that follow the table's stream. */
export const streamReaders = (Object.entries(furtherAccess) as [FunctionName, FurtherAccess][]).flatMap(
  ([name, { readsStream }]) => (readsStream ? [name] : []),
);
