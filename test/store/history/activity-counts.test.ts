import { fc, test } from '@fast-check/vitest';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { HistoryEntry } from '../../../shared/domain/history/history-entry.ts';
import { dayOf } from '../../../shared/domain/timestamps.ts';
import { base58, newEventId } from '../../../shared/lib/random.ts';
import type { Database } from '../../../shared/store/dynamodb/database.ts';
import { activityPartition, keys } from '../../../shared/store/dynamodb/keys.ts';
import { openActivityCounter } from '../../../shared/store/history/activity-counter.ts';
import { hourOf } from '../../../shared/store/history/activity-marks.ts';
import { openActivityReader } from '../../../shared/store/history/activity-reader.ts';
import { openHistoryWriter } from '../../../shared/store/history/history-writer.ts';
import { openAdmin } from '../../support/api/admin.ts';
import { startEngine, type TestEngine } from '../../support/engine/engine.ts';
import { bounded } from '../../support/setup/run-budget.ts';

/** Counts of the entries of the audit trail by day, against entries that arrive late, twice and while they are counted. */
const HOUR = 3_600_000;
const DAY = 24 * HOUR;
/** Midnight of a day in the past of the computer: items do not expire while the test runs. */
const MIDNIGHT = Math.floor(Date.now() / DAY) * DAY - 30 * DAY;

let engine: TestEngine;
beforeAll(async () => {
  engine = await startEngine();
});
afterAll(() => engine.stop());

/** Creates an organization at a time. */
const createOrganization = async (at: number): Promise<string> => {
  const name = `o-${base58(8)}`;
  await openAdmin(engine.database, () => at).admin('create-organization', { name, email: `${name}@example.com` });
  return name;
};

/** Creates an entry of the history. @param endedRun status of the run that it ended. */
const createEntry = (organization: string, at: number, endedRun?: string): HistoryEntry => ({
  id: newEventId(),
  type: 'workspace.run-updated',
  at,
  actor: { kind: 'site', id: 'site', name: 'site' },
  request: base58(8),
  organization,
  resource: { type: 'workspaces', id: `ws-${base58(16)}`, name: 'network' },
  sequence: 1,
  details: {
    run: { id: `run-${base58(16)}`, status: endedRun ?? 'planning' },
    ...(endedRun !== undefined && { endsRun: true }),
  },
  changes: [],
});

/** Counts all days that are due. Without time for more, an invocation reads one page and leaves the rest to the next one. */
const countDue = async (database: Database, now: number, hasTime = true): Promise<number> => {
  const counter = openActivityCounter(database, () => now, 400);
  let counted = 0;
  for await (const key of counter.due(now)) counted += Number(await counter.count(key, () => hasTime));
  return counted;
};

/** Counts until no day is due any more, as invocations in following minutes do. */
const countAll = async (now: number, database = engine.database): Promise<void> => {
  while ((await countDue(database, now)) > 0);
};

/** Returns the key of the mark of an entry that was written at the time of its change. */
const markOf = (organization: string, at: number) => keys.activityMark(organization, dayOf(at), hourOf(at));

const read = async (organization: string, now: number) =>
  Object.fromEntries(
    (await openActivityReader(engine.database, () => now).read(organization)).map(({ date, ...counts }) => [
      date,
      counts,
    ]),
  );

const expected = (entries: readonly HistoryEntry[]) => {
  const days: Record<string, { changes: number; runs: number; failedRuns: number }> = {};
  for (const { at, details } of entries) {
    days[dayOf(at)] ??= { changes: 0, runs: 0, failedRuns: 0 };
    const day = days[dayOf(at)] as { changes: number; runs: number; failedRuns: number };
    day.changes++;
    if (details.endsRun) day.runs++;
    if (details.endsRun && details.run?.status === 'errored') day.failedRuns++;
  }
  return days;
};

