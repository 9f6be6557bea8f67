import type { Context } from 'aws-lambda';
import { beforeEach, describe, expect, it, vi } from 'vitest';
import { digestOf, mintToken } from '../../../shared/access/credentials.ts';
import { MAX_FAILURES } from '../../../shared/gate/failure-limit.ts';
import { createGate } from '../../../shared/gate/gate.ts';
import type { HttpHandler } from '../../../shared/http/stack.ts';

const START = 1_800_000_000_000;
const valid = mintToken('user');
const HOME = '203.0.113.7';

let time: number;
let reads: string[];
let isRegistered: boolean;
let served: number;
let gate: HttpHandler;

const store = {
  identities: {
    findToken: async (digest: string, consistent: boolean) => {
      reads.push(`${digest === digestOf(valid) ? 'valid' : 'unknown'}, ${consistent ? 'strong' : 'eventual'}`);
      return isRegistered && digest === digestOf(valid) ? { principal: {} } : undefined;
    },
  },
};
const logger = { info: vi.fn(), warn: vi.fn() };

beforeEach(() => {
  [time, reads, isRegistered, served] = [START, [], true, 0];
  const serve = async ({ headers }: { headers: Record<string, string | undefined> }) => {
    served += 1;
    const statusCode = headers['authorization'] === `Bearer ${valid}` ? 200 : 401;
    return { statusCode, headers: { 'tfp-appname': 'Holdfast' } };
  };
  const shared = { store, logger };
  gate = createGate(Object.assign(serve, { shared }) as never, { rate: 10, burst: 3 }, () => time);
});

const send = (
  token: string | undefined,
  sourceIp = HOME,
  authorizer?: object,
  routeKey = 'GET /api/v2/runs/{run_id}',
) =>
  gate(
    {
      routeKey,
      headers: token === undefined ? {} : { authorization: `Bearer ${token}` },
      requestContext: { requestId: 'request-1', http: { sourceIp }, ...(authorizer && { authorizer }) },
    } as never,
    {} as Context,
  );
const statusesOf = async (count: number, token: string, sourceIp?: string): Promise<number[]> => {
  const statuses: number[] = [];
  for (let index = 0; index < count; index++) statuses.push((await send(token, sourceIp)).statusCode);
  return statuses;
};

describe('the limit of a token', () => {
  it('does not apply to a form of OAuth 2.0, whose credential is not in the header', async () => {
    for (let index = 0; index < 2 * MAX_FAILURES; index++) {
      expect((await send('Basic', HOME, undefined, 'POST /oauth2/token')).statusCode).toBe(401);
    }
    expect([served, reads]).toEqual([2 * MAX_FAILURES, []]);
  });

  it('rejects requests above the burst with 429 and the headers that clients read, without serving them', async () => {
    expect(await statusesOf(3, valid)).toEqual([200, 200, 200]);
    const { statusCode, headers, body = '' } = await send(valid);
    expect({ statusCode, headers }).toEqual({
      statusCode: 429,
      headers: {
        'tfp-api-version': '2.6',
        'tfp-appname': 'Holdfast',
        'cache-control': 'no-store',
        'content-type': 'application/vnd.api+json',
        'x-content-type-options': 'nosniff',
        'retry-after': '1',
        'x-ratelimit-limit': '10',
        'x-ratelimit-remaining': '0',
        'x-ratelimit-reset': '0.10',
      },
    });
    expect(JSON.parse(body)).toEqual({
      errors: [
        {
          status: '429',
          title: 'too many requests',
          detail: 'The token has exceeded its rate limit. Send the request again after the seconds in Retry-After.',
        },
      ],
    });
    expect(served).toBe(3);
  });

  it('admits requests again after the time in X-RateLimit-Reset', async () => {
    await statusesOf(4, valid);
    time += 100;
    expect(await statusesOf(2, valid)).toEqual([200, 429]);
  });

  it('adds the headers to other responses', async () => {
    await send(valid);
    expect((await send(valid)).headers).toEqual({
      'tfp-appname': 'Holdfast',
      'x-ratelimit-limit': '10',
      'x-ratelimit-remaining': '1',
      'x-ratelimit-reset': '0.00',
    });
  });

  it('does not hold for requests without a token and for automation', async () => {
    await statusesOf(4, valid);
    expect((await send(undefined)).statusCode).toBe(401);
    expect((await send(valid, HOME, { lambda: { servicePrincipal: 'team-1' } })).statusCode).toBe(200);
  });
});

describe('the limit on failed authentications', () => {
  const exhaust = () => statusesOf(MAX_FAILURES, 'garbage');

  it('rejects malformed tokens of an address without a read', async () => {
    expect(new Set(await exhaust())).toEqual(new Set([401]));
    const { statusCode, headers } = await send('garbage');
    expect(statusCode).toBe(429);
    expect(headers).toMatchObject({ 'retry-after': '2', 'x-ratelimit-reset': '2.00' });
    expect(reads).toEqual([]);
  });

  it('reads an unknown token once in ten seconds, and does not serve it', async () => {
    await exhaust();
    const unknown = mintToken('user');
    expect(await statusesOf(3, unknown)).toEqual([429, 429, 429]);
    expect({ reads, served }).toEqual({ reads: ['unknown, eventual', 'unknown, strong'], served: MAX_FAILURES });
  });

  it('serves a token that is registered after its first use', async () => {
    await exhaust();
    isRegistered = false;
    expect(await statusesOf(1, valid)).toEqual([429]);
    isRegistered = true;
    time += 10_000;
    await exhaust();
    expect(await statusesOf(2, valid)).toEqual([200, 200]);
  });

  it('never rejects a valid token for its address', async () => {
    await exhaust();
    expect(await statusesOf(2, valid)).toEqual([200, 200]);
    expect(reads).toEqual(['valid, eventual']);
  });

  it('counts the addresses of an IPv6 network together, and other addresses apart', async () => {
    for (let index = 0; index < MAX_FAILURES; index++) await send('garbage', `2001:db8::${index.toString(16)}`);
    expect(await statusesOf(1, 'garbage', '2001:db8::ffff')).toEqual([429]);
    expect(await statusesOf(1, 'garbage', '2001:db8:0:1::1')).toEqual([401]);
  });

  it('forgives failures over a minute', async () => {
    await exhaust();
    time += 60_000 / MAX_FAILURES;
    expect(await statusesOf(2, 'garbage')).toEqual([401, 429]);
  });
});
