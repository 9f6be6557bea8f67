import { describe, expect, test } from 'vitest';
import { limits } from '../../../shared/domain/limits.ts';
import { parseBody } from '../../../shared/http/middleware/parse-body.ts';
import type { HttpEvent } from '../../../shared/http/request.ts';
import { routeWith, runMiddleware } from '../../support/http/run-middleware.ts';

const route = routeWith({ body: { schema: 'workspaceLock', required: true } });
const runWith = (event: Partial<HttpEvent>, given = route) =>
  runMiddleware(
    { before: parseBody },
    {
      event: { headers: { 'content-type': 'application/vnd.api+json' }, ...event },
      state: { route: given },
    },
  );

describe('parseBody', () => {
  test('parses a JSON document', async () => {
    expect((await runWith({ body: '{"reason":"x"}' })).internal.body).toEqual({ reason: 'x' });
  });

  test('parses a body that API Gateway encoded in base64', async () => {
    const body = Buffer.from('{"reason":"ü"}').toString('base64');
    expect((await runWith({ body, isBase64Encoded: true })).internal.body).toEqual({ reason: 'ü' });
  });

  test('leaves a missing body undefined, whatever the media type', async () => {
    const { response, internal } = await runWith({ headers: {} });
    expect(response?.statusCode).toBe(200);
    expect(internal.body).toBeUndefined();
  });

  test('ignores the body of a route that takes none', async () => {
    const { response, internal } = await runWith({ body: 'no JSON' }, routeWith({}));
    expect(response?.statusCode).toBe(200);
    expect(internal.body).toBeUndefined();
  });

  test.each(['text/plain', 'application/json; charset=latin1', 'application/vnd-api+json'])(
    'rejects the media type %s with 415',
    async (contentType) => {
      const { error } = await runWith({ body: '{}', headers: { 'content-type': contentType } });
      expect(error).toMatchObject({ code: 'unsupported-media-type' });
    },
  );

  test.each(['application/json', 'APPLICATION/VND.API+JSON', 'application/json; charset="utf-8"'])(
    'accepts the media type %s',
    async (contentType) => {
      const { response } = await runWith({ body: '{}', headers: { 'content-type': contentType } });
      expect(response?.statusCode).toBe(200);
    },
  );

  test.each([
    ['that is not JSON', { body: '{' }, 'not valid JSON'],
    ['that is not UTF-8', { body: Buffer.from([0x22, 0xff, 0x22]).toString('base64'), isBase64Encoded: true }, 'UTF-8'],
    ['with half a surrogate pair', { body: '{"reason":"\\ud800"}' }, 'Unicode'],
  ])('rejects a body %s with 400', async (_name, event, detail) => {
    const { error } = await runWith(event);
    expect(error).toMatchObject({ code: 'bad-request', detail: expect.stringContaining(detail) });
  });

  test('rejects a body above the limit with 413, unless the route takes large bodies', async () => {
    const body = JSON.stringify('x'.repeat(limits.body));
    expect((await runWith({ body })).error).toMatchObject({ code: 'content-too-large' });
    const large = routeWith({ body: { schema: 'workspaceLock', required: true, large: true } });
    expect((await runWith({ body }, large)).response?.statusCode).toBe(200);
  });
});
