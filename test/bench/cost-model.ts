import { memoryMegabytes } from '../../infra/constructs/function.ts';
import type { FunctionName } from '../../shared/runtime/environment.ts';
import { type OperationName, operations, SOMEBODY } from './demand.ts';
import { add, type Cost, costOf, type Quantities, times } from './prices.ts';

/** What operations cost, from what they were counted to take. */

/** One call of an operation, as it was measured; warm, the caller not remembered. */
export interface MeasuredOperation {
  readonly operation: string;
  readonly function: FunctionName;
  readonly readUnits: number;
  readonly writeUnits: number;
  /** How often the function waits for DynamoDB. */
  readonly rounds: number;
  /** To DynamoDB. */
  readonly calls: number;
  readonly bytesOut: number;
  /** The function's own time, that of DynamoDB taken out. */
  readonly milliseconds: number;
  /** That it puts on the bus, sooner or later. */
  readonly events: number;
  /** What brings it, if not the API: an event of a runner, or one of the bucket, which is not charged. */
  readonly via?: 'bus' | 'bucket';
}

/** What measuring on one computer cannot tell; every figure can be replaced. */
export interface Assumptions {
  /** That DynamoDB takes to answer a round, in milliseconds. */
  readonly roundMilliseconds: number;
  /** That a request leaves in the logs of its function, of Lambda itself and of the API. */
  readonly logBytes: number;
  /** Of an event, in the archive. */
  readonly eventBytes: number;
  /** Changes that are published by one invocation, and what it takes for them, in milliseconds. */
  readonly publishBatch: number;
  readonly publishMilliseconds: number;
  /** Of the requests, those that are traced: beyond one a second X-Ray takes one in twenty. */
  readonly tracedPart: number;
  /** Requests of DynamoDB to the table's key for a call: it keeps it for minutes. */
  readonly keyRequestsPerCall: number;
}

export const assumptions: Assumptions = {
  roundMilliseconds: 5,
  logBytes: 1_600,
  eventBytes: 1_500,
  publishBatch: 1,
  publishMilliseconds: 30,
  tracedPart: 0.05,
  keyRequestsPerCall: 0.001,
};

const GIGABYTE = 10 ** 9;
const MILLION = 1_000_000;

const gigabyteSeconds = (name: FunctionName, milliseconds: number): number =>
  (memoryMegabytes(name) / 1_024) * (milliseconds / 1_000);

/** What is charged for one event: put on the bus by the publisher, and archived. */
const eventQuantities = (assumed: Assumptions): Quantities => ({
  customEvents: 1,
  archiving: assumed.eventBytes / GIGABYTE,
  invocations: 1 / assumed.publishBatch,
  computing: gigabyteSeconds('publish', assumed.publishMilliseconds) / assumed.publishBatch,
  logs: assumed.logBytes / GIGABYTE / assumed.publishBatch,
  traces: assumed.tracedPart / assumed.publishBatch,
});

/** All that is charged for one call. */
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
      traces: assumed.tracedPart,
    },
    via === undefined ? { httpRequests: 1, bytesOut: bytesOut / GIGABYTE } : {},
    via === 'bus' ? { customEvents: 1, archiving: assumed.eventBytes / GIGABYTE } : {},
    times(eventQuantities(assumed), events),
  );
};

/** Dollars for a million calls. */
export const costOfMillion = (measured: MeasuredOperation, assumed: Assumptions = assumptions): Cost =>
  costOf(times(quantitiesOf(measured, assumed), MILLION));

/** What happens to a workspace on an ordinary day, on average: so many calls of each operation. */
export type DailyLoad = Readonly<Record<string, number>>;

/**
 * A team's workspace: two runs a day (plan and apply, five statuses each), which look at the workspace, its variables and
 * its state, lock it, write one state and unlock it; somebody who looks; a list now and then; a tag or a setting a week.
 */
