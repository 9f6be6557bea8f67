import { markdownTable } from '../support/docs/generated-tables.ts';
import { mix, type Scale } from './scale.ts';

/** The simulation as Markdown: `docs/operate/scale.md` has the same tables, and a test compares them. */

const count = (number: number): string => Math.round(number).toLocaleString('en-US');
/** To a tenth of a percent; what is refused in one of two thousand is not nothing. */
const percent = (part: number): string => (part === 0 ? '0 %' : `${(100 * part).toFixed(part < 0.1 ? 1 : 0)} %`);

/** The tables, by the name that the page marks them with. */
export const scaleTables = (scale: Scale): Readonly<Record<string, readonly string[]>> => ({
  keys: markdownTable(
    ['Key', 'Used by', 'Limit per second'],
    scale.keyLimits.map(({ key, operation, most }) => [key, operation, count(most)]),
  ),
  'index-limits': markdownTable(
    ['Shards', 'Changed workspaces', 'Share of the fullest shard', 'Listed changes a second'],
    scale.indexLimits.map(({ shards, workspaces, steady, fullest }) => [
      String(shards),
      `${count(workspaces)} workspaces`,
      percent(fullest),
      count(steady),
    ]),
  ),
  throttling: markdownTable(
    ['Listed changes a second', ...new Set(scale.throttling.map(({ shards }) => `${shards} shards`))],
    [...Map.groupBy(scale.throttling, ({ rate }) => rate)].map(([rate, cells]) => [
      count(rate),
      ...cells.map(({ throttled }) => percent(throttled)),
    ]),
  ),
  burst: markdownTable(
    ['After five minutes without a change', 'Served for'],
    [['4,000 listed changes a second, 4 shards', `${scale.burstSeconds} s`]],
  ),
  crowds: markdownTable(
    ['10,000 requests a second', 'Rejected', 'Rejected writes', 'Rejected lists', 'Busiest partition', 'Its key'],
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
    ['Operation', 'Of 100 requests'],
    Object.entries(mix).flatMap(([name, share]) => (share === 0 ? [] : [[name, String(share)]])),
  ),
  lists: markdownTable(
    ['Listed changes a second', ...new Set(scale.listLimits.map(({ shards }) => `lists a second, ${shards} shards`))],
    [...Map.groupBy(scale.listLimits, ({ changes }) => changes)].map(([changes, cells]) => [
      count(changes),
      ...cells.map(({ lists }) => count(lists)),
    ]),
  ),
  'cold-loads': markdownTable(
    ['Instances at once', 'From', 'Until all are loaded', 'Read units of the index', 'Rejected lists meanwhile'],
    scale.coldLoads.map(({ instances, shards, from, seconds, units, listsThrottled }) => [
      String(instances),
      `${from}, ${shards} shards`,
      `${seconds} s`,
      count(units),
      percent(listsThrottled),
    ]),
  ),
  'hot-workspace': markdownTable(
    ['Locks and unlocks of one workspace, a second', 'Rejected'],
    scale.hotWorkspace.map(({ rate, throttled }) => [count(rate), percent(throttled)]),
  ),
  'first-minutes': markdownTable(
    ['Minute of a new table at 10,000 requests a second', 'Rejected'],
    scale.firstMinutes.map((throttled, index) => [String(index + 1), percent(throttled)]),
  ),
});

export const renderScale = (scale: Scale): string[] =>
  Object.entries(scaleTables(scale)).flatMap(([name, lines]) => [`${name}:`, '', ...lines, '']);
