import { expect, it } from 'vitest';
import type { OperationMeasure } from '../../bench/measure-operations.ts';
import { plotOf, reportOf, sectionOf, withSection } from '../../bench/report.ts';
import type { BenchResults } from '../../bench/results.ts';
import { percentilesOf } from '../../bench/statistics.ts';
import { verdictsOf } from '../../bench/targets.ts';

const times = (p50: number, p99 = p50) => ({ p50, p95: p50, p99 });
const listTimes = (p50: number, p99: number, computing = times(4, 8)) => ({
  ...times(p50, p99),
  computing,
  slowest: { computing: 0.1, waiting: 0.7 },
});
const measure = (operation: string, size: number, given: Partial<OperationMeasure> = {}): OperationMeasure => ({
  operation,
  function: 'workspaces',
  size,
  unknownCaller: { calls: 5, rounds: 2, readUnits: 3, writeUnits: 0 },
  knownCaller: { calls: 3, rounds: 2, readUnits: 2, writeUnits: 0 },
  bytesOut: 3_590,
  events: 0,
  handler: times(3),
  floor: times(2.5),
  sdkFloor: times(4),
  computing: 2,
  httpComputing: { service: 5, engine: 1 },
  floorComputing: 1.5,
  stringifying: 0.05,
  http: times(4, 9),
  coldLoading: 50,
  coldAnswer: 40,
  memory: 100,
  ...given,
});

const start = { bytes: 1, gzipped: 1, modules: 1, importing: 30, process: 60 };
const results = (given: Partial<BenchResults> = {}): BenchResults => ({
  machine: { cores: 2, processor: 'a processor', node: '24.0.0' },
  seedingRate: 5_000,
  operations: ['show by id', 'lock or unlock', 'list, first page', 'search by wildcard', 'list consumers'].flatMap(
    (name) => [measure(name, 100), measure(name, 100_000, { handler: times(3.3) })],
  ),
  throughput: [],
  ratios: [{ operation: 'show by id', clients: 64, served: 480, bare: 535 }],
  burst: { size: 100_000, changes: 1_000, lists: 300, quiet: listTimes(5, 8), after: listTimes(6, 12) },
  listIndex: {
    rows: 100_000,
    snapshotMegabytes: 5,
    milliseconds: { floor: 2_000, index: 2_400, snapshot: 500 },
    cpuMilliseconds: { floor: 1_900, index: 2_300, snapshot: 450 },
    neededMegabytes: { floor: 90, index: 120, snapshot: 110 },
    takenMegabytes: { floor: 190, index: 220, snapshot: 210 },
  },
  coldStarts: {
    node: '24.0.0',
    rounds: 15,
    bare: { process: 40 },
    clients: start,
    functions: [{ ...start, name: 'workspaces', ratio: 1.2, target: 1.5, heaviest: [] }],
    firstRequests: [],
  },
  ...given,
});
const missed = (of: BenchResults): string[] => verdictsOf(of).flatMap(({ isMet, target }) => (isMet ? [] : [target]));

it('reports all benchmark targets as met when every ratio is within its limit', () => {
  expect(missed(results())).toEqual([]);
});

it.each<[string, Partial<BenchResults>, RegExp]>([
  [
    'the call count of a list grows with the number of workspaces',
    {
      operations: [
        ...results().operations,
        measure('list, last page', 100),
        measure('list, last page', 100_000, { knownCaller: { calls: 5, rounds: 2, readUnits: 2, writeUnits: 0 } }),
      ],
    },
    /^Additional calls of a list/,
  ],
  [
    'the duration of a list grows with the number of workspaces',
    {
      operations: [
        ...results().operations,
        measure('search by tags', 100),
        measure('search by tags', 100_000, { handler: times(7) }),
      ],
    },
    /^p50 of the slowest list/,
  ],
  [
    'lists are slow after a burst of changes',
    { burst: { ...results().burst, after: listTimes(6, 16) } },
    /^p99 of a list/,
  ],
  [
    'lists take much CPU time after a burst of changes',
    { burst: { ...results().burst, after: listTimes(6, 12, times(4, 13)) } },
    /^p99 of the CPU time/,
  ],
  [
    'the handler overhead exceeds half the duration of its DynamoDB calls',
    { operations: [...results().operations, measure('show by id', 1_000, { handler: times(4) })] },
    /^Overhead of `show by id`/,
  ],
  [
    'the CPU time of a list page exceeds fifteen times that of JSON.stringify',
    { operations: [...results().operations, measure('list, first page', 1_000, { computing: 2.5 })] },
    /^CPU time of a page/,
  ],
  [
    'the throughput of the service is far below that of the bare calls',
    { ratios: [{ operation: 'lock or unlock', clients: 64, served: 100, bare: 200 }] },
    /^Throughput of `lock or unlock` with 64 HTTP clients/,
  ],
  [
    'loading from a snapshot is too slow',
    { listIndex: { ...results().listIndex, milliseconds: { floor: 2_000, index: 2_400, snapshot: 700 } } },
    /^Loading a list index of 100,000 rows from a snapshot/,
  ],
  [
    'loading a list index needs too much memory',
    { listIndex: { ...results().listIndex, neededMegabytes: { floor: 90, index: 151, snapshot: 110 } } },
    /^Peak memory/,
  ],
  [
    'importing a bundle is too slow',
    {
      coldStarts: {
        ...results().coldStarts,
        functions: [{ ...start, name: 'integrations', ratio: 2.6, target: 2.5, heaviest: [] }],
      },
    },
    /^Importing `integrations`/,
  ],
])('reports a missed benchmark target when %s', (_, given, target) => {
  expect(missed(results(given))).toEqual([expect.stringMatching(target)]);
});

it('shows the change from the smallest to the largest organization for each operation', () => {
  const section = sectionOf(results(), 'plot.svg');
  expect(section).toContain('| show by id | 5, 2 | 3, 0 | 3.59 | 3 → 3.3 | 1.2 → 1.32; 0.75 → 0.825 | 4 / 9 |');
  expect(section).toContain('![Duration and cost of operations by organization size](plot.svg)');
  expect(reportOf(results(), ['## A part'])).toContain('\n## A part\n');
});

it('draws one line per operation with one point per organization size', () => {
  const picture = plotOf(results());
  expect(picture).toContain('<title>Duration and cost of operations');
  expect(picture.match(/<polyline /g)).toHaveLength(10);
  expect(picture.match(/<circle /g)).toHaveLength(20);
  expect(picture).not.toContain('NaN');
});

it('replaces only the marked section of the benchmark page', () => {
  const page = 'before\n\n<!-- bench: made -->\n\nold\n\n<!-- end of bench -->\n\nafter\n';
  expect(withSection(page, 'new $& one')).toBe(page.replace('old', () => 'new $& one'));
  expect(() => withSection('nothing', 'new')).toThrow(/no section/);
});

it('computes percentiles from unsorted values', () => {
  expect(percentilesOf(Array.from({ length: 100 }, (_, index) => 100 - index))).toEqual({ p50: 51, p95: 96, p99: 100 });
});
