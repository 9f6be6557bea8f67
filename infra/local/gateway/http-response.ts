import { validateHeaderName, validateHeaderValue } from 'node:http';

/** An HTTP answer, ready to be sent. */
export interface HttpAnswer {
  readonly status: number;
  readonly headers: readonly (readonly [name: string, value: string])[];
  readonly body: Buffer;
}

/** API Gateway's and Lambda's own refusals; their bodies cannot be shaped, so they are not JSON:API. */
export const refusals = {
  badRequest: [400, 'Bad Request'],
  forbidden: [403, 'Forbidden'],
  notFound: [404, 'Not Found'],
  requestTimeout: [408, 'Request Timeout'],
  tooLarge: [413, 'Request Entity Too Large'],
  headersTooLarge: [431, 'Request Header Fields Too Large'],
  internal: [500, 'Internal Server Error'],
  unavailable: [503, 'Service Unavailable'],
} as const;

export type Refusal = keyof typeof refusals;

export const refuse = (refusal: Refusal): HttpAnswer => {
  const [status, message] = refusals[refusal];
  return jsonAnswer(status, { message });
};

export const jsonAnswer = (
  status: number,
  value: unknown,
  headers: readonly (readonly [string, string])[] = [],
): HttpAnswer => ({
  status,
  headers: [['content-type', 'application/json'], ...headers],
  body: Buffer.from(JSON.stringify(value)),
});

/** What a function may answer, payload format 2.0; anything without a status code is itself the body. */
interface FunctionAnswer {
  readonly statusCode: unknown;
  readonly headers?: Readonly<Record<string, unknown>> | null;
  readonly cookies?: unknown;
  readonly body?: unknown;
  readonly isBase64Encoded?: unknown;
}

/** What API Gateway makes of a function's answer; one that it cannot read is 500. */
export const answerOf = (payload: string): HttpAnswer => {
  const value = JSON.parse(payload) as unknown;
  if (typeof value !== 'object' || value === null || !('statusCode' in value))
    return {
      status: 200,
      headers: [['content-type', 'application/json']],
      body: Buffer.from(typeof value === 'string' ? value : payload),
    };
  try {
    return shapedAnswer(value as FunctionAnswer);
  } catch {
    return refuse('internal');
  }
};

/** Set by the server itself. */
const ofTheConnection = new Set(['connection', 'content-length', 'keep-alive', 'transfer-encoding', 'upgrade']);

const shapedAnswer = ({ statusCode, headers, cookies, body = '', isBase64Encoded }: FunctionAnswer): HttpAnswer => {
  const status = Number(statusCode);
  if (!Number.isInteger(status) || status < 200 || status > 599) throw new RangeError('no status code');
  if (body !== null && typeof body !== 'string') throw new TypeError('the body is not text');
  const pairs = [
    ...Object.entries(headers ?? {}).map(([name, value]): [string, string] => [name.toLowerCase(), String(value)]),
    ...(Array.isArray(cookies) ? cookies : []).map((cookie): [string, string] => ['set-cookie', String(cookie)]),
  ].filter(([name]) => !ofTheConnection.has(name));
  for (const [name, value] of pairs) {
    validateHeaderName(name);
    validateHeaderValue(name, value);
  }
  const bytes = Buffer.from(body ?? '', isBase64Encoded === true ? 'base64' : 'utf8');
  if (bytes.length > 0 && !pairs.some(([name]) => name === 'content-type'))
    pairs.push(['content-type', 'text/plain;charset=UTF-8']);
  return { status, headers: pairs, body: bytes };
};
