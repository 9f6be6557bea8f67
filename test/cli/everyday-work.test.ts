import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, afterEach, beforeAll, expect, test, vi } from 'vitest';
import { buildState } from '../support/api/states.ts';
import { type CliBed, startCliBed } from '../support/cli/cli-bed.ts';

const page = readFileSync(join(import.meta.dirname, '../../docs/concepts/command-line.md'), 'utf8');
const [, section = ''] = /\n## Everyday work\n(.*?)\n## /s.exec(page) ?? [];

/** The commands of the table. Those with `exec` start programs, which a test of their own does. */
const lines = [...section.matchAll(/\| `(holdfast .*)` \|\n/g)]
  .map(([, line = '']) => line.replaceAll('\\|', '|'))
  .filter((line) => !line.startsWith('holdfast exec'));

/** Splits a line into the arguments of each program of a pipeline, as a shell does. */
const readPipeline = (line: string): readonly (readonly string[])[] =>
  line
    .split(' | ')
    .map((program) =>
      [...program.matchAll(/'([^']*)'|"([^"]*)"|\S+/g)]
        .slice(1)
        .map(([word, single, double]) => single ?? double ?? word),
    );

/** Exit codes other than 0: the variables differ, and a user ends what follows the audit trail. */
const exitCodes: Readonly<Record<string, number>> = { 'var diff': 7, 'audit list': 130 };

let bed: CliBed;
beforeAll(async () => {
  bed = await startCliBed();
  for (const name of ['network', 'network-staging', 'network-production']) {
    await bed.json(['ws', 'create', name, '--tag', 'core']);
    await bed.json(['var', 'set', name, 'AWS_REGION', '--category', 'env'], { stdin: name });
  }
  await bed.json(['state', 'push', 'network'], { stdin: buildState({ serial: 1 }).toString() });
  writeFileSync(join(bed.home, 'password.txt'), 's3cret');
});
afterEach(() => {
  vi.useRealTimers();
});
afterAll(() => bed.stop());

test('the page has the tasks', () => {
  expect(lines.length).toBeGreaterThan(10);
});

test.each(lines)('works as the page about the command line says: %s', async (line) => {
  vi.useFakeTimers({ toFake: ['Date'], now: Date.now() + 100 * 86_400_000 });
  const interruption = new AbortController();
  let stdout = '';
  for (const argv of readPipeline(line)) {
    const result = await bed.run(argv, {
      stdin: stdout,
      signal: interruption.signal,
      wait: async (_, signal) => {
        interruption.abort();
        signal.throwIfAborted();
      },
    });
    expect(result.code, result.stderr).toBe(exitCodes[argv.slice(0, 2).join(' ')] ?? 0);
    stdout = result.stdout;
  }
});
