/** `npm run bench:cli`: start of the built command line, in proportion to that of Node in the same run. */
import { spawnSync } from 'node:child_process';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { buildCommandLine, CLI_FILE } from '../../infra/build/cli.ts';
import { readArguments } from '../../infra/command-line.ts';
import { median } from './statistics.ts';

const usage = `Usage: npm run bench:cli -- [--runs <number>]

Runs "holdfast --version", "holdfast --help" and "node -e 0" in turn, and prints the median of their durations and of the
proportions to the run of Node next to them. "holdfast --version" may take at most 1.6 times as long as Node.

  --runs <number>  runs of each command`;

const { values } = readArguments(usage, { options: { runs: { type: 'string', default: '40' } } });

const folder = mkdtempSync(join(tmpdir(), 'holdfast-cli-'));
const file = join(folder, CLI_FILE);
const commands = { 'holdfast --version': [file, '--version'], 'holdfast --help': [file, '--help'] };

const measure = (args: readonly string[]): number => {
  const start = performance.now();
  const { status, stderr } = spawnSync(process.execPath, args);
  if (status !== 0) throw new Error(`node ${args.join(' ')} ended with ${status}: ${stderr}`);
  return performance.now() - start;
};

try {
  await buildCommandLine(folder);
  const baseline: number[] = [];
  const durations = Object.entries(commands).map(([name, args]) => ({ name, args, runs: [] as number[] }));
  for (let run = 0; run <= Number(values.runs); run += 1) {
    const results = [['-e', '0'], ...durations.map(({ args }) => args)].map(measure);
    // The first run reads the files from the disk.
    if (run === 0) continue;
    const [node = 0, ...others] = results;
    baseline.push(node);
    for (const [index, { runs }] of durations.entries()) runs.push(others[index] ?? 0);
  }
  console.log(`${'node -e 0'.padEnd(20)} ${median(baseline).toFixed(0)} ms`);
  for (const { name, runs } of durations) {
    const proportion = median(runs.map((duration, index) => duration / (baseline[index] ?? 0)));
    console.log(`${name.padEnd(20)} ${median(runs).toFixed(0)} ms, ${proportion.toFixed(2)} times as long as Node`);
  }
} finally {
  rmSync(folder, { recursive: true });
}
