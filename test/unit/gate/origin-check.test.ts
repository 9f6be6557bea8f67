import type { Context } from 'aws-lambda';
import { describe, expect, it, vi } from 'vitest';
import { createOriginCheck } from '../../../shared/gate/origin-check.ts';
import type { HttpEvent } from '../../../shared/http/request.ts';

const ADDRESS_OF_EDGE = '192.0.2.1';
const publicUrl = 'https://holdfast.example.com';

/** Sends a request through the gate, and returns the response and the event that the function received. */
const send = async (headers: Record<string, string>, { authorizer = {} } = {}) => {
  const events: HttpEvent[] = [];
  const logger = { info: vi.fn() };
  const serve = async (event: HttpEvent) => {
    events.push(event);
    return { statusCode: 200, headers: {} };
  };
  const gate = createOriginCheck(
    Object.assign(serve, { shared: { logger } }) as never,
    ['present', 'previous'],
    publicUrl,
  );
  const requestContext = { requestId: 'request-1', http: { sourceIp: ADDRESS_OF_EDGE }, ...authorizer };
  const response = await gate(
    { routeKey: 'GET /api/v2/ping', headers: { accept: '*/*', ...headers }, requestContext } as never,
    {} as Context,
  );
  const [event] = events;
  return {
    response,
    received: event && { address: event.requestContext.http.sourceIp, headers: event.headers },
  };
};

describe('an API behind a distribution', () => {
  it.each(['present', 'previous'])(
    'accepts the %s secret, and takes the address of the client from its header',
    async (secret) => {
      const { response, received } = await send({
        'x-holdfast-origin': secret,
        'x-holdfast-client-address': '2001:db8::1',
      });
      expect(response.statusCode).toBe(200);
      expect(received).toEqual({ address: '2001:db8::1', headers: { accept: '*/*' } });
    },
  );

  it.each<[string, Record<string, string>]>([
    ['without a secret', {}],
    ['with another secret', { 'x-holdfast-origin': 'presents' }],
    ['with an empty secret', { 'x-holdfast-origin': '' }],
    ['with both secrets in one header', { 'x-holdfast-origin': 'present,previous' }],
  ])('rejects a request %s with 403, before the function sees it', async (_, headers) => {
    const { response, received } = await send({ ...headers, 'x-holdfast-client-address': '203.0.113.7' });
    expect(received).toBeUndefined();
    expect(response.statusCode).toBe(403);
    expect(response.headers['content-type']).toBe('application/vnd.api+json');
    expect(JSON.parse(response.body ?? '')).toEqual({
      errors: [
        {
          status: '403',
          title: 'forbidden',
          detail: `Direct requests are not accepted. Send the request to ${publicUrl}.`,
        },
      ],
    });
  });

  it('serves automation, which invokes the functions directly', async () => {
    const authorizer = { authorizer: { lambda: { servicePrincipal: 'team-1' } } };
    expect((await send({}, { authorizer })).response.statusCode).toBe(200);
  });
});
