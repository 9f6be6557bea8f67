import { describe, expect, test } from 'vitest';
import { DomainError } from '../../../shared/domain/errors.ts';
import { serializeError } from '../../../shared/http/middleware/serialize-error.ts';
import { runMiddleware } from '../../support/http/run-middleware.ts';

const responseTo = async (error: unknown) => {
  const { response } = await runMiddleware(
    { onError: serializeError },
    {
      handler: async () => {
        throw error;
      },
    },
  );
  return { ...response, errors: JSON.parse(response?.body ?? '{}').errors };
};

describe('serializeError', () => {
  test('turns a domain error into a JSON:API document with its status, detail and source', async () => {
    const error = new DomainError('unprocessable', 'Name is taken', { source: { pointer: '/data/attributes/name' } });
    const { statusCode, headers, errors } = await responseTo(error);
    expect(statusCode).toBe(422);
    expect(headers).toMatchObject({ 'content-type': 'application/vnd.api+json' });
    expect(errors).toEqual([
      {
        status: '422',
        title: expect.any(String),
        detail: 'Name is taken',
        source: { pointer: '/data/attributes/name' },
      },
    ]);
  });

  test('reveals nothing about an unexpected error', async () => {
    const { statusCode, errors } = await responseTo(new TypeError('cannot read the secret of undefined'));
    expect(statusCode).toBe(500);
    expect(errors).toEqual([{ status: '500', title: 'internal server error' }]);
  });

  test.each([
    [new DomainError('unauthorized'), { 'www-authenticate': 'Bearer' }],
    [new DomainError('unavailable', undefined, { retryAfter: 2 }), { 'retry-after': '2' }],
    [new DomainError('method-not-allowed', undefined, { allow: ['GET', 'POST'] }), { allow: 'GET, POST' }],
  ])('adds the header that belongs to the error: %s', async (error, headers) => {
    expect((await responseTo(error)).headers).toMatchObject(headers);
  });
});
