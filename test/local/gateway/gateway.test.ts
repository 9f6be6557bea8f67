import { once } from 'node:events';
import { request } from 'node:http';
import { buffer } from 'node:stream/consumers';
import { gunzipSync } from 'node:zlib';
import type { APIGatewayProxyEventV2 } from 'aws-lambda';
import { describe, expect, it } from 'vitest';
import { createGateway } from '../../../infra/local/gateway/gateway.ts';
import { limits } from '../../../shared/domain/limits.ts';
import { serve } from '../../support/local/served.ts';
import type { SmallAssembly } from '../../support/local/small-assembly.ts';

/** A function that returns its event as the body. */
const echo = {
  code: `export const handler = async (event) => ({ statusCode: 200, headers: { 'Content-Type': 'application/json' }, body: JSON.stringify(event) });`,
};
const echoing: SmallAssembly = {
  functions: { echo },
  routes: { 'POST /things/{id}': 'echo', 'GET /things/{id}': 'echo', $default: 'echo' },
};
const anyRoute = { key: '$default', functionName: 'any', timeoutMillis: 1 };
const getRequest = {
  id: 'request',
  method: 'GET',
  protocol: 'HTTP/1.1',
  rawPath: '/',
  rawQueryString: '',
  rawHeaders: ['host', '127.0.0.1'],
  body: Buffer.alloc(0),
  sourceIp: '127.0.0.1',
  port: 80,
  receivedAt: new Date(),
};
/** An assembly with one function, whose handler has the given body. */
const functionReturning = (expression: string): SmallAssembly => ({
  functions: { handler: { code: `export const handler = async (event) => { ${expression} };` } },
  routes: { $default: 'handler' },
});

describe('event of API Gateway', () => {
  it('has payload format 2.0', async () => {
    const { get, port } = await serve(echoing);
    const before = Date.now();
    const response = await get('/things/a%2Fb?x=1&x=2&y=%C3%A4+b&z', {
      method: 'POST',
      headers: {
        'Content-Type': 'application/json; charset=utf-8',
        'User-Agent': 'test',
        'X-Forwarded-For': '10.0.0.1',
        'X-Forwarded-Proto': 'https',
        Cookie: 'a=1; b=2',
      },
      body: '{"ä":1}',
    });
    const event = (await response.json()) as APIGatewayProxyEventV2;
    expect(event).toEqual({
      version: '2.0',
      routeKey: 'POST /things/{id}',
      rawPath: '/things/a/b',
      rawQueryString: 'x=1&x=2&y=%C3%A4+b&z',
      cookies: ['a=1', 'b=2'],
      headers: expect.objectContaining({
        host: `127.0.0.1:${port}`,
        'content-type': 'application/json; charset=utf-8',
        'content-length': '8',
        'user-agent': 'test',
        'x-amzn-trace-id': expect.stringMatching(/^Root=1-[0-9a-f]{8}-[0-9a-f]{24}$/),
        'x-forwarded-for': '10.0.0.1,127.0.0.1',
        'x-forwarded-port': String(port),
        'x-forwarded-proto': 'http',
      }),
      queryStringParameters: { x: '1,2', y: 'ä b', z: '' },
      pathParameters: { id: 'a/b' },
      requestContext: {
        accountId: '000000000000',
        apiId: 'small-api-Api',
        domainName: '127.0.0.1',
        domainPrefix: '127',
        http: { method: 'POST', path: '/things/a/b', protocol: 'HTTP/1.1', sourceIp: '127.0.0.1', userAgent: 'test' },
        requestId: response.headers.get('apigw-requestid'),
        routeKey: 'POST /things/{id}',
        stage: '$default',
        time: expect.stringMatching(/^\d\d\/[A-Z][a-z]{2}\/\d{4}:\d\d:\d\d:\d\d \+0000$/),
        timeEpoch: expect.any(Number),
      },
      body: '{"ä":1}',
      isBase64Encoded: false,
    });
    expect(event.headers).not.toHaveProperty('cookie');
    expect(event.headers).not.toHaveProperty('connection');
    expect(event.requestContext.timeEpoch).toBeGreaterThanOrEqual(before);
  });

  it('omits body, cookies, query and path parameters that the request does not have', async () => {
    const { get } = await serve(echoing);
    const event = await (await get('/elsewhere')).json();
    expect(event).toMatchObject({ routeKey: '$default', rawQueryString: '', isBase64Encoded: false });
    for (const absent of ['body', 'cookies', 'queryStringParameters', 'pathParameters'])
      expect(event).not.toHaveProperty(absent);
  });

  it('joins the values of repeated headers with a comma', async () => {
    const { sendRaw } = await serve(echoing);
    const response = await sendRaw(
      'GET / HTTP/1.1\r\nHost: h\r\nX-Twice: a\r\nx-twice: b\r\nConnection: close\r\n\r\n',
    );
    expect(response).toContain('"x-twice":"a,b"');
  });

  it.each([
    ['application/json', false],
    ['TEXT/csv; header=present', false],
    ['application/xml', false],
    ['application/javascript', false],
    ['application/vnd.api+json', true],
    ['application/jsonx', true],
    ['application/octet-stream', true],
    [undefined, true],
  ])('encodes a body of type %s in base64: %s', async (contentType, isBase64Encoded) => {
    const { get } = await serve(echoing);
    const response = await get('/things/1', {
      method: 'POST',
      body: Buffer.from('{"a":1}'),
      ...(contentType !== undefined && { headers: { 'content-type': contentType } }),
    });
    expect(await response.json()).toMatchObject({
      isBase64Encoded,
      body: isBase64Encoded ? Buffer.from('{"a":1}').toString('base64') : '{"a":1}',
    });
  });

  it('is passed to the route $default for a method without a route, also for HEAD and OPTIONS', async () => {
    const { get } = await serve(
      functionReturning(
        'return { statusCode: 405, headers: { "x-method": event.requestContext.http.method }, body: "no" };',
      ),
    );
    for (const method of ['HEAD', 'OPTIONS', 'PUT']) {
      const response = await get('/things/1', { method });
      expect([response.status, response.headers.get('x-method'), await response.text()]).toEqual([
        405,
        method,
        method === 'HEAD' ? '' : 'no',
      ]);
    }
  });
});

