import { describe, expect, it } from 'vitest';
import { raceLocks } from '../support/models/locks/lock-race.ts';
import { synthesizedOnce } from '../support/setup/build-once.ts';
import { scaled } from '../support/setup/run-budget.ts';

/** Faults are so frequent that each kind occurs many times in this number of calls. */
const RACE = {
  clients: 8,
  workspaces: 8,
  calls: scaled(600),
  seed: 20_240_501,
  lost: 0.08,
  late: 0.06,
  throttled: 0.06,
  conflicting: 0.06,
  delayed: 0.1,
};

describe('race for locks and leases among client processes, while clocks differ and writes are lost, delayed and rejected', () => {
  it('never shows two lock holders, a lost unlock, an unlock by another client, or a lock without a holder', async () => {
    const race = await raceLocks({ ...RACE, assembly: await synthesizedOnce() });
    const { calls, responses, faults, maxBusy, findings, milliseconds, lockedInTheEnd, shortened } = race;
    console.log(
      [
        `${calls.length} calls in ${Math.round(milliseconds / 100) / 10} s, at most ${maxBusy} workers busy`,
        `responses: ${JSON.stringify(responses)}`,
        `faults: ${JSON.stringify(faults)}; locked at the end: ${lockedInTheEnd}; leases shortened: ${shortened}`,
      ].join('\n'),
    );

    expect(findings).toEqual([]);
    expect(calls).toHaveLength(RACE.calls);
    expect(maxBusy).toBeGreaterThanOrEqual(4);

    // The race was effective: clients won and lost locks, locks were forced open, and every kind of fault occurred.
    const actions = ['lock', 'renew', 'unlock', 'force-unlock'];
    for (const response of actions.flatMap((action) => [`${action} 200`, `${action} 409`]))
      expect(responses[response] ?? 0, response).toBeGreaterThan(0);
    for (const fault of ['lost', 'late', 'throttled', 'conflicting', 'delayed'] as const)
      expect(faults[fault], fault).toBeGreaterThan(0);

    expect(race.cleared.map(({ status }) => status)).toEqual(
      race.cleared.map(({ wasLocked }) => (wasLocked ? 200 : 409)),
    );
    expect(race.items).toHaveLength(RACE.workspaces);
    let expired = 0;
    for (const item of race.items) {
      // A lock and its unlock increment the fencing token twice, and each increment left one change record, except that of
      // an expired lock, which is part of the write of the next one.
      const ended = Number(item['fence']) - (Number(item['seq']) - 1);
      if (race.leased.includes(String(item['id']))) expired += ended;
      else {
        expect(item).not.toHaveProperty('lock');
        expect(Number(item['fence']) % 2).toBe(0);
        expect(ended).toBe(0);
      }
    }
    expect(expired).toBeGreaterThan(0);
    expect(race.damage).toEqual([]);
  });
});
