import { markdownTable } from '../support/docs/generated-tables.ts';
import type { MeasuredOperation } from './cost-model.ts';
import { costOfMillion } from './cost-model.ts';
import type { OperationMeasure } from './measure-operations.ts';
import { type Chart, svgOf } from './plot.ts';
import type { BenchResults } from './results.ts';
import { type Verdict, verdictsOf } from './targets.ts';

/** Renders the results of a benchmark run as Markdown and SVG. */

/** Formats a number with three significant digits. */
const short = (value: number): string =>
  value >= 100 ? Math.round(value).toLocaleString('en-US') : String(Number(value.toPrecision(3)));
const count = (value: number): string => value.toLocaleString('en-US');
const pair = (from: number, to: number): string =>
  short(from) === short(to) ? short(from) : `${short(from)} → ${short(to)}`;

const sizesOf = ({ operations }: BenchResults): number[] =>
  [...new Set(operations.map(({ size }) => size))].sort((a, b) => a - b);

/** Converts a measurement to the input of the cost model, for a caller that is not cached. */
const priced = ({
  operation,
  function: name,
  unknownCaller,
  bytesOut,
  compressed,
  handler,
  floor,
  events,
}: OperationMeasure): MeasuredOperation => ({
  operation,
  function: name,
  ...unknownCaller,
  bytesOut: compressed?.bytesOut ?? bytesOut,
  milliseconds: Math.max(0, handler.p50 - floor.p50),
  events,
});

/** Renders one row per operation, from the smallest to the largest size. */
const summaryOf = (results: BenchResults): string[] => {
  const sizes = sizesOf(results);
  const [smallest = 0, largest = 0] = [sizes[0], sizes.at(-1)];
  const at = (operation: string, size: number) =>
    results.operations.find((one) => one.operation === operation && one.size === size);
  const names = [...new Set(results.operations.map(({ operation }) => operation))];
  return markdownTable(
    [
      'Operation',
      'Calls, rounds',
      'Read, write units',
      'Response, KB, compressed',
      `Handler p50, ms, ${count(smallest)} → ${count(largest)}`,
      'Relative to its calls: same client; SDK',
      'HTTP p50 / p99, ms',
      'CPU, ms: function / gateway / engine',
      'Requests per second, 1 / 16 / 64 clients',
      'Cold, ms',
      '$ per million',
    ],
    names.flatMap((name) => {
      const [few, many] = [at(name, smallest), at(name, largest)];
      if (few === undefined || many === undefined) return [];
      const { unknownCaller: from, bytesOut, compressed } = few;
      const to = many.unknownCaller;
      const loads = results.throughput.find(({ operation }) => operation === name)?.loads ?? [];
      return [
        [
          name,
          `${pair(from.calls, to.calls)}, ${pair(from.rounds, to.rounds)}`,
          `${pair(from.readUnits, to.readUnits)}, ${pair(from.writeUnits, to.writeUnits)}`,
          short(bytesOut / 1_000) + (compressed ? `, ${short(compressed.bytesOut / 1_000)}` : ''),
          pair(few.handler.p50, many.handler.p50),
          (['floor', 'sdkFloor'] as const)
            .map((calls) => pair(few.handler.p50 / few[calls].p50, many.handler.p50 / many[calls].p50))
            .join('; '),
          `${short(many.http.p50)} / ${short(many.http.p99)}`,
          [many.computing, Math.max(0, many.httpComputing.service - many.computing), many.httpComputing.engine]
            .map(short)
            .join(' / '),
          loads.map(({ throughput }) => short(throughput)).join(' / '),
          pair(few.coldLoading + few.coldAnswer, many.coldLoading + many.coldAnswer),
          costOfMillion(priced(many)).total.toFixed(2),
        ],
      ];
    }),
  );
};

const limitOf = ({ atMost, atLeast }: Verdict): string =>
  atMost === undefined ? `at least ${atLeast}` : `at most ${atMost}`;

const targetsOf = (results: BenchResults): string[] =>
  markdownTable(
    ['Target', 'Measured', 'Required', ''],
    verdictsOf(results).map((verdict) => [
      verdict.target,
      short(verdict.measured),
      limitOf(verdict),
      verdict.isMet ? 'met' : '**missed**',
    ]),
  );