describe('response of API Gateway', () => {
  it('has the status, headers, cookies and decoded body that the function returns', async () => {
    const { get } = await serve(
      functionReturning(
        `return { statusCode: 201, headers: { 'X-One': 1, Connection: 'close', 'Content-Length': 99 }, cookies: ['a=1', 'b=2'], body: Buffer.from('bytes').toString('base64'), isBase64Encoded: true };`,
      ),
    );
    const response = await get('/');
    expect(response.status).toBe(201);
    expect(response.headers.get('x-one')).toBe('1');
    expect(response.headers.getSetCookie()).toEqual(['a=1', 'b=2']);
    expect(response.headers.get('content-type')).toBe('text/plain;charset=UTF-8');
    expect(response.headers.get('apigw-requestid')).toMatch(/^\w{15}=$/);
    expect(await response.text()).toBe('bytes');
  });

  it('has no body when the status is 204', async () => {
    const { get } = await serve(functionReturning('return { statusCode: 204, body: "ignored" };'));
    const response = await get('/');
    expect([response.status, await response.text(), response.headers.get('content-length')]).toEqual([204, '', null]);
  });

  it.each([
    ['an object', 'return { a: 1 };', '{"a":1}'],
    ['text', 'return "plain";', 'plain'],
    ['nothing', '', 'null'],
  ])('is 200 with type JSON when the function returns %s without a status', async (_, code, body) => {
    const { get } = await serve(functionReturning(code));
    const response = await get('/');
    expect([response.status, response.headers.get('content-type'), await response.text()]).toEqual([
      200,
      'application/json',
      body,
    ]);
  });

  it.each([
    ['throws', 'throw new Error("secret");'],
    ['exits', 'process.exit(1);'],
    ['returns an invalid status', 'return { statusCode: "often" };'],
    ['returns an invalid header', 'return { statusCode: 200, headers: { a: "x\\r\\ny: z" } };'],
    ['returns a body that is not text', 'return { statusCode: 200, body: {} };'],
    ['returns more than 6 MB', 'return { statusCode: 200, body: "x".repeat(6.1 * 1024 * 1024) };'],
  ])('is 500 without details when the function %s', async (_, code) => {
    const { get } = await serve(functionReturning(code));
    const response = await get('/');
    expect([response.status, await response.json()]).toEqual([500, { message: 'Internal Server Error' }]);
  });

  it.each([
    [false, '127.0.0.1'],
    [true, '192.0.2.7'],
  ])('has the source address of the connection unless a proxy is trusted (%s)', async (trustsProxy, expected) => {
    const events: APIGatewayProxyEventV2[] = [];
    const invoke = async (_name: string, event: string) => {
      events.push(JSON.parse(event) as APIGatewayProxyEventV2);
      return { kind: 'succeeded', payload: '{"statusCode":204}' } as const;
    };
    const gateway = createGateway({ id: 'api', routes: [anyRoute] }, { invoke }, trustsProxy);
    const rawHeaders = ['host', '127.0.0.1', 'x-forwarded-for', '198.51.100.1, 192.0.2.7'];
    await gateway({ ...getRequest, rawHeaders });
    expect(events[0]?.requestContext.http.sourceIp).toBe(expected);
  });

  it('waits for a cold start that takes longer than the timeout of the integration', async () => {
    const gateway = createGateway(
      { id: 'api', routes: [anyRoute] },
      {
        invoke: async (_name, _event, onHandling) => {
          await new Promise((resolve) => setTimeout(resolve, 50));
          onHandling?.();
          return { kind: 'succeeded', payload: '{"statusCode":204}' };
        },
      },
    );
    expect((await gateway(getRequest)).status).toBe(204);
  });

  it('is 503 after the timeout of the integration', async () => {
    const { get } = await serve({
      ...functionReturning('await new Promise((resolve) => setTimeout(resolve, 2000)); return { statusCode: 204 };'),
      resources: {
        Slow: {
          Type: 'AWS::ApiGatewayV2::Integration',
          Properties: {
            IntegrationUri: { 'Fn::GetAtt': ['handlerFunction', 'Arn'] },
            PayloadFormatVersion: '2.0',
            TimeoutInMillis: 100,
          },
        },
        SlowRoute: {
          Type: 'AWS::ApiGatewayV2::Route',
          Properties: { RouteKey: 'GET /slow', Target: { 'Fn::Join': ['/', ['integrations', { Ref: 'Slow' }]] } },
        },
      },
    });
    const response = await get('/slow');
    expect([response.status, await response.json()]).toEqual([503, { message: 'Service Unavailable' }]);
  });
});

