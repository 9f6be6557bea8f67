import { crc32 } from 'node:zlib';
import { fc, test } from '@fast-check/vitest';
import { describe, expect, it } from 'vitest';
import { digestOf, mintToken, readBearer } from '../../../shared/access/credentials.ts';

const kinds = fc.constantFrom(
  'user' as const,
  'team' as const,
  'organization' as const,
  'site' as const,
  'run' as const,
);

describe('a bearer token', () => {
  it.each([
    ['user', /^hfu_/],
    ['team', /^hft_/],
    ['organization', /^hfo_/],
    ['audit-trails', /^hfa_/],
    ['site', /^hfs_/],
    ['run', /^hfr_/],
  ] as const)('of a %s has the prefix of its kind', (kind, prefix) => {
    expect(mintToken(kind)).toMatch(prefix);
  });

  test.prop([kinds])('ends with the CRC-32 of the rest', (kind) => {
    const token = mintToken(kind);
    expect(Number.parseInt(token.slice(-8), 16)).toBe(crc32(token.slice(0, -8)));
  });

  test.prop([kinds])('is identified by its digest, for every case of the scheme', (kind) => {
    const token = mintToken(kind);
    expect(readBearer(`Bearer ${token}`)).toBe(digestOf(token));
    expect(readBearer(`bearer  ${token} `)).toBe(digestOf(token));
    expect(digestOf(token)).toMatch(/^[0-9a-f]{64}$/);
  });

  test.prop([kinds, fc.nat({ max: 47 }), fc.constantFrom(...'123abcXYZ')])(
    'is rejected without a read if one character is changed',
    (kind, position, character) => {
      const token = mintToken(kind);
      const changed = token.slice(0, position) + character + token.slice(position + 1);
      expect(readBearer(`Bearer ${changed}`)).toBe(changed === token ? digestOf(token) : undefined);
    },
  );

  test.prop([kinds, fc.nat({ max: 47 })])('is rejected if it is truncated', (kind, length) => {
    expect(readBearer(`Bearer ${mintToken(kind).slice(0, length)}`)).toBeUndefined();
  });

  test.prop([fc.string()])('is not found in any other text', (text) => {
    expect(readBearer(text)).toBeUndefined();
    expect(readBearer(`Bearer ${text}`)).toBeUndefined();
  });

  it('is rejected with another scheme or without one', () => {
    const token = mintToken('user');
    expect(readBearer(`Basic ${token}`)).toBeUndefined();
    expect(readBearer(token)).toBeUndefined();
    expect(readBearer(undefined)).toBeUndefined();
  });
});
