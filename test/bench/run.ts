import { mkdir, readFile, writeFile } from 'node:fs/promises';
import { availableParallelism, cpus } from 'node:os';
import { join } from 'node:path';
import { readArguments } from '../../infra/command-line.ts';
import { assemble } from '../support/local/assembly.ts';
import { measureBurst } from './burst.ts';
import { compareClients, renderClients } from './clients.ts';
import { measureColdStart, renderColdStart } from './cold-start.ts';
import { compareWithCheckout, renderComparison } from './compare.ts';
import { withMeasured } from './cost-model.ts';
import { measureCosts, renderCosts } from './cost-report.ts';
import { idleLines } from './idle.ts';
import { measureListIndexLoad, renderListIndexLoad } from './list-index-load.ts';
import { measureOperations } from './measure-operations.ts';
import { operations } from './operations.ts';
import { measureWithOtherServer, renderWithOtherServer } from './other-server.ts';
import { profileOperations, renderProfiles } from './profile.ts';
import { plotOf, pricedOf, reportOf, sectionOf, withSection } from './report.ts';
import type { BenchResults } from './results.ts';
import { verdictsOf } from './targets.ts';
import { createTestbed } from './testbed.ts';
import { compareThroughput, measureThroughput } from './throughput.ts';

const usage = `Usage: npm run bench -- [options]

Measures the cost and duration of operations at every organization size, compared with the bare calls that they cannot
avoid. A short run: npm run bench -- --workspaces 100 --workspaces 1000 --turns 50

  --workspaces <number>   size of an organization; may be repeated
  --operation <name>      operation to measure, by default all; may be repeated
  --turns <number>        requests of each operation
  --seconds <number>      duration of each measurement of the throughput
  --out <folder>          folder of the results
  --write                 writes the result to docs/benchmarks.md

These forms print a table and nothing else:

  --profile               shows which parts of the code take the CPU time of each operation
  --against <folder>      compares the CPU time of the functions with another checkout of this repository
  --beside <url> --token <token> --organization <name>
                          compares this service with another server of the API; --pids <id>, once for each process of
                          that server, compares the CPU time too
  --clients               compares the two clients of DynamoDB

Operations: ${operations.map(({ name }) => name).join('; ')}`;

/** `npm run bench`: see the usage above. */
const { values } = readArguments(usage, {
  options: {
    workspaces: { type: 'string', multiple: true, default: ['100', '1000', '10000', '100000'] },
    turns: { type: 'string', default: '200' },
    seconds: { type: 'string', default: '3' },
    operation: { type: 'string', multiple: true, default: operations.map(({ name }) => name) },
    out: { type: 'string', default: 'bench-results' },
    write: { type: 'boolean', default: false },
    profile: { type: 'boolean', default: false },
    against: { type: 'string' },
    beside: { type: 'string' },
    token: { type: 'string', default: '' },
    organization: { type: 'string', default: '' },
    pids: { type: 'string', multiple: true, default: [] },
    clients: { type: 'boolean', default: false },
  },
});

const started = performance.now();
const progress = (line: string): void =>
  console.log(`${((performance.now() - started) / 1_000).toFixed(0).padStart(5)} s  ${line}`);

const unknown = values.operation.filter((name) => operations.every((one) => one.name !== name));
if (unknown.length > 0) {
  console.error(`There is no operation ${unknown.join(', ')}\n${usage}`);
  process.exit(1);
}
const chosen = operations.filter(({ name }) => values.operation.includes(name));
const sizes = values.workspaces.map(Number);
const turns = Number(values.turns);
const milliseconds = 1_000 * Number(values.seconds);

const measure = async (): Promise<BenchResults> => {
  const testbed = await createTestbed(sizes);
  progress(
    `Seeded organizations of ${sizes.join(', ')} workspaces, ${Math.round(testbed.seedingRate)} workspaces per second`,
  );
  try {
    const [smallest, largest] = [testbed.organizations[0], testbed.organizations.at(-1)];
    if (smallest === undefined || largest === undefined)
      throw new RangeError('Give at least one size with --workspaces');
    // Runs first, because later measurements create and change workspaces.
    const burst = await measureBurst(testbed, largest, 1_000);
    progress('Measured lists after a burst of changes');
    const measured = await measureOperations(testbed, chosen, { turns, warming: 50, starts: 3 }, progress);
    const ratios = [];
    for (const name of ['show by id', 'lock or unlock']) {
      const operation = operations.find((one) => one.name === name);
      if (operation !== undefined) ratios.push(await compareThroughput(testbed, smallest, operation, milliseconds));
      progress(`Compared the throughput with bare calls: ${name}`);
    }
    const throughput = await measureThroughput(testbed, largest, chosen, milliseconds);
    progress('Measured the throughput');
    await testbed.stop();
    const listIndex = await measureListIndexLoad(largest.size);
    progress('Measured list index loads');
    const coldStarts = await measureColdStart();
    progress('Measured cold starts');
    return {
      machine: { cores: availableParallelism(), processor: cpus()[0]?.model ?? '', node: process.versions.node },
      seedingRate: testbed.seedingRate,
      operations: measured,
      throughput,
      ratios,
      burst,
      listIndex,
      coldStarts,
    };
  } finally {
    await testbed.stop();
  }
};

const runBenchmark = async (): Promise<void> => {
  const results = await measure();
  await mkdir(values.out, { recursive: true });
  await writeFile(join(values.out, 'results.json'), `${JSON.stringify(results, undefined, 2)}\n`);
  await writeFile(join(values.out, 'cost-by-size.svg'), plotOf(results));
  const costs = measureCosts(withMeasured(pricedOf(results)), idleLines(await assemble()));
  const report = reportOf(results, [
    '## First list of an instance',
    '',
    ...renderListIndexLoad(results.listIndex),
    '',
    '## Cold starts',
    '',
    ...renderColdStart(results.coldStarts),
    '',
    '## Costs',
    '',
    ...renderCosts(costs),
  ]);
  await writeFile(join(values.out, 'report.md'), report);
  console.log(report);
  if (values.write) {
    const [page, picture] = ['docs/benchmarks.md', 'cost-by-size.svg'];
    await writeFile(join('docs', picture), plotOf(results));
    await writeFile(page, withSection(await readFile(page, 'utf8'), sectionOf(results, picture)));
  }
  if (verdictsOf(results).some(({ isMet }) => !isMet)) process.exitCode = 1;
};

if (values.clients) {
  console.log(renderClients(await compareClients(5, 5 * turns, progress)).join('\n'));
} else if (values.profile) {
  const profiles = await profileOperations({ chosen, size: sizes[0] ?? 100, turns }, progress);
  console.log(renderProfiles(profiles).join('\n'));
} else if (values.against !== undefined) {
  const options = { checkout: values.against, chosen, size: sizes[0] ?? 100, turns, warming: turns };
  console.log(renderComparison(await compareWithCheckout(options, progress)).join('\n'));
} else if (values.beside !== undefined) {
  const { token, organization, pids } = values;
  const other = { origin: new URL(values.beside).origin, token, organization, pids: () => pids.map(Number) };
  const measures = await measureWithOtherServer(
    { other, chosen, turns: 10, milliseconds: milliseconds / 10 },
    progress,
  );
  console.log(renderWithOtherServer(measures).join('\n'));
} else {
  await runBenchmark();
}
