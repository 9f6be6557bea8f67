import { gunzipSync } from 'node:zlib';
import { expect, vi } from 'vitest';
import type { RouteDefinition } from '../../../infra/local/assembly/assembly.ts';
import { createHttpEvent } from '../../../infra/local/gateway/http-event.ts';
import { createRouteMatcher } from '../../../infra/local/gateway/route-matching.ts';
import type { Edition } from '../../../shared/domain/editions.ts';
import { RUNNER } from '../../../shared/events/sources.ts';
import { base58 } from '../../../shared/lib/random.ts';
import { type RouteId, routeIds, routeKey, routes } from '../../../shared/routes/index.ts';
import type { FunctionName } from '../../../shared/runtime/environment.ts';
import { startEngine, type TestEngine } from '../engine/engine.ts';
import { startBucket, type TestBucket } from './bucket.ts';
import { recordSuccess } from './endpoint-tests.ts';
import { type Handler, loadHandlers } from './handlers.ts';
import { startKeyService, type TestKeyService } from './key-service.ts';
import { startLambdaService, type TestLambdaService } from './lambda-service.ts';
import { startQueue, type TestQueue } from './queue.ts';
import { requireDocumented } from './response-conformance.ts';

/** What came back, with the body parsed. */
export interface ApiResponse {
  readonly status: number;
  readonly headers: Readonly<Record<string, string>>;
  // biome-ignore lint/suspicious/noExplicitAny: tests look into documents of every shape.
  readonly body: any;
}

export interface RequestOptions {
  readonly token?: string | undefined;
  /** Sent as JSON, or as it is when it is a text or bytes. */
  readonly body?: unknown;
  readonly headers?: Readonly<Record<string, string>>;
}

/**
 * The handlers of all functions in this process, behind the routes of the table, on an engine of their own. Every answer
 * is held against the OpenAPI document, so that it cannot lie.
 */
export interface Api {
  readonly engine: TestEngine;
  readonly keyService: TestKeyService;
  readonly lambda: TestLambdaService;
  readonly bucket: TestBucket;
  /** `path` is relative to /api/v2, unless it starts with it. */
  readonly request: (method: string, path: string, options?: RequestOptions) => Promise<ApiResponse>;
  /** The route that answered last; undefined where none matched. */
  readonly lastRoute: () => RouteId | undefined;
  /** The admin function's answer. */
  // biome-ignore lint/suspicious/noExplicitAny: as above.
  readonly admin: (command: string, parameters?: Readonly<Record<string, unknown>>) => Promise<any>;
  /** What a command of automation answers. */
  // biome-ignore lint/suspicious/noExplicitAny: as above.
  readonly automate: (command: Readonly<Record<string, unknown>>) => Promise<any>;
  /** Hands the function that reads uploads an event of the bucket. */
  readonly readContent: (event: unknown) => Promise<void>;
  /** The same for all that came since the last time. */
  readonly deliverUploads: () => Promise<void>;
  /** What lists of a large organization ask for. */
  readonly takeSnapshot: (organization: string) => Promise<void>;
  /** What the schedule does each day. */
  readonly retainStates: () => Promise<{ readonly deleted: number; readonly failed: number }>;
  /** What the schedule does each minute. */
  readonly cleanup: () => Promise<{ readonly asked: number; readonly finished: number; readonly failed: number }>;
  /** Hands the ingest function an event of the bus; one of a runner unless told otherwise. */
  readonly ingest: (type: string, detail: unknown, event?: object) => Promise<void>;
  /** Where events end that nothing can be done with. */
  readonly deadLetters: TestQueue;
  readonly stop: () => Promise<void>;
}

interface ApiOptions {
  readonly edition?: Edition;
  readonly globalRemoteState?: boolean;
  readonly cacheSeconds?: number;
  readonly organizationMilliseconds?: number;
  readonly logLevel?: 'DEBUG';
  /** Between the store and the engine, where a test wants to get in between. */
  readonly endpoint?: string;
  readonly engine?: TestEngine;
}

/**
 * For tests that are not about access or caches: callers and organizations are read once, not with every request, which
 * saves most of the calls to the database.
 */
export const CACHED = { cacheSeconds: 9_999, organizationMilliseconds: 9_999 } as const satisfies ApiOptions;

const definitions = [
  ...routeIds.map((id) => ({ key: routeKey(routes[id]), functionName: routes[id].function })),
  { key: '$default', functionName: 'fallback' },
].map((definition): RouteDefinition => ({ ...definition, timeoutMillis: 30_000 }));

const byKey = new Map<string, RouteId>(routeIds.map((id) => [routeKey(routes[id]), id]));

/** Loads the functions anew with an environment, as a deployment would. */
const loadFunctions = (environment: Record<string, string>): Promise<Readonly<Record<FunctionName, Handler>>> => {
  for (const [name, value] of Object.entries(environment)) vi.stubEnv(name, value);
  return loadHandlers();
};

/** What the names of functions begin with. */
const PREFIX = 'test';

const context = { functionName: 'test', awsRequestId: 'test', getRemainingTimeInMillis: () => 20_000 };

interface LambdaAnswer {
  readonly statusCode: number;
  readonly headers: Readonly<Record<string, string>>;
  readonly body?: string;
  readonly isBase64Encoded?: boolean;
}

