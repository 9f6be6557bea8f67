import { mkdtempSync, readdirSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { canonicalJson, encodeName, keyOf, sortable } from '../../infra/cli/bundle/canonical.ts';
import { createSorter } from '../../infra/cli/bundle/sorter.ts';

const collect = async (lines: AsyncIterable<string>): Promise<readonly string[]> => {
  const all: string[] = [];
  for await (const line of lines) all.push(line);
  return all;
};

test('sorts more lines than fit into memory, in files that it removes', async () => {
  const folder = mkdtempSync(join(tmpdir(), 'holdfast-sorter-'));
  try {
    const sorter = createSorter(join(folder, 'run'), (line) => line);
    const padding = 'x'.repeat(1_000);
    const lines = Array.from({ length: 20_000 }, (_, index) => `${(index * 7_919) % 20_000}-${padding}`);
    for (const line of lines) await sorter.add(line);
    expect(readdirSync(folder).length).toBeGreaterThan(2);
    expect(await collect(sorter.sorted())).toEqual([...lines].sort());
    expect(readdirSync(folder)).toEqual([]);
  } finally {
    rmSync(folder, { recursive: true });
  }
});

test('replaces the files of a process that was killed, and removes those of lines that nobody reads', async () => {
  const folder = mkdtempSync(join(tmpdir(), 'holdfast-sorter-'));
  try {
    const line = 'x'.repeat(2 ** 20);
    for (let time = 1; time <= 2; time += 1) {
      const left = createSorter(join(folder, 'run'), (text) => text);
      for (let count = 0; count < 6; count += 1) await left.add(line);
      expect(readdirSync(folder)).toEqual(['run.0']);
      if (time === 1) continue;
      await left.sorted().next();
      await left.discard();
      expect(readdirSync(folder)).toEqual([]);
    }
  } finally {
    rmSync(folder, { recursive: true });
  }
});

test('sorts an empty list', async () => {
  expect(await collect(createSorter('/nowhere', (line) => line).sorted())).toEqual([]);
});

test('orders names by their UTF-8 bytes, also those beyond the basic plane', () => {
  const names = ['a', 'Z', 'é', '\uffee', '\u{1f600}', 'zz'];
  const byBytes = [...names].sort((a, b) => Buffer.compare(Buffer.from(a), Buffer.from(b)));
  expect([...names].sort((a, b) => (sortable(a) < sortable(b) ? -1 : 1))).toEqual(byBytes);
  expect([...names].sort()).not.toEqual(byBytes);
});

test('orders records by each member of their key, numbers by their value', () => {
  const version = (workspace: string, position: number) =>
    keyOf('state-versions', { workspace, position, serial: 1, 'is-current': false, sha256: null });
  const sorted = [version('a', 2), version('a', 10), version('a\u0000', 1), version('a-b', 1), version('ab', 1)];
  expect([...sorted].reverse().sort()).toEqual(sorted);
});

test('writes equal values as equal text, whatever the order of their members', () => {
  expect(canonicalJson({ b: [{ d: 1, c: null }], a: 'é"\n', 10: 1, 9: 2 })).toBe(
    canonicalJson({ 9: 2, 10: 1, a: 'é"\n', b: [{ c: null, d: 1 }] }),
  );
  expect(canonicalJson({ b: 1, a: undefined, 9: 0, 10: 0 })).toBe('{"10":0,"9":0,"b":1}');
});

test.each([
  ['acme', 'acme'],
  ['..', '%2E%2E'],
  ['a/b', 'a%2Fb'],
  ['CON:é', 'CON%3A%C3%A9'],
])('encodes the name %j as the folder %s', (name, folder) => {
  expect(encodeName(name)).toBe(folder);
});
