import { expect, test } from 'vitest';
import { negotiateEncoding, prefersBrotli } from '../../../shared/http/content-encoding.ts';

test.each([
  // Clients as they are: nothing, curl, browsers, Go, undici.
  [undefined, 'identity'],
  ['', 'identity'],
  ['identity', 'identity'],
  ['deflate, gzip, br, zstd', 'gzip'],
  ['gzip, deflate, br', 'gzip'],
  ['gzip', 'gzip'],
  ['br, deflate', 'identity'],
  // Weights, in any order.
  ['gzip;q=0', 'identity'],
  ['gzip; q=0.000, br', 'identity'],
  ['gzip;q=0.001', 'gzip'],
  ['br;q=1.0, gzip;q=0.8, *;q=0.1', 'gzip'],
  ['identity;q=1, gzip;q=0.5', 'identity'],
  ['gzip;q=0.5, identity;q=0.4', 'gzip'],
  ['gzip;q=0.5, identity;q=0.5', 'gzip'],
  // Every coding that is not listed.
  ['*', 'gzip'],
  ['*;q=0.5, identity', 'identity'],
  ['*;q=0', 'identity'],
  ['gzip;q=0, *', 'identity'],
  // Clients that reject a plain body.
  ['gzip, identity;q=0', 'gzip-only'],
  ['identity;q=0, *;q=0.5', 'gzip-only'],
  ['*;q=0, gzip;q=0.1', 'gzip-only'],
  ['identity;q=0', 'identity'],
  ['identity;q=0, br', 'identity'],
  // Spelling: case, spaces, an old name.
  ['GZIP', 'gzip'],
  ['Identity;Q=0,GZip', 'gzip-only'],
  ['  br ,\tgzip ; q=0.5 ', 'gzip'],
  ['x-gzip', 'gzip'],
  ['x-gzipped', 'identity'],
  // Malformed elements.
  [',,gzip,', 'gzip'],
  ['gzip;q=2', 'identity'],
  ['gzip;q=-1', 'identity'],
  ['gzip;q=', 'identity'],
  ['gzip;level=9', 'identity'],
  ['gzip;q=nonsense, *;q=0.5', 'gzip'],
  [';q=1', 'identity'],
] as const)('negotiates Accept-Encoding: %j to %s', (header, encoding) => {
  expect(negotiateEncoding(header)).toBe(encoding);
});

test.each([
  [undefined, false],
  ['gzip, deflate, br, zstd', true],
  ['br;q=0.5, gzip;q=0.4', true],
  ['br;q=0.4, gzip;q=0.5', false],
  ['br;q=0', false],
  ['*', false],
])('prefers Brotli for Accept-Encoding %s: %s', (header, isPreferred) => {
  expect(prefersBrotli(header)).toBe(isPreferred);
});