describe('errors of API Gateway', () => {
  it.each([
    ['a path that is not valid percent-encoding', '/things/%zz', 400, 'Bad Request'],
    ['a path that is not valid UTF-8', '/other/%ff', 400, 'Bad Request'],
    ['a request line and headers above 10,240 bytes', `/${'x'.repeat(10_300)}`, 431, 'Request Header Fields Too Large'],
    ['headers above the limit of the parser of Node', `/${'x'.repeat(70_000)}`, 431, 'Request Header Fields Too Large'],
  ])('rejects %s', async (_, path, status, message) => {
    const { get } = await serve(echoing);
    const response = await get(path);
    expect([response.status, await response.json()]).toEqual([status, { message }]);
  });

  it.each([
    ['a body above 10 MB', 10.5, 'application/json'],
    ['an event above 6 MB', 6.1, 'application/json'],
    ['a body that is above 6 MB in base64', 4.7, 'application/vnd.api+json'],
  ])('returns 413 for %s', async (_, megabytes, contentType) => {
    const { get } = await serve(echoing);
    const body = 'x'.repeat(megabytes * 1024 * 1024);
    const response = await get('/things/1', { method: 'POST', body, headers: { 'content-type': contentType } });
    expect([response.status, await response.json()]).toEqual([413, { message: 'Request Entity Too Large' }]);
  });

  it('accepts the largest body that a state version may have, in base64', async () => {
    const code = 'export const handler = async ({ body }) => ({ statusCode: 200, body: String(body.length) });';
    const { get } = await serve({ functions: { measure: { code } }, routes: { $default: 'measure' } });
    const body = 'x'.repeat(limits.bodyWithState);
    const headers = { 'content-type': 'application/vnd.api+json', 'x-long': 'x'.repeat(8_000) };
    const response = await get('/things/1', { method: 'POST', body, headers });
    expect([response.status, await response.text()]).toEqual([200, String((limits.bodyWithState / 3) * 4)]);
  });

  it.each([
    ['text that is not HTTP', 'hello\r\n\r\n'],
    ['a request without a Host header', 'GET / HTTP/1.1\r\nConnection: close\r\n\r\n'],
    ['a request target that is not a path', 'OPTIONS * HTTP/1.1\r\nHost: h\r\nConnection: close\r\n\r\n'],
    ['the method CONNECT', 'CONNECT example.com:443 HTTP/1.1\r\nHost: h\r\n\r\n'],
    ['two Content-Length headers', 'POST / HTTP/1.1\r\nHost: h\r\nContent-Length: 1\r\nContent-Length: 2\r\n\r\nx'],
  ])('returns 400 for %s', async (_, text) => {
    const { sendRaw } = await serve(echoing);
    const response = await sendRaw(text);
    expect(response).toMatch(/^HTTP\/1\.1 400 Bad Request\r\n/);
    expect(response).toMatch(/{"message":"Bad Request"}$/);
  });

  it('returns 404 when no route matches and there is no route $default', async () => {
    const { get } = await serve({ functions: { echo }, routes: { 'GET /a': 'echo' } });
    const response = await get('/b');
    expect([response.status, await response.json()]).toEqual([404, { message: 'Not Found' }]);
  });

  it('accepts a request target in absolute form', async () => {
    const { sendRaw } = await serve(echoing);
    const response = await sendRaw('GET http://h/things/1?a=b HTTP/1.1\r\nHost: h\r\nConnection: close\r\n\r\n');
    expect(response).toContain('"rawPath":"/things/1","rawQueryString":"a=b"');
  });
});

