import { isDeepStrictEqual } from 'node:util';
import { readArguments } from '../../infra/command-line.ts';
import { measureColdStart, renderColdStart } from '../bench/cold-start.ts';
import { renderCosts } from '../bench/cost-report.ts';
import { measureListIndexParts, renderListIndexParts } from '../bench/list-index-parts.ts';
import { measureScale } from '../bench/scale.ts';
import { renderScale } from '../bench/scale-report.ts';
import { measureTemplates } from '../support/docs/costs-page.ts';
import { startEngine } from '../support/engine/engine.ts';
import { deliverChanges } from '../support/events/event-delivery.ts';
import { crash } from '../support/faults/crash-run.ts';
import { scenarios } from '../support/faults/crash-scenarios.ts';
import { proveHistory } from '../support/history/history-proof.ts';
import { proveImport } from '../support/import/import-proof.ts';
import { assemble } from '../support/local/assembly.ts';
import { measureListIndex, measureLists, queries } from '../support/models/lists/list-scale.ts';
import { raceLocks } from '../support/models/locks/lock-race.ts';
import { proveBigState } from '../support/models/states/big-state.ts';
import { raceStates } from '../support/models/states/state-race.ts';
import { proveRestore } from '../support/restore/restore-proof.ts';
import { proveUpgrade } from '../support/upgrade/upgrade-proof.ts';

const fail = (finding: string): void => {
  console.log(`NOT PROVEN: ${finding}`);
  process.exitCode = 1;
};

/** Runs a race for locks for each seed. */
const proveLocks = async (): Promise<void> => {
  for (const seed of values.seed) {
    const race = await raceLocks({ clients: 8, workspaces: 50, calls: Number(values.calls), seed: Number(seed) });
    console.log(
      [
        `Seed ${seed}: ${race.calls.length} calls by 8 processes on 50 workspaces, at most ${race.maxBusy} workers busy`,
        `  responses: ${JSON.stringify(race.responses)}`,
        `  faults: ${JSON.stringify(race.faults)}`,
        `  findings in the history: ${race.findings.length}, in the table: ${race.damage.length}`,
      ].join('\n'),
    );
    const findings = [...race.findings.slice(0, 10), ...race.damage.slice(0, 10)];
    if (findings.length > 0) fail(JSON.stringify(findings, undefined, 2));
  }
};

/** Runs a race of uploads, locks and deletions for each seed. */
const proveStates = async (): Promise<void> => {
  for (const seed of values.seed.map(Number)) {
    const race = await raceStates({ clients: 8, workspaces: 6, runs: 60, terms: 150, seed });
    console.log(
      [
        `Seed ${seed}: 8 clients upload states of 6 workspaces; ${race.finalized} versions finalized, ${race.discarded} discarded; ${race.runLocks} locks of runs, ${race.events} events`,
        `  responses: ${JSON.stringify(race.responses)}`,
        `  faults: ${JSON.stringify(race.faults)}`,
        `  findings in the responses: ${race.findings.length}, in the table: ${race.damage.length}`,
      ].join('\n'),
    );
    const findings = [...race.findings.slice(0, 10), ...race.damage.slice(0, 10)];
    if (findings.length > 0) fail(JSON.stringify(findings, undefined, 2));
  }
};

/** Compares the cost of lists at each size. The numbers of calls and units may differ by one at most. */
const proveLists = async (): Promise<void> => {
  const { megabytes, search, everything, statistics } = measureListIndex(100_000);
  console.log(
    [
      `A list index of 100,000 workspaces: ${megabytes.toFixed(1)} MB`,
      `  relative to a comparison with each name, a search by name takes ${search.toFixed(3)}, all filters together take ${everything.toFixed(3)}`,
      `  statistics take ${statistics.all.toFixed(1)} ms for all workspaces, ${statistics.part.toFixed(1)} ms for a caller who may read some`,
    ].join('\n'),
  );
  const engine = await startEngine();
  const sizes = values.workspaces.map(Number);
  const measures = [];
  for (const size of sizes) measures.push(await measureLists(engine, size));
  await engine.stop();
  for (const { workspaces, cold } of measures) {
    console.log(
      `${workspaces} workspaces, first list of an instance: ${cold.calls} calls in ${cold.rounds} rounds, ${cold.readUnits} units`,
    );
  }
  for (const caller of ['owner', 'member'] as const) {
    const counted = measures.map((measure) => measure.statistics[caller]);
    const counts = counted.map(({ total, calls, readUnits }) => `${total}: ${calls} calls, ${readUnits} units`);
    console.log(`Caller: ${caller}, statistics, counted: ${counts.join('; ')}`);
    const units = counted.map(({ readUnits }) => readUnits);
    if (Math.max(...units) - Math.min(...units) > 1) fail('units of statistics grow with the organization');
  }
  for (const [index, [caller, query]] of queries.entries()) {
    const lists = measures.flatMap(({ warm }) => warm[index] ?? []);
    const counts = lists.map(({ total, calls, readUnits }) => `${total}: ${calls} calls, ${readUnits} units`);
    console.log(`Caller: ${caller}, query: "${query}", found: ${counts.join('; ')}`);
    for (const count of ['calls', 'readUnits', 'rounds'] as const) {
      const all = lists.map((list) => list[count]);
      if (Math.max(...all) - Math.min(...all) > 1) fail(`${count} of "${query}" grow with the organization`);
    }
  }
};

