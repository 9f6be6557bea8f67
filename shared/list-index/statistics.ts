import { resolveVersion } from '../domain/infra-versions/versions.ts';
import type { Statistics, TimeSpan } from '../domain/statistics.ts';
import { inheritedProtection } from '../domain/workspace/workspace-record.ts';
import type { TagLabel } from './contents.ts';
import type { InternPool } from './intern-pool.ts';
import { effectiveTagTest, effectiveValueTest, type RowTest, type SearchTarget, stateTest } from './row-tests.ts';
import type { Rows } from './rows.ts';
import type { FilterContext, Reading } from './selection.ts';
import { readTests } from './selector.ts';

export interface StatisticsRequest {
  readonly reading: Reading;
  readonly context: FilterContext;
  /** Tag of the workspaces that are production, if there is one. */
  readonly productionTag?: TagLabel | undefined;
  /** Time from which ages are counted, in milliseconds. */
  readonly now: number;
}

const HOUR = 60 * 60_000;
const DAY = 24 * HOUR;
/** Ages that separate the spans of locks, and of changes of the state, in milliseconds. */
const LOCK_AGES = [HOUR, DAY, 7 * DAY];
const STATE_AGES = [30 * DAY, 90 * DAY, 180 * DAY];
/** Number of releases that are counted one by one. */
const RELEASES = 8;

/** Counts the times of a column in the spans between ages. */
const createSpans = (times: Float64Array, ages: readonly number[], now: number) => {
  const bounds = ages.map((age) => now - age);
  const counts = new Uint32Array(bounds.length + 1);
  return {
    add: (slot: number): void => {
      const time = times[slot] as number;
      if (time === Number.POSITIVE_INFINITY) return;
      let span = 0;
      while (span < bounds.length && time < (bounds[span] as number)) span++;
      counts[span] = (counts[span] as number) + 1;
    },
    spans: (): TimeSpan[] =>
      Array.from(counts, (count, span) => ({
        since: bounds[span] ?? null,
        before: span === 0 ? null : (bounds[span - 1] as number),
        count,
      })),
  };
};

/** Counts the values of a column of repeated texts. `entries` has each value that occurs. */
const createTally = ({ columns, pools }: Rows, column: 'infraVersion' | 'runStatus') => {
  const pool: InternPool<string | null> = pools[column];
  const numbers = columns[column];
  const counts = new Uint32Array(pool.end());
  return {
    add: (slot: number): void => {
      const number = numbers[slot] as number;
      counts[number] = (counts[number] as number) + 1;
    },
    entries: () => [...counts].flatMap((count, number) => (count > 0 ? [[pool.value(number), count] as const] : [])),
  };
};

/** Sorts values by their counts, the highest first; ties by the text. */
const byCount = (counts: ReadonlyMap<string, number>): [string, number][] =>
  [...counts].sort(([a, one], [b, other]) => other - one || Number(a > b) - Number(a < b));

/** Adds the counts of versions that resolve to the same release. */
const countReleases = (
  versions: readonly (readonly [string | null, number])[],
  releases: readonly string[],
): ReadonlyMap<string, number> => {
  const counts = new Map<string, number>();
  for (const [own, count] of versions) {
    if (own === null) continue;
    const release = resolveVersion(own, releases) ?? own;
    counts.set(release, (counts.get(release) ?? 0) + count);
  }
  return counts;
};

/** Counts the rows that a caller may read, in one pass over the columns. */
export const computeStatistics = (
  searched: SearchTarget,
  { reading, context, productionTag, now }: StatisticsRequest,
): Statistics => {
  const { rows } = searched;
  const { columns } = rows;
  const passing = readTests(searched, reading);
  const isUnprotected: RowTest = effectiveValueTest(
    searched,
    'deletionProtection',
    (project) => inheritedProtection(context.organization, project ?? {}),
    (isProtected) => !isProtected,
  );
  const isProduction: RowTest = productionTag === undefined ? () => false : effectiveTagTest(searched, productionTag);
  const locks = createSpans(columns.lockedAt, LOCK_AGES, now);
  const stateChanges = createSpans(columns.latestChangeAt, STATE_AGES, now);
  const hasState = stateTest(rows);
  const versions = createTally(rows, 'infraVersion');
  const statuses = createTally(rows, 'runStatus');
  let workspaces = 0;
  let unprotected = 0;
  const production = { count: 0, unprotected: 0 };

  const end = rows.end();
  visit: for (let slot = 0; slot < end; slot++) {
    if (columns.id[slot] === '') continue;
    for (const passes of passing) if (!passes(slot)) continue visit;
    workspaces++;
    locks.add(slot);
    if (hasState(slot)) stateChanges.add(slot);
    versions.add(slot);
    statuses.add(slot);
    const isOpen = isUnprotected(slot);
    if (isOpen) unprotected++;
    if (!isProduction(slot)) continue;
    production.count++;
    if (isOpen) production.unprotected++;
  }

  const infraVersions = byCount(countReleases(versions.entries(), context.releases));
  const runStatuses = statuses
    .entries()
    .flatMap(([status, count]): [string, number][] => (status === null ? [] : [[status, count]]));
  const shown = infraVersions.slice(0, RELEASES).map(([version, count]) => ({ version, count }));
  return {
    workspaces,
    locks: locks.spans(),
    stateChanges: stateChanges.spans(),
    infraVersions: shown,
    otherInfraVersions: workspaces - shown.reduce((sum, { count }) => sum + count, 0),
    runStatuses: byCount(new Map(runStatuses)).map(([status, count]) => ({ status, count })),
    unprotected,
    ...(productionTag !== undefined && { production }),
  };
};
