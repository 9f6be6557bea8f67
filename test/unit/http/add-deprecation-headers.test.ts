import { describe, expect, test } from 'vitest';
import { addDeprecationHeaders } from '../../../shared/http/middleware/add-deprecation-headers.ts';
import type { HttpRequest } from '../../../shared/http/request.ts';
import { routeWith, runMiddleware } from '../../support/http/run-middleware.ts';

const route = routeWith({ deprecated: { since: 1_700_000_000, successor: '/api/v2/workspaces/{workspace_id}/vars' } });
const headers = {
  deprecation: '@1700000000',
  link: '</api/v2/workspaces/:workspace_id/vars>; rel="successor-version"',
};

describe('addDeprecationHeaders', () => {
  test('adds the time of the deprecation and the successor to a response, and keeps its headers', async () => {
    const { response } = await runMiddleware(
      { after: addDeprecationHeaders },
      {
        state: { route },
        handler: async () => ({ statusCode: 200, headers: { 'cache-control': 'no-store' }, body: '{}' }),
      },
    );
    expect(response).toEqual({ statusCode: 200, headers: { 'cache-control': 'no-store', ...headers }, body: '{}' });
  });

  test('adds the headers to the response to an error', async () => {
    const onError = (request: HttpRequest) => {
      request.response = { statusCode: 404, headers: {} };
      return addDeprecationHeaders(request);
    };
    const { response } = await runMiddleware(
      { onError },
      {
        state: { route },
        handler: async () => {
          throw new Error('refused');
        },
      },
    );
    expect(response?.headers).toEqual(headers);
  });

  test('adds nothing to responses of other paths', async () => {
    const { response } = await runMiddleware({ after: addDeprecationHeaders }, { state: { route: routeWith({}) } });
    expect(response?.headers).toEqual({});
  });
});
