import { fc, test } from '@fast-check/vitest';
import { describe, expect, it } from 'vitest';
import { wildcard } from '../../../shared/domain/wildcard.ts';
import { matchesWildcard } from '../../support/models/list-model.ts';
import { bounded } from '../../support/setup/run-budget.ts';

describe('a pattern with stars', () => {
  test.prop([fc.stringMatching(/^[ab*.?\\[\]]{0,10}$/), fc.stringMatching(/^[ab.?\\[\]]{0,12}$/)], bounded(4_000))(
    'matches as the regular expression that it stands for',
    (pattern, text) => {
      expect(wildcard(pattern)(text)).toBe(matchesWildcard(pattern, text));
    },
  );

  it.each([
    ['*-prod', 'web-prod', true],
    ['*-prod', 'web-prod-2', false],
    ['web-*', 'web-', true],
    ['*-x-*', '-x-', true],
    ['*-x-*', 'a-x', false],
    ['a*a', 'a', false],
    ['a*b*a', 'abba', true],
    ['ab*ba', 'aba', false],
    ['web', 'web', true],
    ['web', 'web2', false],
    ['*', '', true],
    ['', '', true],
    ['', 'a', false],
    ['**a**', 'bab', true],
  ])('%s and "%s": %s', (pattern, text, expected) => {
    expect(wildcard(pattern)(text)).toBe(expected);
  });

  it('looks at each letter a bounded number of times, whoever wrote it', () => {
    const matches = wildcard(`${'*a'.repeat(10_000)}*b`);
    expect(matches('a'.repeat(100_000))).toBe(false);
    expect(matches(`${'a'.repeat(100_000)}b`)).toBe(true);
  });
});
