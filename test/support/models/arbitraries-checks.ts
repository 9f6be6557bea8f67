import { expect } from 'vitest';
import type { ApiResponse } from '../api/api.ts';

/** What every answer must be, whatever was asked. */

/** The titles of errors by status, which clients match (HTTP-13). */
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

/** Words of ours, and of what we stand on, that no client should ever read. */
const INTERNAL =
  /node_modules|\.[cm]?[jt]s:\d|\n\s+at |DynamoDB|dynamoose|Exception|TypeError|SyntaxError|RangeError|URIError|ajv|instancePath|JSON at position|Unexpected token|TransactWrite|ConditionExpression|\bundefined\b|\[object /i;

/** The headers that every answer carries (HTTP-3), and the media type where there is a body. */
export const expectOurHeaders = ({ headers, body }: ApiResponse): void => {
  expect(headers).toMatchObject({ 'tfp-api-version': '2.6', 'tfp-appname': 'Holdfast' });
  if (body === undefined) expect(headers).not.toHaveProperty('content-type');
  else expect(headers['content-type']).toBe('application/vnd.api+json');
};

/** A JSON:API error document, with nothing in it that it should not have. `sent` is what may come back as it was. */
export const expectRefusal = (reply: ApiResponse, sent = ''): void => {
  const { status, body } = reply;
  expectOurHeaders(reply);
  expect(Object.keys(titles).map(Number), `the status of ${JSON.stringify(body)}`).toContain(status);
  expect(Object.keys(body)).toEqual(['errors']);
  expect(body.errors.length).toBeGreaterThan(0);
  for (const error of body.errors) {
    const { status: code, title, detail, source, ...rest } = error;
    expect(rest).toEqual({});
    expect(code).toBe(String(status));
    expect(titles[status]).toContain(title);
    if (source !== undefined) {
      expect(Object.values(source)).toEqual([expect.any(String)]);
      expect(['pointer', 'parameter']).toContain(Object.keys(source)[0]);
      if ('pointer' in source) expect(source.pointer).toMatch(/^(\/|$)/);
    }
    if (detail === undefined) continue;
    expect(detail).toEqual(expect.any(String));
    expect(detail.length, 'an answer that is not made of what was sent').toBeLessThan(500);
    if (!sent.includes(detail)) expect(detail).not.toMatch(INTERNAL);
  }
  // One request at a time is wrong for one reason, or for several of one status.
  expect(new Set(body.errors.map((error: { status: string }) => error.status)).size).toBe(1);
};

/** A success, or a refusal: never a fault. */
export const expectAnswer = (reply: ApiResponse, sent?: string): void => {
  if (reply.status >= 400) expectRefusal(reply, sent);
  else {
    expectOurHeaders(reply);
    if (reply.status === 307) expect(reply.headers['location']).toMatch(/^https?:/);
    else if (reply.status !== 204) expect(reply.body).toHaveProperty('data');
  }
};

/** What a caller who may see nothing is told: the same, whatever there is. */
export const NOT_FOUND = { errors: [{ status: '404', title: 'not found' }] };
export const UNAUTHORIZED = { errors: [{ status: '401', title: 'unauthorized' }] };
