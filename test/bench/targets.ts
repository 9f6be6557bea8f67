import { SNAPSHOT_ROWS } from '../../shared/store/list-index/list-index-store.ts';
import type { ListIndexLoad } from './list-index-load.ts';
import type { BenchResults } from './results.ts';

/** Result of one target: the measured value, and the limit that it must meet. */
export interface Verdict {
  readonly target: string;
  readonly measured: number;
  readonly atMost?: number;
  readonly atLeast?: number;
  readonly isMet: boolean;
}

const most = (target: string, measured: number, atMost: number): Verdict => ({
  target,
  measured,
  atMost,
  isMet: measured <= atMost,
});
const least = (target: string, measured: number, atLeast: number): Verdict => ({
  target,
  measured,
  atLeast,
  isMet: measured >= atLeast,
});

const isList = (operation: string): boolean => /^(list, |search |filter )/.test(operation);

/** Evaluates the targets. Most are ratios of values measured in the same run, so that they hold on any machine. */
export const verdictsOf = ({ operations, ratios, burst, listIndex, coldStarts }: BenchResults): Verdict[] => {
  const sizes = [...new Set(operations.map(({ size }) => size))].sort((a, b) => a - b);
  const [smallest = 0, largest = 0] = [sizes[0], sizes.at(-1)];
  const at = (size: number) => operations.filter((one) => one.size === size);
  const listsAt = (size: number) => at(size).filter(({ operation }) => isList(operation));
  const ofSame = (operation: string, size: number) => at(size).find((one) => one.operation === operation);
  const n = (size: number): string => size.toLocaleString('en-US');

  return [
    ...(['calls', 'readUnits'] as const).map((count) =>
      most(
        `Additional ${count === 'calls' ? 'calls' : 'read units'} of a list at ${n(largest)} workspaces, compared with ${n(smallest)}`,
        Math.max(
          ...listsAt(largest).map(
            (one) => one.knownCaller[count] - (ofSame(one.operation, smallest)?.knownCaller[count] ?? Number.NaN),
          ),
        ),
        1,
      ),
    ),
    most(
      `p50 of the slowest list at ${n(largest)} workspaces, relative to ${n(smallest)}`,
      Math.max(
        ...listsAt(largest).map(
          (one) => one.handler.p50 / (ofSame(one.operation, smallest)?.handler.p50 ?? Number.NaN),
        ),
      ),
      2,
    ),
    most(
      `p99 of a list at ${n(burst.size)} workspaces after ${n(burst.changes)} changes, relative to p50 before`,
      burst.after.p99 / burst.quiet.p50,
      3,
    ),
    most(
      'p99 of the CPU time of such a list in the thread that handles it, relative to p50 before',
      burst.after.computing.p99 / burst.quiet.computing.p50,
      3,
    ),
    ...(['show by id', 'lock or unlock'] as const).map((operation) =>
      most(
        `Overhead of \`${operation}\` relative to its bare calls, worst size`,
        Math.max(
          ...operations
            .filter((one) => one.operation === operation)
            .map(({ handler, floor }) => (handler.p50 - floor.p50) / floor.p50),
        ),
        0.5,
      ),
    ),
    most(
      'CPU time of a page of 20 without its bare calls, relative to `JSON.stringify` of the page',
      Math.max(
        ...operations
          .filter(({ operation }) => operation === 'list, first page')
          .map(({ computing, floorComputing, stringifying }) => (computing - floorComputing) / stringifying),
      ),
      15,
    ),
    ...ratios.map(({ operation, clients, served, bare }) =>
      least(
        `Throughput of \`${operation}\` with ${clients} HTTP clients, relative to its bare calls`,
        served / bare,
        0.6,
      ),
    ),
    ...listIndexVerdicts(listIndex),
    ...[...Map.groupBy(coldStarts.functions, ({ target }) => target)].map(([target, functions]) => {
      const { name, ratio } = functions.reduce((worst, one) => (one.ratio > worst.ratio ? one : worst));
      return most(`Importing \`${name}\`, relative to importing the two DynamoDB clients`, ratio, target);
    }),
  ];
};

const listIndexVerdicts = ({ rows, milliseconds, neededMegabytes }: ListIndexLoad): Verdict[] => {
  // Smaller list indexes have no snapshot.
  if (rows <= SNAPSHOT_ROWS) return [];
  const what = `of ${rows.toLocaleString('en-US')} rows`;
  return [
    most(
      `Loading a list index ${what} from the index, relative to reading the rows with the SDK`,
      milliseconds.index / milliseconds.floor,
      1.5,
    ),
    most(
      `Loading a list index ${what} from a snapshot, relative to reading the rows with the SDK`,
      milliseconds.snapshot / milliseconds.floor,
      0.3,
    ),
    most(
      `Peak memory for loading a list index ${what}, MB`,
      Math.max(neededMegabytes.index, neededMegabytes.snapshot),
      150,
    ),
  ];
};
