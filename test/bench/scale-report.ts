import { markdownTable } from '../support/docs/generated-tables.ts';
import { mix, type Scale } from './scale.ts';

/** Renders the simulation as Markdown. A test compares the tables with `docs/operate/scale.md`. */

const count = (number: number): string => Math.round(number).toLocaleString('en-US');
/** Formats a fraction as percent, with one decimal below 10 %. An exact zero is printed without decimals. */
const percent = (part: number): string => (part === 0 ? '0 %' : `${(100 * part).toFixed(part < 0.1 ? 1 : 0)} %`);

/** Renders the tables, by the names of their markers in the page. */
export const scaleTables = (scale: Scale): Readonly<Record<string, readonly string[]>> => ({
  keys: markdownTable(
    ['Key', 'Used by', 'Limit per second'],
    scale.keyLimits.map(({ key, operation, most }) => [key, operation, count(most)]),
  ),
  'index-limits': markdownTable(
    ['Shards', 'Changed workspaces', 'Share of the largest shard', 'Listed changes per second'],
    scale.indexLimits.map(({ shards, workspaces, steady, fullest }) => [
      String(shards),
      `${count(workspaces)} workspaces`,
      percent(fullest),
      count(steady),
    ]),
  ),
  throttling: markdownTable(
    ['Listed changes per second', ...new Set(scale.throttling.map(({ shards }) => `${shards} shards`))],
    [...Map.groupBy(scale.throttling, ({ rate }) => rate)].map(([rate, cells]) => [
      count(rate),
      ...cells.map(({ throttled }) => percent(throttled)),
    ]),
  ),
  burst: markdownTable(
    ['Load after five minutes without changes', 'Time until the first rejection'],
    [['4,000 listed changes per second, 4 shards', `${scale.burstSeconds} s`]],
  ),
  crowds: markdownTable(
    [
      '10,000 requests per second',
      'Rejected',
      'Rejected writes',
      'Rejected lists',
      'Load of the busiest partition',
      'Busiest key',
    ],
    scale.crowds.map(({ name, throttled, writesThrottled, listsThrottled, busiest, busiestKey }) => [
      name,
      percent(throttled),
      percent(writesThrottled),
      percent(listsThrottled),
      percent(busiest),
      `\`${busiestKey}\``,
    ]),
  ),
  mix: markdownTable(
    ['Operation', 'Share of requests, %'],
    Object.entries(mix).flatMap(([name, share]) => (share === 0 ? [] : [[name, String(share)]])),
  ),
  lists: markdownTable(
    [
      'Listed changes per second',
      ...new Set(scale.listLimits.map(({ shards }) => `Lists per second, ${shards} shards`)),
    ],
    [...Map.groupBy(scale.listLimits, ({ changes }) => changes)].map(([changes, cells]) => [
      count(changes),
      ...cells.map(({ lists }) => count(lists)),
    ]),
  ),
  'list-pages': markdownTable(
    [
      'Listed changes per second',
      'Time between lists of an instance',
      'Most index pages of one list',
      'If windows were not divided',
    ],
    scale.listPages.map(({ changes, every, most, undivided }) => [
      count(changes),
      `${every} s`,
      count(most),
      count(undivided),
    ]),
  ),
  publishing: markdownTable(
    [
      'Changes per second',
      'Changed workspaces',
      'Partitions',
      'Records of an invocation',
      'Invocations per second',
      'Calls to the bus per second',
      'Longest time until the event',
    ],
    scale.publishing.map(({ rate, workspaces, shards, batch, invocations, calls, lag, isBehind }) => [
      count(rate),
      count(workspaces),
      String(shards),
      batch.toFixed(1),
      invocations.toFixed(1),
      calls.toFixed(1),
      isBehind ? 'grows' : `${lag.toFixed(2)} s`,
    ]),
  ),
  'history-writes': markdownTable(
    [
      '1,000 changes per second for a minute',
      'Rejected changes',
      'Repeated writes of the history',
      'Units per second of a partition key of the audit trail',
      'Units per second of the history of a workspace',
      'Changes without an entry',
      'Last entry after the load',
    ],
    scale.historyWrites.map((load) => [
      load.name,
      percent(load.changesThrottled),
      percent(load.entriesThrottled),
      count(load.trailUnits),
      count(load.resourceUnits),
      count(load.changes - load.recorded),
      `${load.secondsAfter} s`,
    ]),
  ),
  recordings: markdownTable(
    [
      '1,000 changes per second for a minute',
      'Invocations per second',
      'Records of an invocation',
      'Records delivered again',
      'Longest time until the entry',
    ],
    scale.recordings.map(({ name, invocations, batch, repeated, lag }) => [
      name,
      invocations.toFixed(1),
      batch.toFixed(1),
      percent(repeated),
      `${lag.toFixed(2)} s`,
    ]),
  ),
  'cold-loads': markdownTable(
    [
      'Concurrent instances',
      'Source',
      'Time until all are loaded',
      'Read units of the index',
      'Lists rejected meanwhile',
    ],
    scale.coldLoads.map(({ instances, shards, from, seconds, units, listsThrottled }) => [
      String(instances),
      `${from}, ${shards} shards`,
      `${seconds} s`,
      count(units),
      percent(listsThrottled),
    ]),
  ),
  'hot-workspace': markdownTable(
    ['Locks and unlocks of one workspace per second', 'Rejected'],
    scale.hotWorkspace.map(({ rate, throttled }) => [count(rate), percent(throttled)]),
  ),
  'first-minutes': markdownTable(
    ['Minute of a new table at 10,000 requests per second', 'Rejected'],
    scale.firstMinutes.map((throttled, index) => [String(index + 1), percent(throttled)]),
  ),
});

export const renderScale = (scale: Scale): string[] =>
  Object.entries(scaleTables(scale)).flatMap(([name, lines]) => [`${name}:`, '', ...lines, '']);
