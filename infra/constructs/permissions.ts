import { routeIds, routes } from '../../shared/routes/index.ts';
import type { FunctionName } from '../../shared/runtime/environment.ts';
import type { IndexName } from '../../shared/store/dynamodb/table-definition.ts';
import type { HubIndexName } from '../../shared/store/hub/hub-table.ts';

/** Actions of a function on the table and its indexes. A transaction needs the permission of each action in it. */
export interface TableAccess {
  readonly table: readonly string[];
  readonly indexes?: { readonly [I in IndexName | HubIndexName]?: readonly string[] };
  /** Reports the first uses of tokens, and rejected requests: it may write the items of such reports, and nothing else. */
  readonly reportsTokens?: true;
}

/** Reads of single items: GetItem, or BatchGetItem for those that start together (`combined-reads.ts`). */
const items = ['GetItem', 'BatchGetItem'] as const;

/** Creates, renames and deletes named records: a claim on the name, and checks of what the record refers to. */
const changesRecords: TableAccess = {
  table: [...items, 'Query', 'PutItem', 'UpdateItem', 'DeleteItem', 'ConditionCheckItem'],
  indexes: { list: ['Query'] },
};

/**
 * The least privileges of each function. A new call fails with AccessDenied until its action is added here. Remove actions
 * that are not needed any more. Functions that authenticate callers need `UpdateItem` or `reportsTokens`.
 */
export const tableAccess: { readonly [F in FunctionName]: TableAccess } = {
  workspaces: {
    table: [...items, 'Query', 'PutItem', 'UpdateItem', 'DeleteItem'],
    // Tags are found in the rows of the organization, because their ids are computed from their names.
    indexes: { list: ['Query'] },
  },
  'workspace-list': { table: [...items, 'Query'], indexes: { list: ['Query'] }, reportsTokens: true },
  'workspace-locks': { table: [...items, 'Query', 'UpdateItem'] },
  // Restores deleted workspaces, which claims their names.
  'workspace-deletion': { table: [...items, 'Query', 'PutItem', 'UpdateItem', 'DeleteItem'] },
  'workspace-tags': { table: [...items, 'Query', 'UpdateItem'], indexes: { list: ['Query'] } },
  'remote-state-consumers': {
    table: [...items, 'Query', 'PutItem', 'UpdateItem'],
    indexes: { list: ['Query'] },
  },
  'ssh-key': { table: [...items, 'Query', 'UpdateItem'] },
  runs: { table: [...items, 'Query'], reportsTokens: true },
  'data-retention-policy': { table: [...items, 'Query', 'UpdateItem'] },
  variables: {
    // Creates variable sets, after a check of their organization.
    table: [...items, 'Query', 'PutItem', 'UpdateItem', 'DeleteItem', 'ConditionCheckItem'],
    indexes: { list: ['Query'] },
  },
  organizations: changesRecords,
  // Reads workload identities, and creates and revokes their tokens.
  'sign-in': { table: [...items, 'Query', 'PutItem', 'UpdateItem', 'DeleteItem', 'ConditionCheckItem'] },
  projects: changesRecords,
  teams: changesRecords,
  integrations: changesRecords,
  'state-versions': { table: [...items, 'Query', 'PutItem', 'UpdateItem', 'DeleteItem'] },
  // Reads uploaded states, and changes the workspace and its state versions.
  'state-content': { table: [...items, 'Query', 'PutItem', 'UpdateItem'] },
  // Returns files of its bundle.
  documentation: { table: [] },
  console: { table: [] },
  // Returns 404, 405 and the ping response, which need only the route table.
  fallback: { table: [] },
  // Finds references to resources that are being deleted, deletes dependants, and requests destroy runs.
  cleanup: {
    table: [...items, 'Query', 'PutItem', 'UpdateItem', 'DeleteItem', 'ConditionCheckItem'],
    indexes: { list: ['Query'], due: ['Query'] },
  },
  // Reads the rows of the list index, and records the snapshot on the organization.
  'list-index-snapshots': { table: [...items, 'UpdateItem'], indexes: { list: ['Query'] } },
  // The index contains the workspaces of all organizations.
  'state-retention': {
    table: [...items, 'Query', 'PutItem', 'UpdateItem', 'DeleteItem'],
    indexes: { list: ['Scan'] },
  },
  ingest: { table: [...items, 'Query', 'PutItem', 'UpdateItem', 'DeleteItem'] },
  // Receives changes from the stream, and reads nothing else.
  publish: { table: [] },
  // Reads what it wrote itself: the values of variables that become sensitive.
  'record-history': { table: [...items, 'Query', 'PutItem', 'UpdateItem'] },
  history: { table: [...items, 'Query'], reportsTokens: true },
  'bulk-jobs': { table: [...items, 'Query', 'PutItem', 'UpdateItem'], indexes: { list: ['Query'] } },
  // The functions that it invokes change the workspaces.
  'bulk-job-worker': {
    table: [...items, 'Query', 'PutItem', 'UpdateItem', 'DeleteItem', 'ConditionCheckItem'],
    indexes: { list: ['Query'] },
  },
  // Reads names and its record of commands. The functions that it invokes do everything else.
  automation: { table: [...items, 'Query', 'UpdateItem'] },
  // Scan is for check-table, which reads every item.
  admin: {
    table: [...items, 'Query', 'Scan', 'PutItem', 'UpdateItem', 'DeleteItem', 'ConditionCheckItem'],
    indexes: { list: ['Query'] },
  },
  // Sends all workspaces to the hub.
  'hub-snapshot': { table: ['BatchGetItem'], indexes: { list: ['Scan'] } },
  // The functions of the hub use its own table.
  'hub-receiver': { table: ['GetItem', 'PutItem', 'UpdateItem'] },
  'hub-reader': { table: ['GetItem', 'Query'], indexes: { names: ['Query'], locks: ['Query'] } },
};

