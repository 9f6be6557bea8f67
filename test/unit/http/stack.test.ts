import type { Context } from 'aws-lambda';
import { describe, expect, test, vi } from 'vitest';
import { createHandler } from '../../../shared/http/stack.ts';
import { type Logger, messages } from '../../../shared/logging/log.ts';

const logger = { info: vi.fn(), warn: vi.fn(), error: vi.fn() };
const handler = createHandler('fallback', { ping: async () => undefined }, { logger: logger as unknown as Logger });
const request = (method: string, rawPath: string, routeKey: string, headers: Record<string, string> = {}) =>
  handler(
    {
      version: '2.0',
      routeKey,
      rawPath,
      rawQueryString: '',
      headers,
      isBase64Encoded: false,
      requestContext: { requestId: 'request-1', domainName: 'holdfast.example.com', http: { method } },
    } as never,
    {} as Context,
  );

describe('createHandler', () => {
  test('responds with the status of the route and the headers of every response', async () => {
    expect(await request('GET', '/api/v2/ping', 'GET /api/v2/ping')).toEqual({
      statusCode: 204,
      headers: {
        'tfp-api-version': '2.6',
        'tfp-appname': 'Holdfast',
        'cache-control': 'no-store',
        'x-content-type-options': 'nosniff',
      },
    });
  });

  test('logs the status of the error document, because errors are serialized before they are logged', async () => {
    const { statusCode } = await request('DELETE', '/api/v2/ping', '$default');
    expect(statusCode).toBe(405);
    expect(logger.info).toHaveBeenLastCalledWith(
      messages.REQUEST_REJECTED,
      expect.objectContaining({ status: 405, code: 'method-not-allowed' }),
    );
  });

  test('compresses the documents of errors', async () => {
    const accepting = { 'accept-encoding': 'gzip, identity;q=0' };
    const { headers, isBase64Encoded } = await request('DELETE', '/api/v2/ping', '$default', accepting);
    expect(headers).toMatchObject({ allow: 'GET', vary: 'accept-encoding', 'content-encoding': 'gzip' });
    expect(isBase64Encoded).toBe(true);
  });

  test('responds with 500 to a request for a route of another function', async () => {
    const { statusCode } = await request('GET', '/.well-known/terraform.json', 'GET /.well-known/terraform.json');
    expect(statusCode).toBe(500);
    expect(logger.error).toHaveBeenCalledOnce();
  });
});
