import { fork } from 'node:child_process';
import { once } from 'node:events';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { startEngine } from '../../infra/local/dynamodb/engine.ts';
import { base58 } from '../../shared/lib/random.ts';
import { openDatabase } from '../../shared/store/dynamodb/database.ts';
import { creationWrites } from '../../shared/store/items/workspace-writes.ts';
import { openAdmin } from '../support/api/admin.ts';
import { startBucket } from '../support/api/bucket.ts';
import { newWorkspace } from '../support/api/new-workspace.ts';
import { importItems } from '../support/engine/import-items.ts';
import { scaleSeeds } from '../support/models/lists/list-scale.ts';
import { median } from './statistics.ts';

/** Measures the load of the list index before the first list of an instance: from the index, and from a snapshot. */

/**
 * Sources of the rows: bare SDK queries of the index (the floor), the index, or a snapshot and the changes since then.
 */
export const loads = ['floor', 'index', 'snapshot'] as const;
export type Load = (typeof loads)[number];

export interface ListIndexLoad {
  readonly rows: number;
  /** Size of the object in the bucket. */
  readonly snapshotMegabytes: number;
  /** Median duration in milliseconds. The kinds of load alternate. */
  readonly milliseconds: Readonly<Record<Load, number>>;
  /** Median processor time in milliseconds, without that of the engine and the bucket. */
  readonly cpuMilliseconds: Readonly<Record<Load, number>>;
  /** Peak memory growth of a process in megabytes with a small V8 heap, which forces early garbage collection. */
  readonly neededMegabytes: Readonly<Record<Load, number>>;
  /** Peak memory growth in megabytes with the heap size of the function, where V8 collects garbage later. */
  readonly takenMegabytes: Readonly<Record<Load, number>>;
}

/** Task of the child process that loads list indexes. */
export interface LoadingTask {
  readonly endpoint: string;
  readonly tableName: string;
  readonly bucket: string;
  readonly organization: string;
  readonly loads: readonly Load[];
  readonly turns: number;
}

/** Result of the child process: one entry for each load. */
export type Loaded = readonly {
  readonly load: Load;
  readonly rows: number;
  readonly milliseconds: number;
  readonly cpuMilliseconds: number;
  /** Peak memory minus the memory of the process before its first load. */
  readonly peakMegabytes: number;
}[];

const ORGANIZATION = 'acme';
const SHARDS = 4;
/** V8 heap sizes: about that of a function with 1,024 MB, and the smallest that makes no load slower. */
const USUAL_HEAP = ['--max-old-space-size=512'];
const SMALL_HEAP = ['--max-old-space-size=128', '--max-semi-space-size=8'];
const child = fileURLToPath(new URL('list-index-load-child.ts', import.meta.url));

const runChild = async (
  task: LoadingTask,
  environment: Readonly<Record<string, string>>,
  execArgv = USUAL_HEAP,
): Promise<Loaded> => {
  const running = fork(child, {
    execArgv,
    env: { ...process.env, ...environment },
  });
  running.send(task);
  const [answer] = await Promise.race([once(running, 'message'), once(running, 'exit')]);
  if (!Array.isArray(answer)) throw new Error('The process that loads list indexes ended');
  return answer as Loaded;
};

const byLoad = (of: (load: Load) => number): Record<Load, number> =>
  Object.fromEntries(loads.map((load) => [load, of(load)])) as Record<Load, number>;

/** Generates the items that lists of an organization of this size read. */
function* itemsOf(workspaces: number) {
  const parents = {
    projects: Array.from({ length: 10 }, () => `prj-${base58(16)}`),
    teams: Array.from({ length: 20 }, () => `team-${base58(16)}`),
  };
  for (const seed of scaleSeeds(workspaces, parents, Date.now(), ORGANIZATION)) {
    const { organization, project, name } = seed;
    const [write] = creationWrites({ ...newWorkspace({ organization, project }, { name }), ...seed }, SHARDS);
    if (write?.item !== undefined) yield write.item;
  }
}