/** Compares each part of the list index with its simple alternative. */
const proveListIndex = async (): Promise<void> => {
  const measured = [];
  for (const rows of values.rows.map(Number)) measured.push(await measureListIndexParts(rows));
  console.log(renderListIndexParts(measured).join('\n'));
  for (const { rows, update } of measured) {
    if (update.calls !== measured[0]?.update.calls)
      fail(`a list without changes costs ${update.calls} calls at ${rows} rows`);
  }
};

/** Proves that every change is published although one in twenty calls of the publisher fails. */
const proveEvents = async (): Promise<void> => {
  process.env['POWERTOOLS_LOG_LEVEL'] = 'SILENT';
  const [changes, workspaces, poisonous] = [Number(values.changes), 200, 10];
  for (const seed of values.seed.map(Number)) {
    const delivery = await deliverChanges({ changes, workspaces, seed, failing: 0.05, poisonous });
    console.log(
      [
        `Seed ${seed}: ${delivery.changes} changes of ${workspaces} workspaces, published in ${delivery.invocations} invocations and ${delivery.calls} calls`,
        `  failures: ${JSON.stringify(delivery.failures)}`,
        `  on the bus: ${delivery.received} events, ${delivery.duplicates} of them repeated with the same id; dead letters: ${delivery.deadLetters}, for ${poisonous} changes of unknown types`,
        `  missing, out of order or incorrect: ${delivery.findings.length}`,
      ].join('\n'),
    );
    if (delivery.findings.length > 0) fail(JSON.stringify(delivery.findings.slice(0, 10), undefined, 2));
  }
};

/** Proves that replays of the history and of the events of a workspace yield its present state, for each seed. */
const proveHistories = async (): Promise<void> => {
  for (const seed of values.seed.map(Number)) {
    const proof = await proveHistory({ clients: 8, changes: 1_000, kills: 20, seed });
    console.log(
      [
        `Seed ${seed}: ${proof.changes} changes of one workspace by 8 clients; ${proof.kills} kills, ${proof.lost} steps without a response`,
        `  responses: ${JSON.stringify(proof.responses)}`,
        `  faults: ${JSON.stringify(proof.faults)}`,
        `  entries: ${JSON.stringify(proof.actions)}`,
        `  ${proof.events} events, of which ${proof.repeatedEvents} were repeated; findings: ${proof.findings.length}`,
      ].join('\n'),
    );
    if (proof.findings.length > 0) fail(JSON.stringify(proof.findings.slice(0, 10), undefined, 2));
  }
};

/** Proves that table, bucket and event log are consistent after the process was killed at any call. */
const proveCrashes = async (): Promise<void> => {
  const { kills, findings, events, repeated } = await crash({ scenarios });
  const total = Object.values(kills).reduce((sum, count) => sum + count, 0);
  console.log(
    [
      `${total} kills: ${JSON.stringify(kills)}`,
      `  ${events} events, of which ${repeated} were repeated; findings: ${findings.length}`,
    ].join('\n'),
  );
  if (findings.length > 0) fail(JSON.stringify(findings.slice(0, 10), undefined, 2));
};

/** Proves that an import which is killed again and again carries every state version once. */
const proveImports = async (): Promise<void> => {
  for (const seed of values.seed.map(Number)) {
    const { versions, bytes, kills, seconds, findings } = await proveImport({
      workspaces: Number(values['imported-workspaces']),
      versions: Number(values.versions),
      skew: Number(values.skew),
      kills: Number(values.kills),
      seed,
      onProgress: console.log,
    });
    console.log(
      [
        `Seed ${seed}: ${versions} state versions of ${values['imported-workspaces']} workspaces, ${(bytes / 1e6).toFixed(1)} MB, in ${seconds.toFixed(0)} s; ${kills.length} kills`,
        `  at these sizes of the journal: ${kills.join(', ')}`,
        `  findings: ${findings.length}`,
      ].join('\n'),
    );
    if (findings.length > 0) fail(JSON.stringify(findings.slice(0, 10), undefined, 2));
  }
};

/** Uploads, reads and downloads a large state, and measures the memory of the function that reads it. */
const proveBigStates = async (): Promise<void> => {
  const { megabytes, resources, readAfter, needed, peak, findings } = await proveBigState(Number(values.megabytes));
  console.log(
    [
      `A state of ${megabytes.toFixed(1)} MB with ${resources} resources: uploaded, read ${(readAfter / 1000).toFixed(1)} s later, downloaded`,
      `  the function that reads it used at most ${peak.toFixed(0)} MB, ${needed.toFixed(0)} MB more than before; findings: ${findings.length}`,
    ].join('\n'),
  );
  if (findings.length > 0) fail(JSON.stringify(findings));
};

