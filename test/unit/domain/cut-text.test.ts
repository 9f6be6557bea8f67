import { describe, expect, test } from 'vitest';
import { cutText } from '../../../shared/domain/cut-text.ts';

describe('the beginning of a text', () => {
  test.each([
    ['short', 5, 'short'],
    ['longer', 4, 'long'],
    ['a😀', 3, 'a😀'],
    ['a😀', 2, 'a\ufffd'],
    ['\ud800b', 2, '\ufffdb'],
  ])('of %j with at most %i characters is %j', (text, most, expected) => {
    expect(cutText(text, most)).toBe(expected);
  });
});
