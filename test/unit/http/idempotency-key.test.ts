import { describe, expect, it } from 'vitest';
import type { DomainError } from '../../../shared/domain/errors.ts';
import { parseIdempotencyKey } from '../../../shared/http/middleware/read-idempotency-key.ts';

describe('parseIdempotencyKey', () => {
  it.each([
    ['"8e03978e-40d5-43e8-bc93-6894a57f9324"', '8e03978e-40d5-43e8-bc93-6894a57f9324'],
    ['8e03978e-40d5-43e8-bc93-6894a57f9324', '8e03978e-40d5-43e8-bc93-6894a57f9324'],
    [' "a b" ', 'a b'],
    ['"a \\"b\\" \\\\"', 'a "b" \\'],
    ['dGVzdA+/==', 'dGVzdA+/=='],
    [`"${'k'.repeat(255)}"`, 'k'.repeat(255)],
  ])('reads %s', (header, key) => {
    expect(parseIdempotencyKey(header)).toBe(key);
  });

  it.each([
    '',
    '""',
    '"',
    '"a',
    'a"',
    'a b',
    'a,b',
    '"a", "b"',
    '"a";p=1',
    '"a\\n"',
    '"\u00e9"',
    '"\t"',
    `"${'k'.repeat(256)}"`,
  ])('rejects %j with 400', (header) => {
    expect(() => parseIdempotencyKey(header)).toThrow(
      expect.objectContaining({
        code: 'bad-request',
        detail: expect.stringContaining('Idempotency-Key'),
      }) as DomainError,
    );
  });
});
