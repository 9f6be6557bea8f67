import { describe, expect, test } from 'vitest';
import type { ClaimCondition } from '../../../../shared/domain/directory/records.ts';
import {
  findClaim,
  isClaimPointer,
  matchesPattern,
  meets,
} from '../../../../shared/domain/workload-identities/conditions.ts';
import { readConditions } from '../../../../shared/domain/workload-identities/read-conditions.ts';
import { cpuSeconds } from '../../../support/setup/deadline.ts';

describe('a pattern', () => {
  test.each([
    ['repo:acme/network:ref:refs/heads/*', 'repo:acme/network:ref:refs/heads/main', true],
    ['repo:acme/network:ref:refs/heads/*', 'repo:acme/network:ref:refs/heads/feature/one', false],
    ['repo:acme/*', 'repo:acme/network', true],
    ['repo:acme/*', 'repo:acme/network:ref:refs/heads/main', false],
    ['repo:acme/*', 'repo:acme/network/evil', false],
    ['repo:*/network', 'repo:acme:x/network', false],
    ['a*c', 'abc', true],
    ['a*c', 'ac', true],
    ['a*c', 'abcd', false],
    ['a.c', 'abc', false],
    ['*@acme.com', 'eve@acme.com', true],
    ['*@acme.com', 'eve@acme.com.evil.com', false],
    ['main', 'MAIN', false],
  ])('%s matches %s: %s', (pattern, text, expected) => {
    expect(matchesPattern(pattern, text)).toBe(expected);
  });

  test('is compared in time that grows with its length only', async () => {
    const compare = () => expect(matchesPattern(`${'a*'.repeat(200)}b`, 'a'.repeat(10_000))).toBe(false);
    expect(await cpuSeconds(compare)).toBeLessThan(0.5);
  });
});

describe('a condition', () => {
  const claims = {
    sub: 'one',
    number: 7,
    // As JSON.parse reads the id 9007199254740993.
    long: 9_007_199_254_740_992,
    flag: true,
    list: ['one'],
    nested: { 'a/b': { '~': 'deep' } },
    nothing: null,
  };
  const condition = (claim: string, ...equals: string[]): ClaimCondition => ({ claim, equals });

  test.each([
    [condition('/sub', 'other', 'one'), true],
    [condition('/number', '7'), true],
    [condition('/long', '9007199254740992', '9007199254740993'), false],
    [condition('/flag', 'true'), true],
    [condition('/nested/a~1b/~0', 'deep'), true],
    [condition('/list', 'one'), false],
    [condition('/list/0', 'one'), false],
    [condition('/nested', '[object Object]'), false],
    [condition('/nothing', 'null'), false],
    [condition('/missing', 'undefined'), false],
    [condition('/toString', 'one'), false],
    [condition('/constructor/name', 'Object'), false],
    [{ claim: '/list', matches: 'o*' }, false],
  ])('%o is met: %s', (one, expected) => {
    expect(meets(claims, one)).toBe(expected);
  });

  test('names a claim by a JSON pointer', () => {
    for (const pointer of ['/sub', '/a/b', '/a~1b'])
      expect([pointer, isClaimPointer(pointer)]).toEqual([pointer, true]);
    for (const pointer of ['', '/', 'sub', '/a~2', '/a//b']) {
      expect([pointer, isClaimPointer(pointer)]).toEqual([pointer, false]);
    }
    expect(findClaim(claims, 'sub')).toBeUndefined();
  });

  test.each([
    [[]],
    [[{ claim: 'sub', equals: ['x'] }]],
    [[{ claim: '/sub' }]],
    [[{ claim: '/sub', equals: ['x'], matches: 'x' }]],
    [[{ claim: '/sub', matches: '*' }]],
    [[{ claim: '/sub', matches: '*/*:*' }]],
  ])('is rejected in %o', (given) => {
    expect(() => readConditions(given)).toThrow(/^Conditions must/);
  });
});
