import { validateHeaderName, validateHeaderValue } from 'node:http';
import { gatewayError, type HttpResponse } from '../http/messages.ts';

/**
 * Converts the result of a function, in payload format 2.0, to an HTTP response, as API Gateway does. A value without a
 * status code is the body itself.
 * @param payload the result as JSON.
 * @returns a response with status 500 when the result is not valid.
 */
export const responseFromPayload = (payload: string): HttpResponse => {
  const value = JSON.parse(payload) as unknown;
  if (typeof value !== 'object' || value === null || !('statusCode' in value))
    return {
      status: 200,
      headers: [['content-type', 'application/json']],
      body: Buffer.from(typeof value === 'string' ? value : payload),
    };
  try {
    return convert(value as Readonly<Record<string, unknown>>);
  } catch {
    return gatewayError('internal');
  }
};

/** Headers of one connection, which the server sets itself. */
const connectionHeaders = new Set(['connection', 'content-length', 'keep-alive', 'transfer-encoding', 'upgrade']);

const convert = (response: Readonly<Record<string, unknown>>): HttpResponse => {
  const { statusCode, headers, cookies, body, isBase64Encoded } = response;
  const status = Number(statusCode);
  if (!Number.isInteger(status) || status < 200 || status > 599) throw new RangeError('no status code');
  const text = body ?? '';
  if (typeof text !== 'string') throw new TypeError('the body is not text');
  const pairs = [
    ...Object.entries(headers ?? {}).map(([name, value]): [string, string] => [name.toLowerCase(), String(value)]),
    ...(Array.isArray(cookies) ? cookies : []).map((cookie): [string, string] => ['set-cookie', String(cookie)]),
  ].filter(([name]) => !connectionHeaders.has(name));
  for (const [name, value] of pairs) {
    validateHeaderName(name);
    validateHeaderValue(name, value);
  }
  const bytes = Buffer.from(text, isBase64Encoded === true ? 'base64' : 'utf8');
  if (bytes.length > 0 && !pairs.some(([name]) => name === 'content-type'))
    pairs.push(['content-type', 'text/plain;charset=UTF-8']);
  return { status, headers: pairs, body: bytes };
};
