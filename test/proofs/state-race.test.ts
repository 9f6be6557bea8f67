import { describe, expect, it } from 'vitest';
import { raceStates } from '../support/models/state-race.ts';
import { synthesizedOnce } from '../support/setup/build-once.ts';

describe('clients that lock, upload states, unlock and delete, while writes get lost, late and refused', () => {
  it('lose no state, and no workspace that manages something', async () => {
    const assembly = await synthesizedOnce();
    const race = await raceStates({ clients: 6, workspaces: 5, runs: 16, terms: 30, seed: 13, assembly });
    console.log(
      [
        `answers: ${JSON.stringify(race.answers)}`,
        `faults: ${JSON.stringify(race.faults)}; ${race.finalized} versions finalized, ${race.discarded} discarded; ${race.runLocks} runs held a lock`,
      ].join('\n'),
    );
    expect(race.findings).toEqual([]);
    expect(race.damage).toEqual([]);
    // The race was one: every kind of thing was granted, and refused.
    for (const answer of [
      'lock 200',
      'lock 409',
      'create 201',
      'upload 200',
      'unlock 200',
      'unlock 503',
      'safe-delete 409',
    ])
      expect(race.answers[answer] ?? 0, answer).toBeGreaterThan(2);
    expect(race.runLocks).toBeGreaterThan(0);
    expect(race.events).toBeGreaterThan(50);
    expect(race.faults.lost).toBeGreaterThan(3);
  });
});