/** Simulates the partitions of DynamoDB at sizes that cannot be measured on one computer. */
const proveScale = (): void => {
  const scale = measureScale();
  console.log(renderScale(scale).join('\n'));
  for (const { shards, workspaces, steady } of scale.indexLimits) {
    if (shards >= 8 && workspaces > 1_000 && steady < 2_000)
      fail(`${shards} shards accept only ${steady} changes per second`);
  }
};

/** Computes the costs of an idle deployment, of each operation, and of a month. */
const proveCosts = async (): Promise<void> => {
  console.log(renderCosts(measureTemplates(await assemble())).join('\n'));
};

/** Measures the cold start of each function. */
const proveColdStarts = async (): Promise<void> => {
  const coldStart = await measureColdStart();
  console.log(renderColdStart(coldStart).join('\n'));
};

/** Runs the runbook for a restore, and shows what the restored table brings back before and after `after-restore`. */
const proveRestores = async (): Promise<void> => {
  const { before, after, report, findings } = await proveRestore();
  console.log(
    [
      `A table restored to the middle of a day: ${JSON.stringify(before)}`,
      `  after the admin command after-restore: ${JSON.stringify(after)}`,
      `  its report: ${JSON.stringify(report)}`,
    ].join('\n'),
  );
  const returned = {
    revokedToken: true,
    removedMember: true,
    oldLock: true,
    repeatedSequence: true,
    repeatedFence: true,
  };
  const ended = Object.fromEntries(Object.keys(returned).map((name) => [name, false]));
  if (!isDeepStrictEqual(before, { ...returned, serial: 1 })) fail('the restored table does not bring everything back');
  if (!isDeepStrictEqual(after, { ...ended, serial: 1 })) fail('after-restore left something that came back');
  if (findings.length > 0) fail(JSON.stringify(findings));
};

/** Reads the table of the previous release with this one, and compares the schema versions of both for the way back. */
const proveUpgrades = async (): Promise<void> => {
  const { read, readBack, added, snapshots, findings } = await proveUpgrade();
  console.log(
    [
      `${read} items of the previous release are valid in this one`,
      `  ${readBack} items of this release have a version that the previous one reads; new types: ${added.join(', ') || 'none'}`,
      `  snapshots: ${JSON.stringify(snapshots)}; findings: ${findings.length}`,
    ].join('\n'),
  );
  if (findings.length > 0) fail(JSON.stringify(findings));
};

const proofs = {
  locks: proveLocks,
  states: proveStates,
  lists: proveLists,
  'list-index': proveListIndex,
  events: proveEvents,
  history: proveHistories,
  crashes: proveCrashes,
  import: proveImports,
  'big-state': proveBigStates,
  restore: proveRestores,
  upgrade: proveUpgrades,
  scale: proveScale,
  costs: proveCosts,
  'cold-starts': proveColdStarts,
};
const usage = `Usage: npm run prove -- [proof ...] [options]

Runs the proofs of the test suite at full size, by default all of them, and prints what was counted.

  --calls <number>       calls of the race for locks
  --seed <number>        seed of the random choices; may be repeated
  --imported-workspaces <number>
                         workspaces of an import
  --versions <number>    largest number of state versions of one of them
  --skew <number>        how few of them have many: 1 makes each number equally likely
  --kills <number>       kills of the process of the import
  --megabytes <number>   size of the large state
  --changes <number>     changes that are published
  --workspaces <number>  size of an organization for lists; may be repeated
  --rows <number>        size of a list index; may be repeated

Proofs: ${Object.keys(proofs).join(', ')}`;

/** `npm run prove`: see the usage above. */
const { values, positionals } = readArguments(usage, {
  allowPositionals: true,
  options: {
    calls: { type: 'string', default: '6000' },
    seed: { type: 'string', multiple: true, default: ['1', '2'] },
    'imported-workspaces': { type: 'string', default: '1000' },
    versions: { type: 'string', default: '200' },
    skew: { type: 'string', default: '1' },
    kills: { type: 'string', default: '100' },
    megabytes: { type: 'string', default: '50' },
    changes: { type: 'string', default: '10000' },
    workspaces: { type: 'string', multiple: true, default: ['100', '10000', '100000'] },
    rows: { type: 'string', multiple: true, default: ['100', '1000', '10000', '100000'] },
  },
});
const unknown = positionals.filter((name) => !Object.hasOwn(proofs, name));
if (unknown.length > 0) {
  console.error(`There is no proof ${unknown.join(', ')}\n${usage}`);
  process.exit(1);
}
for (const [name, prove] of Object.entries(proofs)) {
  if (positionals.length === 0 || positionals.includes(name)) await prove();
}
