import { fc, it } from '@fast-check/vitest';
import { describe, expect } from 'vitest';
import {
  applyEvent,
  currentLock,
  type HubEvent,
  type HubRow,
  isOutdated,
  MAX_RANGES,
} from '../../../shared/domain/hub/hub-row.ts';

const content = (name: string) => ({
  ...{ organization: 'acme', name, project: 'prj-1', version: '1.9.8', tags: [], lock: null },
});
const change = (sequence: number, more: Partial<HubEvent> = {}): HubEvent => ({
  ...{ id: 'ws-1', deployment: 'holdfast', sequence, changedAt: 1_000 * sequence, content: content(`w${sequence}`) },
  ...more,
});
const applyAll = (events: readonly HubEvent[], row?: HubRow): HubRow =>
  events.reduce<HubRow | undefined>((before, event) => applyEvent(before, event) ?? before, row) as HubRow;

const numbersIn = ({ missing }: HubRow): number[] =>
  missing.flatMap(([first, last]) => Array.from({ length: last - first + 1 }, (_, index) => first + index));

const lock = { id: 'lock-1', kind: 'User', holder: 'user-1', name: 'ada', reason: 'migrating' };

describe('row of the hub', () => {
  it.prop([fc.array(fc.integer({ min: 1, max: 12 }), { minLength: 1, maxLength: 40 })])(
    'shows the event with the highest sequence number and lists the missing ones, whatever the order and the repetitions (HUB-2, HUB-3)',
    (sequences) => {
      const row = applyAll(sequences.map((sequence) => change(sequence)));
      const newest = Math.max(...sequences);
      expect(row).toMatchObject({ sequence: newest, changedAt: 1_000 * newest, content: content(`w${newest}`) });
      const expected = Array.from({ length: newest }, (_, index) => index + 1).filter(
        (sequence) => sequence > (sequences[0] ?? 0) && !sequences.includes(sequence),
      );
      expect(numbersIn(row)).toEqual(expected);
    },
  );

  it('stays a tombstone when an older event arrives after the deletion (HUB-4)', () => {
    const row = applyAll([change(1), change(3, { content: null }), change(2), change(1), change(3)]);
    expect(row).toMatchObject({ sequence: 3, content: null, missing: [] });
  });

  it('returns after a tombstone when the workspace is restored', () => {
    expect(applyAll([change(2, { content: null }), change(3)])).toMatchObject({ content: content('w3') });
  });

  it('has no missing events after a snapshot (HUB-7)', () => {
    const incomplete = applyAll([change(1), change(4)]);
    expect(incomplete.missing).toEqual([[2, 3]]);
    expect(applyEvent(incomplete, change(4, { snapshotAt: 9_000 }))).toMatchObject({ missing: [], confirmedAt: 9_000 });
    expect(applyEvent(incomplete, change(6, { snapshotAt: 9_000 }))).toMatchObject({ missing: [], sequence: 6 });
  });

  it('keeps a newer change when a snapshot with an older state arrives', () => {
    const row = applyAll([change(1), change(4), change(6)]);
    const after = applyEvent(row, change(3, { snapshotAt: 3_500, content: content('old') }));
    expect(after).toMatchObject({ sequence: 6, content: content('w6'), missing: [[5, 5]] });
  });

  it('has a limited number of ranges, which a snapshot clears', () => {
    const row = applyAll(Array.from({ length: 2 * MAX_RANGES }, (_, index) => change(1 + 2 * index)));
    expect(row.missing).toHaveLength(MAX_RANGES);
    expect(row.missing.at(-1)).toEqual([4 * MAX_RANGES - 2, 4 * MAX_RANGES - 2]);
    expect(applyEvent(row, change(4 * MAX_RANGES, { snapshotAt: 1 }))?.missing).toEqual([]);
  });

  it('keeps the time of a lock over events that do not contain it', () => {
    const locked = { ...content('w'), lock };
    const row = applyAll([change(1), change(2, { content: locked }), change(3, { content: locked })]);
    expect(row.content?.lock?.since).toBe(2_000);
    const other = applyEvent(row, change(4, { content: { ...locked, lock: { ...lock, id: 'lock-2', since: 3_900 } } }));
    expect(other?.content?.lock?.since).toBe(3_900);
  });

  it('shows no lock whose lease has expired (LOCK-20)', () => {
    const leased = { ...content('w'), lock: { ...lock, since: 1, expiresAt: 5_000 } };
    expect(currentLock(leased, 4_999)).toMatchObject({ id: 'lock-1' });
    expect(currentLock(leased, 5_000)).toBeNull();
  });

  it('is outdated if a later snapshot of its deployment did not contain it (HUB-7)', () => {
    const row = { deployment: 'holdfast', confirmedAt: 1_000_000 };
    expect(isOutdated(row, { other: 2_000_000 })).toBe(false);
    expect(isOutdated(row, { holdfast: 1_300_000 })).toBe(false);
    expect(isOutdated(row, { holdfast: 1_300_001 })).toBe(true);
    expect(isOutdated({ ...row, deployment: null }, { holdfast: 2_000_000 })).toBe(false);
  });
});
