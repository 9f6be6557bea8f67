import { expect, test } from 'vitest';
import { discouragedOpenings } from '../../support/checks/docstring-openings.ts';

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
