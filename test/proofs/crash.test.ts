import { describe, expect, it } from 'vitest';
import { crash } from '../support/faults/crash-run.ts';
import { scenarios } from '../support/faults/crash-scenarios.ts';
import { synthesizedOnce } from '../support/setup/build-once.ts';
import { usualOrThorough } from '../support/setup/run-budget.ts';

describe('local service that is killed between calls to the table, the bucket and the bus', () => {
  it('keeps table, bucket and event log consistent, and loses and invents no change', async () => {
    const { kills, findings, events, repeated } = await crash({
      scenarios,
      every: usualOrThorough(21, 1),
      assembly: await synthesizedOnce(),
    });
    console.log(`kills: ${JSON.stringify(kills)}; ${events} events, of which ${repeated} were repeated`);
    expect(findings).toEqual([]);
    for (const { name } of scenarios) expect(kills[name], name).toBeGreaterThan(0);
  });
});