/** Renders every measurement at every size. */
const detailsOf = ({ operations, throughput, ratios, burst }: BenchResults): string[] => [
  '## Each operation at each size',
  '',
  'Times in milliseconds: p50 / p95 / p99. Calls, rounds, read and write units: for a caller that is not cached, and for a cached caller.',
  '',
  ...markdownTable(
    [
      'Operation',
      'Workspaces',
      'Calls',
      'Rounds',
      'Read',
      'Write',
      'Bytes out, compressed',
      'Handler',
      'Bare calls',
      'Bare calls, SDK',
      'HTTP',
      'CPU, compressing, bare calls',
      'Cold: load + response',
      'MB',
    ],
    operations.map((one) => [
      one.operation,
      count(one.size),
      ...(['calls', 'rounds', 'readUnits', 'writeUnits'] as const).map(
        (what) => `${one.unknownCaller[what]}, ${one.knownCaller[what]}`,
      ),
      count(one.bytesOut) + (one.compressed ? `, ${count(one.compressed.bytesOut)}` : ''),
      ...[one.handler, one.floor, one.sdkFloor, one.http].map(
        ({ p50, p95, p99 }) => `${short(p50)} / ${short(p95)} / ${short(p99)}`,
      ),
      [one.computing, one.compressed?.computing, one.floorComputing]
        .map((time) => (time ? short(time) : ''))
        .join(', '),
      `${short(one.coldLoading)} + ${short(one.coldAnswer)}`,
      short(one.memory),
    ]),
  ),
  '',
  '## Throughput over HTTP',
  '',
  ...markdownTable(
    ['Operation', 'Workspaces', 'Clients', 'Requests per second', 'p50', 'p95', 'p99'],
    throughput.flatMap(({ operation, size, loads }) =>
      loads.map((load) => [
        operation,
        count(size),
        load.clients,
        short(load.throughput),
        short(load.p50),
        short(load.p95),
        short(load.p99),
      ]),
    ),
  ),
  '',
  ...markdownTable(
    ['Operation', 'Clients', 'Requests per second', 'Requests per second of the bare calls'],
    ratios.map(({ operation, clients, served, bare }) => [operation, clients, short(served), short(bare)]),
  ),
  '',
  '## Lists after a burst',
  '',
  `${count(burst.changes)} of ${count(burst.size)} workspaces changed at once. ${burst.lists} lists were measured before and ${burst.lists} directly after:`,
  '',
  'Computing and waiting: shares of the slowest hundredth, in the thread that handles lists, and until it gets a processor.',
  '',
  ...markdownTable(
    ['', 'p50', 'p95', 'p99', 'CPU p50', 'CPU p99', 'Computing', 'Waiting'],
    (['quiet', 'after'] as const).map((when) => {
      const { p50, p95, p99, computing, slowest } = burst[when];
      const times = [p50, p95, p99, computing.p50, computing.p99, slowest.computing, slowest.waiting];
      return [when, ...times.map(short)];
    }),
  ),
];

/** Renders the peak memory of each function by organization size. */
const memoryOf = ({ operations }: BenchResults): string[] => {
  const sizes = [...new Set(operations.map(({ size }) => size))].sort((a, b) => a - b);
  const functions = [...new Set(operations.map((one) => one.function))];
  return markdownTable(
    ['Function', ...sizes.map((size) => `MB at ${count(size)}`)],
    functions.map((name) => [
      name,
      ...sizes.map((size) =>
        short(
          Math.max(
            ...operations.filter((one) => one.function === name && one.size === size).map(({ memory }) => memory),
          ),
        ),
      ),
    ]),
  );
};

/** Converts the operations at the largest size to inputs of the cost model. */
export const pricedOf = (results: BenchResults): MeasuredOperation[] => {
  const largest = sizesOf(results).at(-1);
  return results.operations.filter(({ size }) => size === largest).map(priced);
};

const machineOf = ({ machine: { cores, processor, node }, seedingRate }: BenchResults): string =>
  `${cores} cores of ${processor}, Node ${node}; ${count(Math.round(seedingRate / 100) * 100)} workspaces seeded per second.`;

const PICTURE = 'cost-by-size.svg';

/** Builds the generated section of `docs/benchmarks.md`. @param picture path of the plot, relative to the page. */
export const sectionOf = (results: BenchResults, picture: string): string =>
  [
    machineOf(results),
    '',
    ...summaryOf(results),
    '',
    `![Duration and cost of operations by organization size](${picture})`,
    '',
    ...targetsOf(results),
  ].join('\n');

const SECTION = /(<!-- bench: [^>]*-->\n\n)[\s\S]*?(\n\n<!-- end of bench -->)/;
/** Replaces the generated section of a page. @throws Error when the page has no marked section. */
export const withSection = (page: string, section: string): string => {
  if (!SECTION.test(page)) throw new Error('The page has no section marked for the benchmark');
  return page.replace(SECTION, (_, begin: string, end: string) => begin + section + end);
};

export const reportOf = (results: BenchResults, parts: readonly string[]): string =>
  [
    '# Benchmark',
    '',
    sectionOf(results, PICTURE),
    '',
    ...parts,
    '',
    ...detailsOf(results),
    '',
    '## Memory',
    '',
    ...memoryOf(results),
    '',
  ].join('\n');

/** Operations in the plot: lists, a search, and operations that do not depend on the size. */
const DRAWN = ['show by id', 'lock or unlock', 'list, first page', 'search by wildcard', 'list consumers'];

export const plotOf = ({ operations }: BenchResults): string => {
  const chart = (title: string, y: string, of: (measure: OperationMeasure) => number): Chart => ({
    title,
    x: 'workspaces in the organization',
    y,
    lines: DRAWN.map((name) => ({
      name,
      points: operations.filter(({ operation }) => operation === name).map((one) => [one.size, of(one)] as const),
    })),
  });
  return svgOf('Duration and cost of operations by organization size', [
    chart('Handler, warm', 'p50, ms', ({ handler }) => handler.p50),
    chart(
      'DynamoDB, no changes',
      'read and write units',
      ({ knownCaller }) => knownCaller.readUnits + knownCaller.writeUnits,
    ),
  ]);
};
