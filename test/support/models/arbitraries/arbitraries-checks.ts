import { expect } from 'vitest';
import type { ApiResponse } from '../../api/api.ts';

/** Error titles by status, which clients match (HTTP-13). */
const titles: Readonly<Record<number, readonly string[]>> = {
  308: ['permanent redirect'],
  400: ['bad request'],
  401: ['unauthorized'],
  403: ['forbidden'],
  404: ['not found'],
  405: ['method not allowed'],
  409: ['conflict'],
  428: ['precondition required'],
  413: ['content too large', 'payload too large'],
  415: ['unsupported media type'],
  422: ['invalid attribute', 'invalid attributes', 'unprocessable entity'],
  503: ['service unavailable'],
};

/** Internal terms of the service and its libraries that no response may contain. An id may contain a short one by chance. */
const INTERNAL =
  /node_modules|\.[cm]?[jt]s:\d|\n\s+at |DynamoDB|dynamoose|Exception|TypeError|SyntaxError|RangeError|URIError|\bajv\b|instancePath|JSON at position|Unexpected token|TransactWrite|ConditionExpression|\bundefined\b|\[object /i;

const JSON_API = 'application/vnd.api+json';

/** Rules that a response breaks. They are collected without an `expect` each, which takes most of the time of a response. */
type Faults = string[];

const checkRule = (faults: Faults, isMet: boolean, rule: string): void => {
  if (!isMet) faults.push(rule);
};

const requireOurHeaders = (faults: Faults, { headers, body }: ApiResponse, mediaType: string): void => {
  checkRule(faults, headers['tfp-api-version'] === '2.6', 'tfp-api-version is 2.6');
  checkRule(faults, headers['tfp-appname'] === 'Holdfast', 'tfp-appname is Holdfast');
  checkRule(faults, headers['x-content-type-options'] === 'nosniff', 'x-content-type-options is nosniff');
  const expected = body === undefined ? undefined : mediaType;
  checkRule(faults, headers['content-type'] === expected, `content-type is ${expected}`);
};

const expectNoFaults = (faults: Faults, { status, headers, body }: ApiResponse): void => {
  expect(faults, faults.length === 0 ? '' : `broken rules of ${JSON.stringify({ status, headers, body })}`).toEqual([]);
};

/** Expects the headers of every response (HTTP-3), and the media type when there is a body. */
export const expectOurHeaders = (reply: ApiResponse, mediaType = JSON_API): void => {
  const faults: Faults = [];
  requireOurHeaders(faults, reply, mediaType);
  expectNoFaults(faults, reply);
};

/** Expects a JSON:API error document without internal terms. @param sent text of the request that details may repeat. */
export const expectRejection = (reply: ApiResponse, sent = ''): void => {
  const { status, body } = reply;
  const faults: Faults = [];
  requireOurHeaders(faults, reply, JSON_API);
  checkRule(faults, status in titles, 'the status is one of an error');
  checkRule(faults, Object.keys(body).join() === 'errors', 'the document has only errors');
  checkRule(faults, body.errors.length > 0, 'there is an error');
  for (const error of body.errors) {
    const { status: code, title, detail, source, meta, ...rest } = error;
    checkRule(faults, Object.keys(rest).length === 0, 'an error has no other members');
    checkRule(faults, meta === undefined || status === 409, 'only a conflict has meta');
    // All errors of a response have the same status.
    checkRule(faults, code === String(status), 'the status of an error is that of the response');
    checkRule(faults, titles[status]?.includes(title) === true, 'the title fits the status');
    if (source !== undefined) {
      const [[name, place] = [], ...others] = Object.entries(source);
      checkRule(faults, typeof place === 'string' && others.length === 0, 'a source is one text');
      checkRule(faults, name === 'pointer' || name === 'parameter', 'a source is a pointer or a parameter');
      checkRule(faults, name !== 'pointer' || /^(\/|$)/.test(String(place)), 'a pointer begins with a slash');
    }
    if (detail === undefined) continue;
    checkRule(faults, typeof detail === 'string', 'a detail is a text');
    checkRule(faults, detail.length < 600, 'a detail does not repeat the request');
    checkRule(faults, sent.includes(detail) || !INTERNAL.test(detail), 'a detail has no internal terms');
  }
  expectNoFaults(faults, reply);
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
