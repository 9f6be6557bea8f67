import { memoryMegabytes } from '../../infra/constructs/function.ts';
import type { FunctionName } from '../../shared/runtime/environment.ts';
import { type OperationName, operations, SOMEBODY } from './demand.ts';
import { add, type Cost, costOf, type Quantities, times } from './prices.ts';

/** Computes the cost of operations from their measured or estimated resource use. */

/** Resource use of one call of an operation by a warm function and a caller that is not cached. */
export interface MeasuredOperation {
  readonly operation: string;
  readonly function: FunctionName;
  readonly readUnits: number;
  readonly writeUnits: number;
  /** Number of groups of parallel calls to DynamoDB. */
  readonly rounds: number;
  /** Calls to DynamoDB. */
  readonly calls: number;
  /** Bytes that the client receives. */
  readonly bytesOut: number;
  /** Duration of the function without the time of DynamoDB. */
  readonly milliseconds: number;
  /** Events that are published for the call. */
  readonly events: number;
  /** Trigger other than the API: an event of a runner, or an event of the bucket. */
  readonly via?: 'bus' | 'bucket';
}

/** Values that cannot be measured on one computer. Callers can replace each of them. */
export interface Assumptions {
  /** Time that DynamoDB takes for one round, in milliseconds. */
  readonly roundMilliseconds: number;
  /** Bytes of log per request: logs of the function, of Lambda and of the API. */
  readonly logBytes: number;
  /** Bytes of one event in the archive. */
  readonly eventBytes: number;
  /** Changes per invocation of `publish` and `record-history`, and the duration of an invocation of `publish` in milliseconds. */
  readonly publishBatch: number;
  readonly publishMilliseconds: number;
  /** Write units of the history for each change: the entry and its pointer; and the duration of their invocation. */
  readonly historyWriteUnits: number;
  readonly historyMilliseconds: number;
  /** KMS requests of DynamoDB per call. DynamoDB caches the table key for minutes. */
  readonly keyRequestsPerCall: number;
}

export const assumptions: Assumptions = {
  roundMilliseconds: 5,
  logBytes: 1_600,
  eventBytes: 1_500,
  publishBatch: 1,
  publishMilliseconds: 30,
  historyWriteUnits: 2,
  historyMilliseconds: 30,
  keyRequestsPerCall: 0.001,
};

const GIGABYTE = 10 ** 9;
const MILLION = 1_000_000;

const gigabyteSeconds = (name: FunctionName, milliseconds: number): number =>
  (memoryMegabytes(name) / 1_024) * (milliseconds / 1_000);

/** Computes the billed quantities of one change after its response: publishing, bus, archive and history. */
const changeQuantities = (assumed: Assumptions): Quantities => ({
  customEvents: 1,
  archiving: assumed.eventBytes / GIGABYTE,
  invocations: 2 / assumed.publishBatch,
  computing:
    (gigabyteSeconds('publish', assumed.publishMilliseconds) +
      gigabyteSeconds('record-history', assumed.historyMilliseconds)) /
    assumed.publishBatch,
  writeUnits: assumed.historyWriteUnits,
  logs: (2 * assumed.logBytes) / GIGABYTE / assumed.publishBatch,
});

/** Computes the billed quantities of one call. */
export const quantitiesOf = (measured: MeasuredOperation, assumed: Assumptions = assumptions): Quantities => {
  const { readUnits, writeUnits, rounds, calls, bytesOut, milliseconds, events, via } = measured;
  const billed = milliseconds + rounds * assumed.roundMilliseconds;
  return add(
    {
      readUnits,
      writeUnits,
      invocations: 1,
      computing: gigabyteSeconds(measured.function, billed),
      keyRequests: calls * assumed.keyRequestsPerCall,
      logs: assumed.logBytes / GIGABYTE,
    },
    via === undefined ? { httpRequests: 1, bytesOut: bytesOut / GIGABYTE } : {},
    via === 'bus' ? { customEvents: 1, archiving: assumed.eventBytes / GIGABYTE } : {},
    via === 'bucket' ? { bucketEvents: 1 } : {},
    times(changeQuantities(assumed), events),
  );
};

