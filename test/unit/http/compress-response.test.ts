import { randomBytes } from 'node:crypto';
import { gunzipSync } from 'node:zlib';
import { describe, expect, test } from 'vitest';
import { limits } from '../../../shared/domain/limits.ts';
import { compressResponse, MIN_COMPRESSED } from '../../../shared/http/middleware/compress-response.ts';
import { serializeError } from '../../../shared/http/middleware/serialize-error.ts';
import type { HttpRequest } from '../../../shared/http/request.ts';
import type { HttpResponse } from '../../../shared/http/response.ts';
import { runMiddleware } from '../../support/http/run-middleware.ts';

const LONG = 'a'.repeat(MIN_COMPRESSED);
const SHORT = LONG.slice(1);
const headers = { 'content-type': 'application/vnd.api+json' };

const run = async (body: string | undefined, accepted?: string): Promise<HttpResponse | null | undefined> => {
  const response = { statusCode: 200, headers, ...(body !== undefined && { body }) };
  const event = { headers: { ...(accepted !== undefined && { 'accept-encoding': accepted }) } };
  return (await runMiddleware({ after: compressResponse }, { event, handler: async () => response })).response;
};

const decompress = (body = ''): string => gunzipSync(Buffer.from(body, 'base64')).toString();

describe('compressResponse', () => {
  test('compresses a body for a client that accepts gzip, and keeps its headers', async () => {
    const text = `${LONG} – ä`;
    const response = await run(text, 'gzip, deflate');
    expect(response).toEqual({
      statusCode: 200,
      headers: { ...headers, vary: 'accept-encoding', 'content-encoding': 'gzip' },
      body: expect.any(String),
      isBase64Encoded: true,
    });
    expect(decompress(response?.body)).toBe(text);
    expect(response?.body?.length).toBeLessThan(text.length / 10);
  });

  test.each([
    ['without Accept-Encoding', LONG, undefined],
    ['for a client that prefers a plain body', LONG, 'identity, gzip;q=0.5'],
    ['that is short', SHORT, 'gzip'],
  ])('sends a body %s as text, with Vary', async (_, body, accepted) => {
    const plain = { statusCode: 200, headers: { ...headers, vary: 'accept-encoding' }, body };
    expect(await run(body, accepted)).toEqual(plain);
  });

  test('compresses a short body for a client that rejects a plain one', async () => {
    const response = await run(SHORT, 'gzip, identity;q=0');
    expect(response?.headers).toHaveProperty('content-encoding', 'gzip');
    expect(decompress(response?.body)).toBe(SHORT);
  });

  test('sends a body as text if base64 would make the compressed form larger than a response may be', async () => {
    // Random printable characters lose a fifth of their bytes when they are compressed, and base64 adds a third.
    const printable = Array.from({ length: 95 }, (_, index) => 32 + index).filter((code) => code !== 34 && code !== 92);
    const codes = randomBytes(limits.responseBody).map((byte) => printable[byte % printable.length] ?? 0);
    const response = await run(Buffer.from(codes).toString('latin1'), 'gzip');
    expect(response?.isBase64Encoded).toBeUndefined();
    expect(response?.headers).toEqual({ ...headers, vary: 'accept-encoding' });
  });

  test.each([
    ['user-agent', 'accept-encoding, user-agent'],
    ['accept-encoding', 'accept-encoding'],
  ])('adds its own name once to Vary: %s', async (vary, expected) => {
    const varying = async () => ({ statusCode: 200, headers: { vary }, body: SHORT });
    const { response } = await runMiddleware({ after: compressResponse }, { handler: varying });
    expect(response?.headers).toEqual({ vary: expected });
  });

  test('leaves a response without a body, and a file that is compressed already, as they are', async () => {
    expect(await run(undefined, 'gzip')).toEqual({ statusCode: 200, headers });
    const file: HttpResponse = { statusCode: 200, headers, body: LONG, isBase64Encoded: true };
    const event = { headers: { 'accept-encoding': 'gzip' } };
    const { response } = await runMiddleware({ after: compressResponse }, { event, handler: async () => file });
    expect(response).toBe(file);
  });

  test('compresses the response to an error', async () => {
    const onError = (request: HttpRequest) => {
      serializeError(request);
      return compressResponse(request);
    };
    const { response } = await runMiddleware(
      { onError },
      {
        event: { headers: { 'accept-encoding': 'gzip, identity;q=0' } },
        handler: async () => {
          throw new Error('failed');
        },
      },
    );
    expect(response).toMatchObject({ statusCode: 500, headers: { 'content-encoding': 'gzip' } });
    expect(JSON.parse(decompress(response?.body))).toEqual({
      errors: [{ status: '500', title: 'internal server error' }],
    });
  });
});
