import { duePartition, type Key, keys, listPartition } from '../../shared/store/dynamodb/keys.ts';
import { type Part, placeOf, type Request } from './partitions.ts';

/**
 * Demand model: the capacity units that each operation requests of each key, with the real keys and items of average
 * size (a workspace of 2 KB, others of 1 KB). `test/endpoints/automation/demand.test.ts` compares the model with real calls.
 */

/** Records that an instance can cache. */
export type CachedRecord = 'caller' | 'organization' | 'project';

/** Caller and target of a request. */
export interface Subject {
  readonly organization: string;
  readonly project: string;
  readonly workspace: string;
  readonly name: string;
  readonly user: string;
  /** Digest of the token. */
  readonly token: string;
  /** Number of list index shards of the organization. */
  readonly shards: number;
  /** Id of the variable or state version that is created. */
  readonly made?: string;
  /** Records that the instance has in its cache. */
  readonly cached?: readonly CachedRecord[];
}

/** Example subject for operations whose cost does not depend on it. */
export const SOMEBODY: Subject = {
  organization: 'acme',
  project: 'prj-1',
  workspace: 'ws-1',
  name: 'network',
  user: 'user-1',
  token: 'digest',
  shards: 4,
};

/** Bytes of a row of the list index with its keys and a few tags and grants. Reading 100,000 rows takes 5,000 units. */
export const ROW_BYTES = 410;
const READ_BYTES = 4_096;

const at = ({ pk, sk }: Key, units: Partial<Pick<Part, 'writeUnits' | 'readUnits'>>): Part => ({
  space: 'table',
  key: pk,
  place: placeOf(sk),
  writeUnits: 0,
  readUnits: 0,
  ...units,
});

/** Capacity of single calls, for items up to 4 KB. Each write in a transaction takes two units. */
const eventual = (key: Key): Part => at(key, { readUnits: 0.5 });
const strong = (key: Key): Part => at(key, { readUnits: 1 });
const write = (key: Key, kilobytes = 1): Part => at(key, { writeUnits: kilobytes });
const transacted = (key: Key, kilobytes = 1): Part => write(key, 2 * kilobytes);

/** Capacity of a row that moves to the end of its partition of the index: one write at each position. */
const listed = ({ organization, workspace, shards }: Subject, writeUnits: number): Part => ({
  space: 'list',
  key: listPartition.workspacesOf(organization, workspace, shards),
  // DynamoDB could split the partition between the two positions, but does not promise it. Both writes count at the
  // end.
  place: 'end',
  writeUnits,
  readUnits: 0,
});

/** Capacity of a row with the key of a variable in its partition of the index. */
const keyListed = (subject: Subject): Part => ({
  space: 'list',
  key: listPartition.variableKeysOf(subject.organization, made(subject)),
  place: placeOf(made(subject)),
  writeUnits: 1,
  readUnits: 0,
});

const recalls = ({ cached = [] }: Subject, what: CachedRecord): boolean => cached.includes(what);

const whoCalls = (subject: Subject): Part[] =>
  recalls(subject, 'caller')
    ? []
    : [eventual(keys.token(subject.token)), eventual(keys.organizationMembership(subject.user, subject.organization))];
const organizationOf = (subject: Subject): Part[] =>
  recalls(subject, 'organization') ? [] : [eventual(keys.organization(subject.organization))];
const projectOf = (subject: Subject): Part[] =>
  recalls(subject, 'project') ? [] : [eventual(keys.project(subject.project))];
const configurationContext = (subject: Subject): Part[] => [...organizationOf(subject), ...projectOf(subject)];

const workspace = ({ workspace: id }: Subject): Key => keys.workspace(id);
const show = (subject: Subject): Part[] => [
  ...whoCalls(subject),
  ...configurationContext(subject),
  strong(workspace(subject)),
];
const made = (subject: Subject): string => subject.made ?? `sv-${subject.name}`;
const claim = ({ organization, name }: Subject): Key => keys.claim(organization, 'workspace', name);

/**
 * Capacity of the queries for changes, one for each partition of the index. @param changed rows that changed in the
 * queried time window, in all partitions together.
 */
export const delta = ({ organization, shards }: Pick<Subject, 'organization' | 'shards'>, changed = 0): Part[] =>
  Array.from({ length: shards }, (_, shard) => ({
    space: 'list',
    key: listPartition.workspaces(organization, shard),
    place: 'end',
    writeUnits: 0,
    readUnits: 0.5 * Math.max(1, Math.ceil(((changed / shards) * ROW_BYTES) / READ_BYTES)),
  }));

const report = (subject: Subject): Part[] => [
  strong(workspace(subject)),
  strong(keys.run(subject.workspace, 0, 'run')),
  strong(keys.runWindow(subject.workspace)),
  transacted(keys.run(subject.workspace, 0, 'run')),
  transacted(workspace(subject), 2),
  listed(subject, 2),
];

/** Requested capacity of each operation for a subject. */
export const operations = {
  'show by id': show,
  'show by name': (subject) => [...show(subject), strong(claim(subject))],
  lock: (subject) => [...show(subject), write(workspace(subject), 2), listed(subject, 2)],
  unlock: (subject) => [...show(subject), write(workspace(subject), 2), listed(subject, 2)],
  'update without listed change': (subject) => [...show(subject), write(workspace(subject), 2)],
  'add tag': (subject) => [...show(subject), write(workspace(subject), 2), listed(subject, 2)],
  create: (subject) => [
    ...whoCalls(subject),
    ...configurationContext(subject),
    transacted(workspace(subject), 2),
    transacted(claim(subject)),
    listed(subject, 1),
  ],
  'list variables': (subject) => [...show(subject), strong(keys.variable(subject.workspace, 'env', ''))],
  'create variable': (subject) => [
    ...show(subject),
    transacted(keys.variable(subject.workspace, 'env', made(subject))),
    transacted(keys.pointer(made(subject))),
    transacted(workspace(subject), 2),
    keyListed(subject),
  ],
  'create state version': (subject) => [
    ...show(subject),
    transacted(keys.stateVersion(subject.workspace, 0, made(subject))),
    transacted(keys.stateVersionId(made(subject))),
    transacted(workspace(subject), 2),
  ],
  'run report': report,
  'run report that postpones auto-destroy': (subject) => [
    ...report(subject),
    // One write removes the old due time, one adds the new one.
    { space: 'due', key: duePartition(subject.workspace), place: 'end', writeUnits: 2, readUnits: 0 },
  ],
} as const satisfies Record<string, (subject: Subject) => readonly Part[]>;

export type OperationName = keyof typeof operations;

/** Requested capacity of a list page. */
export const listPage = (subject: Subject, page: readonly string[], changed = 0): Part[] => [
  ...whoCalls(subject),
  ...organizationOf(subject),
  ...delta(subject, changed),
  ...page.map((id) => eventual(keys.workspace(id))),
];

/**
 * Capacity of the writes of the history for a change: the pointer in the audit trail, and the entry.
 * @param change id of the change.
 */
export const recordedChange = (organization: string, workspace: string, change: string): Part[] =>
  [keys.auditPointer(organization, 0, change), keys.historyEntry(workspace, 0, 0)].map((key) => ({
    ...write(key),
    // Entries are sorted by time.
    place: 'end',
  }));

export const request = (name: OperationName, subject: Subject): Request => ({ name, parts: operations[name](subject) });