/** Computes the cost of a million calls in US dollars. */
export const costOfMillion = (measured: MeasuredOperation, assumed: Assumptions = assumptions): Cost =>
  costOf(times(quantitiesOf(measured, assumed), MILLION));

/** Average number of calls per operation and day for one workspace. */
export type DailyLoad = Readonly<Record<string, number>>;

/**
 * Load of an average workspace: two runs per day (plan and apply, five statuses each) that read the workspace, its
 * variables and its state, lock it, write one state and unlock it; occasional reads and lists; one change of a tag or a
 * setting per week.
 */
export const dailyLoad: DailyLoad = {
  'show by id': 20,
  'show by name': 4,
  list: 2,
  'list variables': 4,
  lock: 2,
  unlock: 2,
  'create state version': 2,
  'process uploaded state': 2,
  'run report': 10,
  'update without listed change': 0.15,
  'add tag': 0.15,
  'create variable': 0.15,
  create: 0.01,
};

/** Days of an average month. */
export const MONTH_DAYS = 365 / 12;

/** Storage of one workspace in bytes: its items with variables and past versions, and its states in the bucket. */
const STORED = { table: 20_000, objects: 500_000, statesADay: 2 };

/**
 * Computes the billed quantities of a month.
 * @throws RangeError when an operation of the load has no measurement.
 */
export const monthly = (
  workspaces: number,
  measured: readonly MeasuredOperation[],
  load: DailyLoad = dailyLoad,
  assumed: Assumptions = assumptions,
): Quantities => {
  const calls = Object.entries(load).map(([name, count]) => {
    const operation = measured.find((one) => one.operation === name);
    if (operation === undefined) throw new RangeError(`${name} is in the load but has no measurement`);
    return times(quantitiesOf(operation, assumed), count * workspaces * MONTH_DAYS);
  });
  const stored = {
    tableStorage: (workspaces * STORED.table) / GIGABYTE,
    recovery: (workspaces * STORED.table) / GIGABYTE,
    objectStorage: (workspaces * STORED.objects) / GIGABYTE,
    objectWrites: workspaces * STORED.statesADay * MONTH_DAYS,
    // `state-content` reads each state once, and the next run reads it once.
    objectReads: 2 * workspaces * STORED.statesADay * MONTH_DAYS,
  };
  return add(stored, ...calls);
};

/** Fraction of the requests after the first one in a second that X-Ray traces. */
const SAMPLED_PART = 0.05;

/**
 * Estimates how many requests of a function X-Ray traces in a month: the first one in each second, and one in twenty of
 * the others. Requests arrive at random times. At low traffic nearly every request is the first one in its second.
 */
export const tracedRequests = (requests: number): number => {
  const seconds = MONTH_DAYS * 24 * 60 * 60;
  const first = seconds * (1 - Math.exp(-requests / seconds));
  return first + SAMPLED_PART * (requests - first);
};

/** Estimates the invocations and the traces of a month where the setting `tracing` is on. */
export const monthlyTraces = (
  workspaces: number,
  measured: readonly MeasuredOperation[],
  load: DailyLoad = dailyLoad,
): { readonly invocations: number; readonly traces: number } => {
  const calls = new Map<FunctionName, number>();
  const count = (name: FunctionName, number: number) => calls.set(name, (calls.get(name) ?? 0) + number);
  for (const { operation, function: name, events } of measured) {
    const monthlyCalls = (load[operation] ?? 0) * workspaces * MONTH_DAYS;
    count(name, monthlyCalls);
    for (const reader of ['publish', 'record-history'] as const) count(reader, events * monthlyCalls);
  }
  const sum = (each: (number: number) => number) =>
    [...calls.values()].map(each).reduce((one, other) => one + other, 0);
  return { invocations: sum((number) => number), traces: sum(tracedRequests) };
};