export const measureListIndexLoad = async (workspaces = 100_000, turns = 7): Promise<ListIndexLoad> => {
  const folder = await mkdtemp(join(tmpdir(), 'holdfast-load-'));
  const bucket = await startBucket();
  const tableName = 'list-index-load';
  const engine = await startEngine(await importItems(folder, tableName, itemsOf(workspaces)));
  try {
    const environment = {
      AWS_REGION: 'eu-central-1',
      AWS_ACCESS_KEY_ID: 'local',
      AWS_SECRET_ACCESS_KEY: 'local',
      AWS_ENDPOINT_URL_S3: bucket.endpoint,
      AWS_ENDPOINT_URL_DYNAMODB: engine.endpoint,
      // A closed port. The snapshot is new, so no other one is requested.
      AWS_ENDPOINT_URL_LAMBDA: 'http://127.0.0.1:9',
      POWERTOOLS_LOG_LEVEL: 'SILENT',
    };
    const credentials = { accessKeyId: 'local', secretAccessKey: 'local' };
    const client = { endpoint: engine.endpoint, region: environment.AWS_REGION, credentials };
    const { admin } = openAdmin(openDatabase({ tableName, client }));
    await admin('create-organization', { name: ORGANIZATION, email: 'ada@example.com' });

    const task = { endpoint: engine.endpoint, tableName, bucket: bucket.name, organization: ORGANIZATION };
    const alternating = await runChild({ ...task, loads, turns }, environment);
    const peaks = async (heap: string[]): Promise<Map<Load, number>> => {
      const found = new Map<Load, number>();
      for (const load of loads) {
        const [one] = await runChild({ ...task, loads: [load], turns: 1 }, environment, heap);
        found.set(load, one?.peakMegabytes ?? Number.NaN);
      }
      return found;
    };
    const [needed, taken] = [await peaks(SMALL_HEAP), await peaks(USUAL_HEAP)];
    const rows = new Set(alternating.map((turn) => turn.rows));
    if (rows.size !== 1) throw new Error(`The loads found ${[...rows].join(' and ')} rows`);
    const of = (load: Load) => alternating.filter((turn) => turn.load === load);
    return {
      rows: workspaces,
      snapshotMegabytes: (bucket.objects().get(`catalogues/${ORGANIZATION}`)?.length ?? 0) / 1e6,
      milliseconds: byLoad((load) => median(of(load).map(({ milliseconds }) => milliseconds))),
      cpuMilliseconds: byLoad((load) => median(of(load).map(({ cpuMilliseconds }) => cpuMilliseconds))),
      neededMegabytes: byLoad((load) => needed.get(load) ?? Number.NaN),
      takenMegabytes: byLoad((load) => taken.get(load) ?? Number.NaN),
    };
  } finally {
    await engine.stop();
    await bucket.stop();
    await rm(folder, { recursive: true });
  }
};

const names: Readonly<Record<Load, string>> = {
  floor: 'the SDK alone, in parallel',
  index: 'from the index',
  snapshot: 'from a snapshot',
};

export const renderListIndexLoad = (measured: ListIndexLoad): string[] => {
  const { rows, milliseconds, cpuMilliseconds, neededMegabytes, takenMegabytes, snapshotMegabytes } = measured;
  const times = (part: number): string => `${part.toFixed(2)} x`;
  return [
    `${rows.toLocaleString('en-US')} rows, a snapshot of ${snapshotMegabytes.toFixed(1)} MB:`,
    '',
    '| First list of an instance | ms | Relative to the SDK alone | CPU ms | MB needed | MB used with 1,024 MB |',
    '| --- | --- | --- | --- | --- | --- |',
    ...loads.map((load) => {
      const of = [
        names[load],
        milliseconds[load].toFixed(0),
        times(milliseconds[load] / milliseconds.floor),
        cpuMilliseconds[load].toFixed(0),
        neededMegabytes[load].toFixed(0),
        takenMegabytes[load].toFixed(0),
      ];
      return `| ${of.join(' | ')} |`;
    }),
  ];
};
