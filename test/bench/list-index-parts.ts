import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setFlagsFromString } from 'node:v8';
import { runInNewContext } from 'node:vm';
import { startEngine } from '../../infra/local/dynamodb/engine.ts';
import { DomainError } from '../../shared/domain/errors.ts';
import { now } from '../../shared/lib/clock.ts';
import { base58 } from '../../shared/lib/random.ts';
import { retry } from '../../shared/lib/retry.ts';
import { createListIndex, type ListIndex } from '../../shared/list-index/list-index.ts';
import { createNameSearch } from '../../shared/list-index/name-search.ts';
import { createOrder } from '../../shared/list-index/order.ts';
import { type Row, rowFromWorkspace } from '../../shared/list-index/row.ts';
import { createRows } from '../../shared/list-index/rows.ts';
import { decodeSnapshot, encodeSnapshot, type Snapshot } from '../../shared/list-index/snapshot.ts';
import { pack, unpack } from '../../shared/list-index-snapshots/packing.ts';
import { openDirectory } from '../../shared/store/directory/directory-reader.ts';
import { openDatabase } from '../../shared/store/dynamodb/database.ts';
import { creationWrites } from '../../shared/store/items/workspace-writes.ts';
import { openListIndexes } from '../../shared/store/list-index/list-index-store.ts';
import { type Listed, readListIndex } from '../../shared/store/list-index/read-list-index.ts';
import { openAdmin } from '../support/api/admin.ts';
import { newWorkspace } from '../support/api/new-workspace.ts';
import { importItems } from '../support/engine/import-items.ts';
import { type Count, startCountingProxy } from '../support/faults/counting-proxy.ts';
import { scaleSeeds } from '../support/models/lists/list-scale.ts';
import { median } from './statistics.ts';

/**
 * Compares each part of the list index with its simple alternative, as ratios and counts, which hold on any machine. The
 * table in `shared/list-index/README.md` comes from here (`npm run prove -- list-index`).
 */

export interface ListIndexParts {
  readonly rows: number;
  /** Memory of the rows as columns with interned values, and as objects in a map, in bytes for each row. */
  readonly columnBytes: number;
  readonly objectBytes: number;
  /** Memory of the whole list index, in bytes for each row: columns, three orders, joined names. */
  readonly indexBytes: number;
  /** Distinct sets of tags. A filter by tags is evaluated once for each. */
  readonly tagSets: number;
  /** Comparisons to bring an order up to date after one change, and to sort all rows. */
  readonly mergeComparisons: number;
  readonly sortComparisons: number;
  /** Time of the same two, as a ratio. */
  readonly mergeTime: number;
  /** Time of a search in the joined names, as a ratio of the time of a search in each name in turn. */
  readonly searchTime: number;
  /** DynamoDB calls of a load of all rows, of a load from a snapshot, and of an update without changes. */
  readonly load: Count;
  readonly snapshotLoad: Count;
  readonly update: Count;
  /** Processor time of a load from a snapshot, as a ratio of the processor time of a load of all rows. */
  readonly snapshotTime: number;
  /** Size of the snapshot in the bucket. */
  readonly snapshotBytes: number;
}

const ORGANIZATION = 'acme';
const SHARDS = 4;
const TURNS = 15;
const LOADS = 3;
/** Small indexes are measured in copies with this many rows together, because a garbage collection is not exact. */
const MEASURED_ROWS = 100_000;

const parents = {
  projects: Array.from({ length: 100 }, () => `prj-${base58(16)}`),
  teams: Array.from({ length: 100 }, () => `team-${base58(16)}`),
};

function* workspaces(count: number) {
  for (const seed of scaleSeeds(count, parents, Date.now(), ORGANIZATION)) {
    const { organization, project, name } = seed;
    yield { ...newWorkspace({ organization, project }, { name }), ...seed };
  }
}

/** Each row has strings and objects of its own, as when it comes from DynamoDB. */
const rowsAsRead = (count: number): Row[] =>
  Array.from(workspaces(count), (workspace) => JSON.parse(JSON.stringify(rowFromWorkspace(workspace))));

const memory = (): number => {
  setFlagsFromString('--expose-gc');
  runInNewContext('gc')();
  const { heapUsed, arrayBuffers } = process.memoryUsage();
  return heapUsed + arrayBuffers;
};

