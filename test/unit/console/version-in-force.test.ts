import { expect, it } from 'vitest';
import { warnOfOlder } from '../../../functions/console/app/lib/versions.ts';
import { withoutRepetitions } from '../../../shared/client/compare.ts';

it.each([
  ['1.9.5', '1.16.5', true],
  ['1.16.5', '1.9.5', false],
  ['1.9.5', '1.9.5', false],
  ['~> 1.9.0', '1.16.5', false],
  ['latest', '1.16.5', false],
  ['1.9.5', null, false],
])('compares the versions %s and %s by number, and constraints not at all', (version, other, expected) => {
  expect(warnOfOlder(version, other) !== undefined).toBe(expected);
});

it('shows the version in force next to the version that was set only if they differ', () => {
  const changes = (set: string) => [
    { name: 'infra-version', old: '1.16.5', new: set },
    { name: 'infra-version-resolved', old: '1.16.5', new: '1.9.5' },
    { name: 'terraform-version', old: '1.16.5', new: set },
  ];
  const names = (set: string) => withoutRepetitions(changes(set)).map(({ name }) => name);
  expect(names('1.9.5')).toEqual(['infra-version']);
  expect(names('~> 1.9.0')).toEqual(['infra-version', 'infra-version-resolved']);
});