describe('binary body of a function', () => {
  const text = 'some text that is compressed';
  const compressing = functionReturning(`
    const { gzipSync } = await import('node:zlib');
    return {
      statusCode: 200,
      headers: { 'content-type': 'text/plain', 'content-encoding': 'gzip', vary: 'accept-encoding' },
      body: gzipSync('${text}').toString('base64'),
      isBase64Encoded: true,
    };`);

  it('is sent as its bytes, with the headers of the function', async () => {
    const { port } = await serve(compressing);
    const [response] = await once(request({ port, path: '/' }).end(), 'response');
    const bytes = await buffer(response);
    expect(response.headers).toMatchObject({
      'content-encoding': 'gzip',
      'content-length': String(bytes.length),
      vary: 'accept-encoding',
    });
    expect(gunzipSync(bytes).toString()).toBe(text);
  });

  it('is decompressed by an HTTP client', async () => {
    const { get } = await serve(compressing);
    const response = await get('/');
    expect(response.headers.get('content-encoding')).toBe('gzip');
    expect(await response.text()).toBe(text);
  });
});

describe('CORS of API Gateway', () => {
  const cors = {
    AllowOrigins: ['https://app.example.com'],
    AllowMethods: ['GET', 'PATCH'],
    AllowHeaders: ['authorization'],
    MaxAge: 60,
  };
  const preflight = { 'access-control-request-method': 'PATCH' };
  const send = async (assembly: SmallAssembly, method: string, headers: Record<string, string>) => {
    const { get } = await serve(assembly);
    const response = await get('/things/1', { method, headers });
    return [
      response.status,
      Object.fromEntries([...response.headers].filter(([name]) => name.startsWith('access-control'))),
    ];
  };

  it('responds to preflight requests and adds headers when the template configures CORS', async () => {
    const origin = 'https://app.example.com';
    const configured = { ...echoing, cors };
    expect(await send(configured, 'OPTIONS', { origin, ...preflight })).toEqual([
      204,
      {
        'access-control-allow-origin': origin,
        'access-control-allow-methods': 'GET,PATCH',
        'access-control-allow-headers': 'authorization',
        'access-control-max-age': '60',
      },
    ]);
    expect(await send(configured, 'GET', { origin })).toEqual([200, { 'access-control-allow-origin': origin }]);
    expect(await send(configured, 'GET', { origin: 'https://evil.example' })).toEqual([200, {}]);
  });

  it('adds no headers when the template does not configure CORS', async () => {
    expect(await send(echoing, 'OPTIONS', { origin: 'https://app.example.com', ...preflight })).toEqual([200, {}]);
  });
});