/**
 * Encryption contexts in which each function may encrypt: exactly these keys, with values of this form. No function may
 * decrypt.
 */
export const encryptedContexts: { readonly [F in FunctionName]?: readonly Readonly<Record<string, string>>[] } = {
  variables: [
    { workspace: 'ws-*', variable: 'var-*' },
    { variableSet: 'varset-*', variable: 'var-*' },
  ],
  integrations: [
    { organization: '*', sshKey: 'sshkey-*' },
    { organization: '*', vcsConnection: 'ot-*' },
  ],
};

/** Permissions of a function other than those for the table and for encryption. */
export interface FurtherAccess {
  /**
   * Actions of S3 by key prefix. `ListBucket` and `ListBucketVersions` are granted on the bucket for that prefix. Without
   * `ListBucket`, S3 responds with 403 instead of 404 for a missing object.
   */
  readonly objects?: Readonly<Record<`${string}/`, readonly string[]>>;
  readonly putsEvents?: true;
  /** Needed for asynchronous invocations (`triggers.ts`), and to send messages to the dead-letter queue. */
  readonly sendsDeadLetters?: true;
  readonly readsStream?: true;
  /** Reads single items of the table that a restored one replaces. */
  readonly readsReplacedTable?: true;
  /** Authenticates at identity providers, with the secrets and the tokens of AWS that the settings name. */
  readonly authenticatesAtProviders?: true;
  /** Computes fingerprints of values and of commands. Their key is used for nothing else. */
  readonly computesFingerprints?: true;
  readonly invokes?: readonly FunctionName[];
}

/** Key prefix of the reports of bulk jobs. */
export const JOB_REPORTS = 'bulk-jobs/';

/** The functions behind the routes of the API. */
const apiFunctions: readonly FunctionName[] = [...new Set(routeIds.map((id) => routes[id].function))];

/** Key prefix of the snapshots of list indexes. */
export const SNAPSHOTS = 'catalogues/';

/** Permissions of functions that keep a list index in memory, which they load from a snapshot. */
const listIndexAccess: FurtherAccess = {
  objects: { [SNAPSHOTS]: ['GetObject'] },
  invokes: ['list-index-snapshots'],
};

/** The least further privileges of each function. */
export const furtherAccess: { readonly [F in FunctionName]?: FurtherAccess } = {
  workspaces: listIndexAccess,
  'workspace-list': listIndexAccess,
  'workspace-tags': listIndexAccess,
  'remote-state-consumers': listIndexAccess,
  variables: { ...listIndexAccess, computesFingerprints: true },
  projects: listIndexAccess,
  teams: listIndexAccess,
  'list-index-snapshots': { objects: { [SNAPSHOTS]: ['PutObject', 'DeleteObject'] }, sendsDeadLetters: true },
  // Deletes the snapshot with its organization. After a restore, compares states and rights with the bucket and the old table.
  admin: {
    objects: {
      [SNAPSHOTS]: ['DeleteObject'],
      'states/': ['ListBucketVersions'],
      'history-exports/': ['PutObject'],
    },
    readsReplacedTable: true,
  },
  ingest: { objects: { 'readmes/': ['GetObject', 'GetObjectVersion', 'ListBucket'] }, sendsDeadLetters: true },
  publish: { putsEvents: true, sendsDeadLetters: true, readsStream: true },
  'record-history': { sendsDeadLetters: true, readsStream: true, computesFingerprints: true },
  // Invokes the functions of the HTTP API directly.
  automation: {
    invokes: apiFunctions,
    sendsDeadLetters: true,
    computesFingerprints: true,
  },
  'bulk-jobs': { objects: { [JOB_REPORTS]: ['GetObject', 'ListBucket'] }, invokes: ['bulk-job-worker'] },
  // Sends requests of the HTTP API by invoking the functions behind them directly.
  'bulk-job-worker': {
    ...listIndexAccess,
    objects: { ...listIndexAccess.objects, [JOB_REPORTS]: ['PutObject'] },
    invokes: [...new Set([...apiFunctions, 'list-index-snapshots' as const])],
    sendsDeadLetters: true,
  },
  'sign-in': { authenticatesAtProviders: true },
  'hub-snapshot': { putsEvents: true, sendsDeadLetters: true },
  'hub-receiver': { sendsDeadLetters: true },
  'workspace-locks': { invokes: ['state-content'] },
  'workspace-deletion': { invokes: ['state-content'] },
  // A presigned URL grants only permissions of the function that signed it.
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
    // Starts workers of bulk jobs that no worker holds.
    invokes: ['bulk-job-worker'],
    objects: {
      'states/': ['DeleteObject', 'DeleteObjectVersion', 'ListBucketVersions'],
      'json-states/': ['DeleteObject', 'DeleteObjectVersion', 'ListBucketVersions'],
      'readmes/': ['DeleteObject'],
      [SNAPSHOTS]: ['DeleteObject'],
    },
  },
  'state-retention': {
    objects: {
      'states/': ['DeleteObjectVersion', 'ListBucketVersions'],
      'json-states/': ['DeleteObjectVersion', 'ListBucketVersions'],
    },
  },
};

/** The functions that read the stream of the table. */
export const streamReaders = (Object.entries(furtherAccess) as [FunctionName, FurtherAccess][]).flatMap(
  ([name, { readsStream }]) => (readsStream ? [name] : []),
);
