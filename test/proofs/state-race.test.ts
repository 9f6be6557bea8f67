import { describe, expect, it } from 'vitest';
import { raceStates } from '../support/models/states/state-race.ts';
import { synthesizedOnce } from '../support/setup/build-once.ts';

describe('race of clients that lock, upload states, unlock and delete, while writes are lost, delayed and rejected', () => {
  it('loses no state, and deletes no workspace that manages resources', async () => {
    const assembly = await synthesizedOnce();
    const race = await raceStates({ clients: 6, workspaces: 5, runs: 16, terms: 30, seed: 13, assembly });
    console.log(
      [
        `responses: ${JSON.stringify(race.responses)}`,
        `faults: ${JSON.stringify(race.faults)}; ${race.finalized} versions finalized, ${race.discarded} discarded; ${race.runLocks} locks of runs`,
      ].join('\n'),
    );
    expect(race.findings).toEqual([]);
    expect(race.damage).toEqual([]);
    // The race was effective: requests of every kind succeeded and were rejected.
    for (const response of [
      'lock 200',
      'lock 409',
      'create 201',
      'upload 200',
      'unlock 200',
      'unlock 503',
      'safe-delete 409',
    ])
      expect(race.responses[response] ?? 0, response).toBeGreaterThan(2);
    expect(race.runLocks).toBeGreaterThan(0);
    expect(race.events).toBeGreaterThan(50);
    expect(race.faults.lost).toBeGreaterThan(3);
  });
});