/** Values that the demand model lacks. The numbers of rounds are those of the budget tests. */
const unmeasured: Readonly<
  Record<
    Exclude<OperationName, 'run report that postpones auto-destroy'>,
    Pick<MeasuredOperation, 'function' | 'rounds' | 'events' | 'via'>
  >
> = {
  'show by id': { function: 'workspaces', rounds: 2, events: 0 },
  'show by name': { function: 'workspaces', rounds: 2, events: 0 },
  lock: { function: 'workspace-locks', rounds: 3, events: 1 },
  unlock: { function: 'workspace-locks', rounds: 3, events: 1 },
  'update without listed change': { function: 'workspaces', rounds: 3, events: 1 },
  'add tag': { function: 'workspace-tags', rounds: 3, events: 1 },
  create: { function: 'workspaces', rounds: 3, events: 1 },
  'list variables': { function: 'variables', rounds: 2, events: 0 },
  'create variable': { function: 'variables', rounds: 3, events: 1 },
  'create state version': { function: 'state-versions', rounds: 3, events: 1 },
  'run report': { function: 'ingest', rounds: 2, events: 1, via: 'bus' },
};
const OWN_MILLISECONDS = 5;
/** Time to read and process an average state from the bucket. */
const STATE_MILLISECONDS = 100;
/** Bytes of a response and of a page of 20 workspaces, as clients that accept gzip receive them (decision 0044). */
const BYTES_OUT = 1_200;
const PAGE_BYTES = 3_600;
/** Bytes of that page for other clients. */
const PLAIN_PAGE_BYTES = 66_000;

/** Estimates the operations of the demand model, a list page, and the processing of an uploaded state. */
export const estimatedOperations = (): MeasuredOperation[] => {
  const sum = (name: OperationName, unit: 'readUnits' | 'writeUnits'): number =>
    operations[name](SOMEBODY).reduce((total, part) => total + part[unit], 0);
  const page: MeasuredOperation = {
    operation: 'list',
    function: 'workspace-list',
    readUnits: 13.5,
    writeUnits: 0,
    rounds: 3,
    calls: 8,
    bytesOut: PAGE_BYTES,
    milliseconds: 2 * OWN_MILLISECONDS,
    events: 0,
  };
  const processed: MeasuredOperation = {
    operation: 'process uploaded state',
    function: 'state-content',
    readUnits: 2,
    writeUnits: 8,
    rounds: 2,
    calls: 3,
    bytesOut: 0,
    milliseconds: STATE_MILLISECONDS,
    events: 1,
    via: 'bucket',
  };
  const others = (Object.keys(unmeasured) as (keyof typeof unmeasured)[]).map((name) => ({
    operation: name,
    ...unmeasured[name],
    readUnits: sum(name, 'readUnits'),
    writeUnits: sum(name, 'writeUnits'),
    calls: 6,
    bytesOut: BYTES_OUT,
    milliseconds: OWN_MILLISECONDS,
  }));
  const plainPage = { ...page, operation: 'list without compression', bytesOut: PLAIN_PAGE_BYTES };
  return [...others, page, plainPage, processed];
};

/** Maps names of the cost model to names of the benchmark where they differ. */
const measuredAs: Readonly<Record<string, string>> = {
  lock: 'lock or unlock',
  unlock: 'lock or unlock',
  list: 'list, first page',
  'update without listed change': 'update',
};

/** Replaces estimates with measurements where they exist. */
export const withMeasured = (measured: readonly MeasuredOperation[]): MeasuredOperation[] =>
  estimatedOperations().map((estimate) => {
    const { operation } = estimate;
    const found = measured.find((one) => one.operation === (measuredAs[operation] ?? operation));
    return found === undefined ? estimate : { ...found, operation };
  });
