import { parseArgs } from 'node:util';
import { raceLocks } from './support/lock-race.ts';

/**
 * `npm run prove`: the race for locks of the test suite at its full size, one race for each seed, with what it counted.
 * `npm run prove -- --calls 4000 --seed 7` chooses another.
 */
const { values } = parseArgs({
  options: {
    calls: { type: 'string', default: '6000' },
    seed: { type: 'string', multiple: true, default: ['1', '2'] },
  },
});

for (const seed of values.seed) {
  const race = await raceLocks({ clients: 8, workspaces: 50, calls: Number(values.calls), seed: Number(seed) });
  console.log(
    [
      `Seed ${seed}: ${race.calls.length} calls by 8 processes on 50 workspaces, ${race.mostBusy} workers busy at once`,
      `  answers: ${JSON.stringify(race.answers)}`,
      `  faults:  ${JSON.stringify(race.faults)}`,
      `  findings in the history: ${race.findings.length}, in the table: ${race.damage.length}`,
    ].join('\n'),
  );
  if (race.findings.length > 0 || race.damage.length > 0) {
    console.log(JSON.stringify([...race.findings.slice(0, 10), ...race.damage.slice(0, 10)], undefined, 2));
    process.exitCode = 1;
  }
}