export const dailyLoad: DailyLoad = {
  'show by id': 20,
  'show by name': 4,
  list: 2,
  variables: 4,
  lock: 2,
  unlock: 2,
  'a state version': 2,
  'a state taken in': 2,
  'a report of a run': 10,
  'update of what lists do not show': 0.15,
  'a tag': 0.15,
  'a variable': 0.15,
  create: 0.01,
};

/** Days of an average month. */
export const MONTH_DAYS = 365 / 12;

/** What a workspace keeps, in bytes: its items, a few variables and past versions, and the states in the bucket. */
const STORED = { table: 20_000, objects: 500_000, statesADay: 2 };

/**
 * A month of so many workspaces.
 * @throws RangeError for an operation of the load that was not measured.
 */
export const monthly = (
  workspaces: number,
  measured: readonly MeasuredOperation[],
  load: DailyLoad = dailyLoad,
  assumed: Assumptions = assumptions,
): Quantities => {
  const calls = Object.entries(load).map(([name, count]) => {
    const operation = measured.find((one) => one.operation === name);
    if (operation === undefined) throw new RangeError(`${name} is in the load and was not measured`);
    return times(quantitiesOf(operation, assumed), count * workspaces * MONTH_DAYS);
  });
  const stored = {
    tableStorage: (workspaces * STORED.table) / GIGABYTE,
    recovery: (workspaces * STORED.table) / GIGABYTE,
    objectStorage: (workspaces * STORED.objects) / GIGABYTE,
    objectWrites: workspaces * STORED.statesADay * MONTH_DAYS,
    // Read once to be taken in, and once by the next run.
    objectReads: 2 * workspaces * STORED.statesADay * MONTH_DAYS,
  };
  return add(stored, ...calls);
};

/** What the demand model leaves open, where nothing was measured: rounds as the budgets have them, times for a guess. */
const unmeasured: Readonly<
  Record<
    Exclude<OperationName, 'a run that postpones auto-destroy'>,
    Pick<MeasuredOperation, 'function' | 'rounds' | 'events' | 'via'>
  >
> = {
  'show by id': { function: 'workspaces', rounds: 2, events: 0 },
  'show by name': { function: 'workspaces', rounds: 2, events: 0 },
  lock: { function: 'workspace-locks', rounds: 3, events: 1 },
  unlock: { function: 'workspace-locks', rounds: 3, events: 1 },
  'update of what lists do not show': { function: 'workspaces', rounds: 3, events: 1 },
  'a tag': { function: 'workspace-tags', rounds: 3, events: 1 },
  create: { function: 'workspaces', rounds: 3, events: 1 },
  variables: { function: 'variables', rounds: 2, events: 0 },
  'a variable': { function: 'variables', rounds: 3, events: 1 },
  'a state version': { function: 'state-versions', rounds: 3, events: 1 },
  'a report of a run': { function: 'ingest', rounds: 2, events: 1, via: 'bus' },
};
const OWN_MILLISECONDS = 5;
/** To read an ordinary state from the bucket. */
const STATE_MILLISECONDS = 100;
const BYTES_OUT = 3_000;
const PAGE_BYTES = 40_000;

/** The operations of the demand model, a page of a list, and an upload that is taken in. */
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
  const takenIn: MeasuredOperation = {
    operation: 'a state taken in',
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
  return [...others, page, takenIn];
};

/** The names by which `npm run bench` measures them, where they differ. */
const measuredAs: Readonly<Record<string, string>> = {
  lock: 'lock or unlock',
  unlock: 'lock or unlock',
  list: 'list, first page',
  variables: 'list variables',
  'a variable': 'create a variable',
  'update of what lists do not show': 'update',
};

/** The estimates, with what was measured in their place as far as it was. */
export const withMeasured = (measured: readonly MeasuredOperation[]): MeasuredOperation[] =>
  estimatedOperations().map((estimate) => {
    const { operation } = estimate;
    const found = measured.find((one) => one.operation === (measuredAs[operation] ?? operation));
    return found === undefined ? estimate : { ...found, operation };
  });
