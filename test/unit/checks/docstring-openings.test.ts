import { expect, test } from 'vitest';
import { discouragedOpenings, undocumentedFunctions } from '../../support/checks/docstring-openings.ts';

const docstring = (text: string): string => `/** ${text} */\nexport const limit = 1;\n`;

test.each(['What', 'Whose', 'Who', 'Where', 'How', 'The same', 'One that'])(
  'reports a docstring that starts with "%s", with its line',
  (words) => {
    const text = `const first = 1;\n${docstring(`${words} counts.`)}`;
    expect(discouragedOpenings([{ path: 'shared/store/a.ts', text }])).toEqual([
      `shared/store/a.ts:2: the docstring starts with "${words}"; start with a verb or name the thing`,
    ]);
  },
);

test('reports a docstring of several lines', () => {
  const text = docstring('\n * What counts.\n ');
  expect(discouragedOpenings([{ path: 'shared/lib/a.ts', text }])).toHaveLength(1);
});

test('accepts docstrings that start with a verb or a noun phrase', () => {
  const text = docstring('Reads what counts.') + docstring('However many there are.');
  expect(discouragedOpenings([{ path: 'shared/store/a.ts', text }])).toEqual([]);
});

test('ignores folders that are not in the list', () => {
  expect(discouragedOpenings([{ path: 'other/a.ts', text: docstring('What counts.') }])).toEqual([]);
});

test.each([
  'export function first() {}',
  'export async function first() {}',
  'export const first = (): number => 1;',
  'export const first = async <T>(value: T) => value;',
  'export const first: () => number =\n  () => 1;',
])('reports an exported function without a docstring: %s', (code) => {
  const problem = 'shared/lib/a.ts:3: first has no docstring';
  const floating = `/** Describes the file. */\n\n${code}\n`;
  expect(undocumentedFunctions([{ path: 'shared/lib/a.ts', text: floating }])).toEqual([problem]);
  const documented = `/** Returns one. */\n// biome-ignore lint: example\n${code}\n`;
  expect(undocumentedFunctions([{ path: 'shared/lib/a.ts', text: documented }])).toEqual([]);
});

test.each(['const first = () => 1;', 'export const first = 1;', 'export const first = call(() => 1);'])(
  'accepts code without an exported function: %s',
  (text) => {
    expect(undocumentedFunctions([{ path: 'shared/lib/a.ts', text }])).toEqual([]);
  },
);
