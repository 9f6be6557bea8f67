import { expect } from 'vitest';
import type { ApiResponse } from '../../api/api.ts';

/** Error titles by status, which clients match (HTTP-13). */
const titles: Readonly<Record<number, readonly string[]>> = {
  400: ['bad request'],
  401: ['unauthorized'],
  403: ['forbidden'],
  404: ['not found'],
  405: ['method not allowed'],
  409: ['conflict'],
  413: ['content too large', 'payload too large'],
  415: ['unsupported media type'],
  422: ['invalid attribute', 'unprocessable entity'],
  503: ['service unavailable'],
};

/** Internal terms of the service and its libraries that no response may contain. An id may contain a short one by chance. */
const INTERNAL =
  /node_modules|\.[cm]?[jt]s:\d|\n\s+at |DynamoDB|dynamoose|Exception|TypeError|SyntaxError|RangeError|URIError|\bajv\b|instancePath|JSON at position|Unexpected token|TransactWrite|ConditionExpression|\bundefined\b|\[object /i;

const JSON_API = 'application/vnd.api+json';

/** Expects the headers of every response (HTTP-3), and the media type when there is a body. */
export const expectOurHeaders = ({ headers, body }: ApiResponse, mediaType = JSON_API): void => {
  expect(headers).toMatchObject({ 'tfp-api-version': '2.6', 'tfp-appname': 'Holdfast' });
  if (body === undefined) expect(headers).not.toHaveProperty('content-type');
  else expect(headers['content-type']).toBe(mediaType);
};

/** Expects a JSON:API error document without internal terms. @param sent text of the request that details may repeat. */
export const expectRejection = (reply: ApiResponse, sent = ''): void => {
  const { status, body } = reply;
  expectOurHeaders(reply);
  expect(Object.keys(titles).map(Number), `the status of ${JSON.stringify(body)}`).toContain(status);
  expect(Object.keys(body)).toEqual(['errors']);
  expect(body.errors.length).toBeGreaterThan(0);
  for (const error of body.errors) {
    const { status: code, title, detail, source, meta, ...rest } = error;
    expect(rest).toEqual({});
    if (meta !== undefined) expect(status).toBe(409);
    expect(code).toBe(String(status));
    expect(titles[status]).toContain(title);
    if (source !== undefined) {
      expect(Object.values(source)).toEqual([expect.any(String)]);
      expect(['pointer', 'parameter']).toContain(Object.keys(source)[0]);
      if ('pointer' in source) expect(source.pointer).toMatch(/^(\/|$)/);
    }
    if (detail === undefined) continue;
    expect(detail).toEqual(expect.any(String));
    expect(detail.length, 'error detail that does not repeat the request').toBeLessThan(500);
    if (!sent.includes(detail)) expect(detail).not.toMatch(INTERNAL);
  }
  // All errors of a response have the same status.
  expect(new Set(body.errors.map((error: { status: string }) => error.status)).size).toBe(1);
};

/** Expects a success or a well-formed error response. @param mediaType of the content of a success. */
export const expectValidResponse = (reply: ApiResponse, sent?: string, mediaType?: string): void => {
  if (reply.status >= 400) expectRejection(reply, sent);
  else {
    expectOurHeaders(reply, mediaType);
    if (reply.status === 307) expect(reply.headers['location']).toMatch(/^https?:/);
    else if (reply.status !== 204) expect(reply.body).toHaveProperty('data');
  }
};

/** Response to a caller without read permission, identical whether or not the resource exists. */
export const NOT_FOUND = { errors: [{ status: '404', title: 'not found' }] };
export const UNAUTHORIZED = { errors: [{ status: '401', title: 'unauthorized' }] };