describe('the counts of the audit trail by day', () => {
  it('count entries by the day of the change, and runs that ended by their status', async () => {
    const organization = await createOrganization(MIDNIGHT - DAY);
    const writer = openHistoryWriter(engine.database, () => MIDNIGHT, 400);
    const entries = [
      createEntry(organization, MIDNIGHT - 1, 'applied'),
      createEntry(organization, MIDNIGHT),
      createEntry(organization, MIDNIGHT, 'errored'),
      createEntry(organization, MIDNIGHT + DAY - 1, 'planned_and_finished'),
      createEntry(organization, MIDNIGHT + DAY),
    ];
    for (const entry of entries) await writer.writeEntry(entry, entry.at);
    await countAll(MIDNIGHT + DAY + 2 * HOUR);
    expect(await read(organization, MIDNIGHT + DAY)).toEqual(expected(entries));
  });

  it('are not computed before the hour in which the entries were written is over', async () => {
    const organization = await createOrganization(MIDNIGHT);
    const entry = createEntry(organization, MIDNIGHT + HOUR);
    await openHistoryWriter(engine.database, () => entry.at, 400).writeEntry(entry, entry.at);
    await countAll(MIDNIGHT + 2 * HOUR);
    expect(await read(organization, MIDNIGHT)).toEqual({});
    await countAll(MIDNIGHT + 3 * HOUR);
    expect(await read(organization, MIDNIGHT)).toEqual(expected([entry]));
  });

  test.prop(
    [
      fc.array(
        fc.record({
          at: fc.integer({ min: 0, max: 3 * DAY - 1 }),
          /** Time from the change to its write, and from that to the second delivery of the record of the stream. */
          delay: fc.constantFrom(0, 1_000, HOUR / 2, 50 * 60_000),
          again: fc.option(fc.constantFrom(0, HOUR, DAY)),
          endedRun: fc.constantFrom(undefined, 'applied', 'errored'),
          writer: fc.nat({ max: 1 }),
          /** Whether counts run before the entry is written: one, two at once, or one that fails in the middle. */
          counts: fc.constantFrom('none', 'one', 'two', 'failing', 'without time'),
        }),
        { minLength: 1, maxLength: 25 },
      ),
      fc.nat({ max: 12 }),
    ],
    bounded(12),
  )(
    'are exact for late and repeated entries, two counts at once, and counts that are cut off',
    async (given, limit) => {
      const organization = await createOrganization(MIDNIGHT);
      let now = MIDNIGHT;
      const writers = [0, 1].map(() => openHistoryWriter(engine.database, () => now, 400));
      // Pages of few items, so that a count is cut off in the middle of a partition.
      const paged: Database = {
        ...engine.database,
        page: (options, start) =>
          engine.database.page(options.index === undefined ? { ...options, limit: limit + 1 } : options, start),
      };
      let left = 0;
      const failing: Database = {
        ...paged,
        write: (...write) =>
          left-- > 0 ? engine.database.write(...write) : Promise.reject(new Error('The process ended')),
        transact: (...write) =>
          left-- > 0 ? engine.database.transact(...write) : Promise.reject(new Error('The process ended')),
      };
      const entries = given.map(({ at, endedRun }) => createEntry(organization, MIDNIGHT + at, endedRun));
      const deliveries = given
        .flatMap(({ delay, again, writer, counts }, index) => {
          const entry = entries[index] as HistoryEntry;
          const changedAt = entry.at + delay;
          const first = { entry, writer, counts, changedAt, time: changedAt };
          return again === null ? [first] : [first, { ...first, writer: 1 - writer, time: first.time + again }];
        })
        .sort((a, b) => a.time - b.time);
      for (const { entry, writer, counts, changedAt, time } of deliveries) {
        now = time;
        left = limit % 3;
        if (counts === 'one') await countDue(paged, now);
        if (counts === 'two') await Promise.all([countDue(paged, now), countDue(paged, now)]);
        if (counts === 'without time') await countDue(paged, now, false);
        if (counts === 'failing') await countDue(failing, now).catch(() => 0);
        await writers[writer]?.writeEntry(entry, changedAt);
      }
      now = MIDNIGHT + 5 * DAY;
      await countAll(now, paged);
      const found = await read(organization, now);
      const empty = Object.values(found).filter(({ changes }) => changes === 0);
      expect(Object.keys(found).length - empty.length).toBe(Object.keys(expected(entries)).length);
      expect(found).toMatchObject(expected(entries));
    },
  );

  it('continue where an invocation without time has stopped', async () => {
    const organization = await createOrganization(MIDNIGHT);
    const entries = Array.from({ length: 20 }, (_, index) => createEntry(organization, MIDNIGHT + index, 'applied'));
    const writer = openHistoryWriter(engine.database, () => MIDNIGHT, 400);
    for (const entry of entries) await writer.writeEntry(entry, entry.at);
    const now = MIDNIGHT + 2 * HOUR;
    let invocations = 1;
    while ((await countDue(engine.database, now, false)) === 0) invocations++;
    // One page of each of the four partitions.
    expect(invocations).toBe(4);
    expect(await read(organization, now)).toEqual(expected(entries));
  });

  it('are not replaced by those of an earlier mark that is counted later', async () => {
    const organization = await createOrganization(MIDNIGHT);
    const [first, second] = [createEntry(organization, MIDNIGHT), createEntry(organization, MIDNIGHT + 3 * HOUR)];
    await openHistoryWriter(engine.database, () => first.at, 400).writeEntry(first, first.at);
    const delayed = { ...engine.database };
    // The first count has read the pointers, and is delayed before it writes.
    let resume: (() => void) | undefined;
    const hasRead = new Promise<void>((isThere) => {
      delayed.transact = async (...write) => {
        await new Promise<void>((resolve) => {
          resume = resolve;
          isThere();
        });
        return engine.database.transact(...write);
      };
    });
    const { sk } = markOf(organization, first.at);
    const counting = openActivityCounter(delayed, () => MIDNIGHT + 2 * HOUR, 400).count(
      markOf(organization, first.at),
      () => true,
    );
    await hasRead;
    await openHistoryWriter(engine.database, () => second.at, 400).writeEntry(second, second.at);
    const counter = openActivityCounter(engine.database, () => MIDNIGHT + 5 * HOUR, 400);
    for await (const key of counter.due(MIDNIGHT + 5 * HOUR)) if (key.sk !== sk) await counter.count(key, () => true);
    resume?.();
    await counting;
    expect(await read(organization, MIDNIGHT)).toEqual(expected([first, second]));
  });

  it('go back day by day to the creation of the organization, or as far as entries are kept', async () => {
    const organization = await createOrganization(MIDNIGHT - 3 * DAY);
    const entry = createEntry(organization, MIDNIGHT);
    await openHistoryWriter(engine.database, () => entry.at, 400).writeEntry(entry, entry.at);
    await countAll(MIDNIGHT + 2 * HOUR);
    const found = await read(organization, MIDNIGHT);
    expect(Object.keys(found)).toEqual([3, 2, 1, 0].map((days) => dayOf(MIDNIGHT - days * DAY)));

    const old = await createOrganization(MIDNIGHT - 300 * DAY);
    const another = createEntry(old, MIDNIGHT);
    await openHistoryWriter(engine.database, () => another.at, 400).writeEntry(another, another.at);
    const now = MIDNIGHT + 2 * HOUR;
    const counter = openActivityCounter(engine.database, () => now, 5);
    for (let found = true; found; ) {
      found = false;
      for await (const key of counter.due(now)) found = await counter.count(key, () => true);
    }
    expect(Object.keys(await read(old, MIDNIGHT))).toHaveLength(5);
  });

  it('are removed with the organization, and not written any more', async () => {
    const organization = await createOrganization(MIDNIGHT);
    const entry = createEntry(organization, MIDNIGHT);
    await openHistoryWriter(engine.database, () => entry.at, 400).writeEntry(entry, entry.at);
    await countAll(MIDNIGHT + 2 * HOUR);
    await openHistoryWriter(engine.database, () => MIDNIGHT + 3 * HOUR, 400).writeEntry(entry, entry.at);
    const stored = () => engine.database.query({ partition: activityPartition(organization), consistent: true });
    expect((await stored()).map(({ ty }) => ty).sort()).toEqual(['activity-mark', 'activity-month']);
    const { admin } = openAdmin(engine.database, () => MIDNIGHT + 4 * HOUR);
    await admin('delete-organization', { name: organization });
    expect(await stored()).toEqual([]);
    await openHistoryWriter(engine.database, () => MIDNIGHT + 5 * HOUR, 400).writeEntry(entry, entry.at);
    await countAll(MIDNIGHT + 7 * HOUR);
    expect(await stored()).toEqual([]);
  });
});