/** Bytes for each row of what `create` returns from rows. */
const bytesPerRow = (count: number, create: (rows: readonly Row[]) => unknown): number => {
  const copies = Math.max(1, Math.round(MEASURED_ROWS / count));
  const before = memory();
  const kept = Array.from({ length: copies }, () => create(rowsAsRead(count)));
  const bytes = memory() - before;
  return bytes / copies / count / (kept.length === copies ? 1 : Number.NaN);
};

const timeOf = (work: () => unknown): number =>
  median(
    Array.from({ length: TURNS }, () => {
      const started = performance.now();
      work();
      return performance.now() - started;
    }),
  );

const compareTexts = (one: string, other: string): number => Number(one > other) - Number(one < other);
const everything = { everything: true, project: () => true, grants: () => true };

const fill = (rows: readonly Row[]): ListIndex => {
  const index = createListIndex();
  for (const row of rows) index.apply(row);
  for (const order of ['name', 'runAt', 'latestChangeAt'] as const) {
    index.select({ reading: everything, order, direction: 'ascending', from: 0, to: 20 });
  }
  return index;
};

const measureOrder = (rows: readonly Row[]) => {
  let comparisons = 0;
  const compare = (a: number, b: number): number => {
    comparisons++;
    return compareTexts(rows[a]?.name ?? '', rows[b]?.name ?? '');
  };
  const order = createOrder({ compare, compareEqual: () => 0, isAlive: () => true });
  const settle = (): void => order.visit('ascending', () => undefined);
  for (const slot of rows.keys()) order.markChanged(slot);
  settle();
  const counted = (work: () => unknown): number => {
    comparisons = 0;
    work();
    return comparisons;
  };
  const merge = (): void => {
    order.markChanged(Math.floor(rows.length / 2));
    settle();
  };
  const sort = (): unknown => Uint32Array.from(rows.keys()).sort(compare);
  return {
    mergeComparisons: counted(merge),
    sortComparisons: counted(sort),
    mergeTime: timeOf(merge) / timeOf(sort),
  };
};

const measureSearch = (rows: readonly Row[]): number => {
  const names = createNameSearch(
    (slot) => rows[slot]?.name ?? '',
    () => rows.length,
  );
  const joined = (): number => {
    let found = 0;
    names.search('prod-7', () => found++);
    return found;
  };
  const oneByOne = (): number => rows.filter(({ name }) => name.toLowerCase().includes('prod-7')).length;
  if (joined() !== oneByOne()) throw new Error('The two searches found different rows');
  return timeOf(joined) / timeOf(oneByOne);
};

const processorTime = async (work: () => Promise<unknown>): Promise<number> => {
  const times: number[] = [];
  for (let turn = 0; turn < LOADS; turn++) {
    const before = process.cpuUsage();
    await work();
    const { user, system } = process.cpuUsage(before);
    times.push(user + system);
  }
  return median(times);
};

