import type { APIGatewayProxyEventV2 } from 'aws-lambda';
import { LOCAL_ACCOUNT } from '../common/arns.ts';
import type { IncomingRequest } from '../http/messages.ts';

/** The route that API Gateway chose for a request. */
export interface EventTarget {
  readonly apiId: string;
  readonly routeKey: string;
  readonly pathParameters: Readonly<Record<string, string>>;
}

/**
 * Creates the event of payload format 2.0. `rawPath` is decoded in spite of its name, because that is what HTTP APIs send
 * (REST APIs and function URLs do not). So a function must not choose an operation by `rawPath`, but by `routeKey` and
 * `pathParameters`.
 * @throws URIError when the path is not valid percent-encoding.
 */
export const createHttpEvent = (request: IncomingRequest, target: EventTarget): APIGatewayProxyEventV2 => {
  const { headers, cookies } = splitHeaders(request);
  const path = decodeURIComponent(request.rawPath);
  const query = joinDuplicates(new URLSearchParams(request.rawQueryString));
  const domainName = (headers['host'] ?? '').replace(/:\d+$/, '');
  const isBase64Encoded = request.body.length > 0 && !isText(headers['content-type']);
  return {
    version: '2.0',
    routeKey: target.routeKey,
    rawPath: path,
    rawQueryString: request.rawQueryString,
    ...(cookies.length > 0 && { cookies }),
    headers,
    ...(Object.keys(query).length > 0 && { queryStringParameters: query }),
    requestContext: {
      accountId: LOCAL_ACCOUNT,
      apiId: target.apiId,
      domainName,
      domainPrefix: domainName.split('.', 1)[0] ?? '',
      http: {
        method: request.method,
        path,
        protocol: request.protocol,
        sourceIp: request.sourceIp,
        userAgent: headers['user-agent'] ?? '',
      },
      requestId: request.id,
      routeKey: target.routeKey,
      stage: '$default',
      time: clfTime(request.receivedAt),
      timeEpoch: request.receivedAt.getTime(),
    },
    ...(Object.keys(target.pathParameters).length > 0 && { pathParameters: { ...target.pathParameters } }),
    ...(request.body.length > 0 && { body: request.body.toString(isBase64Encoded ? 'base64' : 'utf8') }),
    isBase64Encoded,
  };
};

/** Bodies of these types are passed as text. HTTP APIs encode all others in base64, also bodies without a type. */
const isText = (contentType = ''): boolean =>
  /^(text\/[^;]*|application\/(json|xml|javascript))\s*(;|$)/i.test(contentType.trim());

/** Headers of one connection, which API Gateway does not pass to the function. */
const connectionHeaders = new Set([
  'connection',
  'expect',
  'keep-alive',
  'te',
  'trailer',
  'transfer-encoding',
  'upgrade',
]);

const splitHeaders = (request: IncomingRequest): { headers: Record<string, string>; cookies: string[] } => {
  const pairs: [string, string][] = [];
  const cookies: string[] = [];
  for (let i = 0; i < request.rawHeaders.length; i += 2) {
    const name = (request.rawHeaders[i] ?? '').toLowerCase();
    const value = request.rawHeaders[i + 1] ?? '';
    if (name === 'cookie') cookies.push(...value.split(/; */).filter((cookie) => cookie !== ''));
    else if (!connectionHeaders.has(name) && name !== 'x-forwarded-port' && name !== 'x-forwarded-proto')
      pairs.push([name, value]);
  }
  pairs.push(
    ['x-amzn-trace-id', `Root=1-${Math.floor(request.receivedAt.getTime() / 1_000).toString(16)}-${hex24(request.id)}`],
    ['x-forwarded-for', request.sourceIp],
    ['x-forwarded-port', String(request.port)],
    ['x-forwarded-proto', 'http'],
  );
  return { headers: joinDuplicates(pairs), cookies };
};

const hex24 = (text: string): string => Buffer.from(text).toString('hex').padEnd(24, '0').slice(0, 24);

const joinDuplicates = (pairs: Iterable<[string, string]>): Record<string, string> => {
  const joined = new Map<string, string>();
  for (const [name, value] of pairs) {
    const earlier = joined.get(name);
    joined.set(name, earlier === undefined ? value : `${earlier},${value}`);
  }
  return Object.fromEntries(joined);
};

/** Formats a time as in the Common Log Format: `12/Mar/2020:19:03:58 +0000`. */
const clfTime = (date: Date): string => {
  const [, day, month, year, time] = date.toUTCString().split(' ');
  return `${day}/${month}/${year}:${time} +0000`;
};