/** The body as a client has it: decoded, unpacked, and parsed where it is JSON. */
const contentOf = ({ headers, body, isBase64Encoded }: LambdaAnswer): unknown => {
  if (body === undefined) return undefined;
  const bytes = Buffer.from(body, isBase64Encoded ? 'base64' : 'utf8');
  const text = (headers['content-encoding'] === 'gzip' ? gunzipSync(bytes) : bytes).toString();
  return /\bjson\b/.test(headers['content-type'] ?? '') ? JSON.parse(text) : text;
};

const bytesOf = (body: unknown): Buffer => {
  if (body === undefined) return Buffer.alloc(0);
  return Buffer.isBuffer(body) ? body : Buffer.from(typeof body === 'string' ? body : JSON.stringify(body));
};

export const startApi = async (options: ApiOptions = {}): Promise<Api> => {
  const engine = options.engine ?? (await startEngine());
  const keyService = await startKeyService();
  const deadLetters = await startQueue();
  const bucket = await startBucket();
  const lambda = await startLambdaService(PREFIX, (name) => (event) => functions[name as FunctionName](event, context));
  const functions: Readonly<Record<FunctionName, Handler>> = await loadFunctions({
    TABLE_NAME: engine.tableName,
    EDITION: options.edition ?? 'self-hosted',
    CALLER_CACHE_SECONDS: String(options.cacheSeconds ?? 0),
    ORGANIZATION_CACHE_MILLISECONDS: String(options.organizationMilliseconds ?? 0),
    GLOBAL_REMOTE_STATE_DEFAULT: String(options.globalRemoteState ?? false),
    SECRETS_KEY_ARN: keyService.keyArn,
    BUS_NAME: 'holdfast',
    FUNCTION_PREFIX: PREFIX,
    AWS_ENDPOINT_URL_LAMBDA: lambda.endpoint,
    BUCKET_NAME: bucket.name,
    AWS_ENDPOINT_URL_S3: bucket.endpoint,
    STATE_CONTENT_FUNCTION: `${PREFIX}-state-content`,
    LIST_INDEX_SNAPSHOTS_FUNCTION: `${PREFIX}-list-index-snapshots`,
    AWS_ENDPOINT_URL_KMS: keyService.endpoint,
    AWS_ENDPOINT_URL_DYNAMODB: options.endpoint ?? engine.endpoint,
    DEAD_LETTERS_URL: deadLetters.url,
    AWS_ENDPOINT_URL_SQS: deadLetters.endpoint,
    AWS_REGION: 'eu-central-1',
    AWS_ACCESS_KEY_ID: 'local',
    AWS_SECRET_ACCESS_KEY: 'local',
    POWERTOOLS_LOG_LEVEL: options.logLevel ?? 'SILENT',
  });
  const match = createRouteMatcher(definitions);
  let lastRoute: RouteId | undefined;

  const request: Api['request'] = async (method, path, { token, body, headers = {} } = {}) => {
    const [rawPath = '', rawQueryString = ''] = (
      /^\/(api\/|\.|docs\b|openapi\.json\b)/.test(path) ? path : `/api/v2${path}`
    ).split('?');
    const matched = match(method, rawPath);
    if (matched === undefined) throw new Error('No route, not even the default one');
    const all = {
      host: 'holdfast.test',
      'x-forwarded-proto': 'https',
      ...(body !== undefined && { 'content-type': 'application/vnd.api+json' }),
      ...(token !== undefined && { authorization: `Bearer ${token}` }),
      ...headers,
    };
    const event = createHttpEvent(
      {
        id: base58(16),
        method,
        protocol: 'HTTP/1.1',
        rawPath,
        rawQueryString,
        rawHeaders: Object.entries(all).flat(),
        body: bytesOf(body),
        sourceIp: '127.0.0.1',
        port: 443,
        receivedAt: new Date(),
      },
      { apiId: 'test', routeKey: matched.route.key, pathParameters: matched.parameters },
    );
    const answer: LambdaAnswer = await functions[matched.route.functionName as FunctionName](event, context);
    const reply = {
      status: answer.statusCode,
      headers: answer.headers,
      body: contentOf(answer),
    };
    const route = byKey.get(matched.route.key);
    lastRoute = route;
    requireDocumented({
      ...reply,
      edition: options.edition ?? 'self-hosted',
      route,
      request: `${method} ${path}`,
      requestBody: bytesOf(body),
    });
    if (route !== undefined && reply.status < 400) recordSuccess(route, expect.getState().testPath ?? '');
    return reply;
  };

  return {
    engine,
    keyService,
    lambda,
    request,
    lastRoute: () => lastRoute,
    admin: (command, parameters = {}) => functions.admin({ command, ...parameters }, context),
    automate: (command) => functions.automation(command, context),
    bucket,
    readContent: (event) => functions['state-content'](event, context),
    deliverUploads: async () => {
      for (const event of bucket.takeEvents()) await functions['state-content'](event, context);
    },
    takeSnapshot: (organization) => functions['list-index-snapshots']({ organization }, context),
    cleanup: () => functions.cleanup({}, context),
    retainStates: () => functions['state-retention']({}, { ...context, getRemainingTimeInMillis: () => 60_000 }),
    ingest: (type, detail, event = {}) =>
      functions.ingest({ id: base58(16), source: RUNNER, 'detail-type': type, detail, ...event }, context),
    deadLetters,
    stop: async () => {
      vi.unstubAllEnvs();
      await lambda.stop();
      await keyService.stop();
      await bucket.stop();
      await deadLetters.stop();
      if (options.engine === undefined) await engine.stop();
    },
  };
};
