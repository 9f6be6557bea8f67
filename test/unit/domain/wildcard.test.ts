import { fc, test } from '@fast-check/vitest';
import { describe, expect, it } from 'vitest';
import { wildcard } from '../../../shared/domain/wildcard.ts';
import { matchesWildcard } from '../../support/models/lists/list-model.ts';
import { bounded } from '../../support/setup/run-budget.ts';

describe('wildcard', () => {
  test.prop([fc.stringMatching(/^[ab*.?\\[\]]{0,10}$/), fc.stringMatching(/^[ab.?\\[\]]{0,12}$/)], bounded(4_000))(
    'matches like the equivalent regular expression',
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
  ])('matching the pattern "%s" with the text "%s" returns %s', (pattern, text, expected) => {
    expect(wildcard(pattern)(text)).toBe(expected);
  });

  it('matches a pattern with 10,000 stars without backtracking', () => {
    const matches = wildcard(`${'*a'.repeat(10_000)}*b`);
    expect(matches('a'.repeat(100_000))).toBe(false);
    expect(matches(`${'a'.repeat(100_000)}b`)).toBe(true);
  });
});