const measureLoads = async (count: number) => {
  const folder = await mkdtemp(join(tmpdir(), 'holdfast-parts-'));
  const tableName = 'list-index-parts';
  function* items() {
    for (const workspace of workspaces(count)) {
      const [write] = creationWrites(workspace, SHARDS);
      if (write?.item !== undefined) yield write.item;
    }
  }
  const engine = await startEngine(await importItems(folder, tableName, items()));
  const proxy = await startCountingProxy(engine.endpoint);
  try {
    const credentials = { accessKeyId: 'local', secretAccessKey: 'local' };
    const open = (endpoint: string) =>
      openDatabase({ tableName, client: { endpoint, region: 'eu-central-1', credentials } });
    const database = open(engine.endpoint);
    await openAdmin(database).admin('create-organization', { name: ORGANIZATION, email: 'ada@example.com' });
    const organization = (await openDirectory(database, now).organizations.find(ORGANIZATION, true)) as Listed;

    // On a busy machine a page may exceed its time limit: the load is then measured again.
    const measured = <T>(work: () => Promise<T>): Promise<T> =>
      retry(work, { attempts: 5, retryOn: (error) => error instanceof DomainError && error.code === 'unavailable' });
    const at = now();
    const { contents } = await measured(() => readListIndex(database, organization, at));
    const snapshot: Snapshot = {
      organization: ORGANIZATION,
      externalId: organization.externalId,
      at,
      contents: contents(),
    };
    const object = await pack(encodeSnapshot(snapshot));
    const snapshots = {
      read: async () => decodeSnapshot((await unpack(Buffer.from(object))) as Uint8Array),
      request: async () => undefined,
    };
    const fromIndex = (endpoint: string) => openListIndexes(open(endpoint), now).open(organization);
    const fromSnapshot = (endpoint: string) =>
      openListIndexes(open(endpoint), now, { snapshots }).open({ ...organization, snapshotAt: at });

    const counted = async (work: () => Promise<ListIndex>): Promise<Count> => {
      const { result, count: calls } = await measured(() => proxy.count(work));
      if (result.size() !== count) throw new Error(`${result.size()} of ${count} rows were loaded`);
      return calls;
    };
    const kept = openListIndexes(open(proxy.endpoint), now);
    await measured(() => kept.open(organization));
    return {
      load: await counted(() => fromIndex(proxy.endpoint)),
      snapshotLoad: await counted(() => fromSnapshot(proxy.endpoint)),
      update: await counted(() => kept.open({ ...organization })),
      snapshotTime:
        (await processorTime(() => measured(() => fromSnapshot(engine.endpoint)))) /
        (await processorTime(() => measured(() => fromIndex(engine.endpoint)))),
      snapshotBytes: object.length,
    };
  } finally {
    await proxy.stop();
    await engine.stop();
    await rm(folder, { recursive: true });
  }
};

export const measureListIndexParts = async (count: number): Promise<ListIndexParts> => {
  const columnBytes = bytesPerRow(count, (rows) => {
    const columns = createRows();
    for (const row of rows) columns.put(row);
    return columns;
  });
  const objectBytes = bytesPerRow(count, (rows) => new Map(rows.map((row) => [row.id, row])));
  const indexBytes = bytesPerRow(count, fill);
  const rows = rowsAsRead(count);
  return {
    rows: count,
    columnBytes,
    objectBytes,
    indexBytes,
    tagSets: fill(rows).contents().rows.pools.labelSets.length,
    ...measureOrder(rows),
    searchTime: measureSearch(rows),
    ...(await measureLoads(count)),
  };
};

const number = (value: number): string => Math.round(value).toLocaleString('en-US');
const ratio = (value: number): string => value.toFixed(2);
const calls = ({ calls: count, readUnits }: Count): string => `${count} calls, ${number(readUnits)} units`;

/** Renders the comparison as a Markdown table, one column for each size. */
export const renderListIndexParts = (measured: readonly ListIndexParts[]): string[] => {
  const line = (title: string, cell: (parts: ListIndexParts) => string): string =>
    `| ${[title, ...measured.map(cell)].join(' | ')} |`;
  return [
    line('Rows', ({ rows }) => number(rows)),
    `| --- |${measured.map(() => ' ---: |').join('')}`,
    line('Bytes per row as objects in a map', ({ objectBytes }) => number(objectBytes)),
    line('Bytes per row as columns', ({ columnBytes }) => number(columnBytes)),
    line('Bytes per row of the whole list index', ({ indexBytes }) => number(indexBytes)),
    line('Distinct sets of tags', ({ tagSets }) => number(tagSets)),
    line('Comparisons to sort all rows', ({ sortComparisons }) => number(sortComparisons)),
    line('Comparisons to merge one change', ({ mergeComparisons }) => number(mergeComparisons)),
    line('Time to merge / time to sort', ({ mergeTime }) => ratio(mergeTime)),
    line('Time in joined names / name by name', ({ searchTime }) => ratio(searchTime)),
    line('List that reads all rows', ({ load }) => calls(load)),
    line('List that reads the changes (none)', ({ update }) => calls(update)),
    line('Load from a snapshot, without its GET', ({ snapshotLoad }) => calls(snapshotLoad)),
    line('CPU of a load from a snapshot / of all rows', ({ snapshotTime }) => ratio(snapshotTime)),
    line('Snapshot in the bucket', ({ snapshotBytes }) => `${number(snapshotBytes / 1000)} KB`),
  ];
};
