import { describe, expect, test } from 'vitest';
import { digestOf, mintToken } from '../../../shared/access/credentials.ts';
import { readCredential } from '../../../shared/http/middleware/read-credential.ts';
import { routeWith, runMiddleware } from '../../support/http/run-middleware.ts';

const { authenticated: _, ...withCredential } = routeWith({});
const token = mintToken('user');
const runWith = (headers: Record<string, string>, route = withCredential) =>
  runMiddleware({ before: readCredential }, { event: { headers }, state: { route } });

describe('readCredential', () => {
  test('stores the digest of a bearer token, never the token', async () => {
    const { internal } = await runWith({ authorization: `Bearer ${token}` });
    expect(internal.digest).toBe(digestOf(token));
    expect(JSON.stringify(internal)).not.toContain(token);
  });

  test.each([
    ['no header', {}],
    ['another scheme', { authorization: `Basic ${token}` }],
    ['a wrong checksum', { authorization: `Bearer ${token.slice(0, -1)}${token.endsWith('0') ? '1' : '0'}` }],
    ['a text that is no token', { authorization: 'Bearer nonsense' }],
  ])('rejects %s with 401', async (_name, headers) => {
    const { error, internal } = await runWith(headers as Record<string, string>);
    expect(error).toMatchObject({ code: 'unauthorized' });
    expect(internal.digest).toBeUndefined();
  });

  test('reads no credential where the route needs none', async () => {
    const { response, internal } = await runWith({}, routeWith({ authenticated: false }));
    expect(response?.statusCode).toBe(200);
    expect(internal.digest).toBeUndefined();
  });

  test('accepts the service principal of a direct invocation instead of a token', async () => {
    const requestContext = { authorizer: { lambda: { servicePrincipal: 'team-CvpbqPPtsWSnyrTk' } } } as never;
    const { internal } = await runMiddleware(
      { before: readCredential },
      {
        event: { headers: {}, requestContext },
        state: { route: withCredential },
      },
    );
    expect(internal.digest).toContain('team-CvpbqPPtsWSnyrTk');
  });
});
