import { gunzipSync } from 'node:zlib';
import type { DynamoDBBatchResponse, DynamoDBRecord } from 'aws-lambda';
import { expect, vi } from 'vitest';
import { servingFunctions } from '../../../infra/constructs/gate.ts';
import type { RouteDefinition } from '../../../infra/local/assembly/assembly.ts';
import { createHttpEvent } from '../../../infra/local/gateway/http-event.ts';
import { createRouteMatcher } from '../../../infra/local/gateway/route-matching.ts';
import { digestOf } from '../../../shared/access/credentials.ts';
import type { Edition } from '../../../shared/domain/editions.ts';
import type { IdentityProvider } from '../../../shared/domain/identity-providers.ts';
import { LATEST } from '../../../shared/domain/timestamps.ts';
import { RUNNER } from '../../../shared/events/sources.ts';
import type { HttpHandler } from '../../../shared/http/stack.ts';
import { base58 } from '../../../shared/lib/random.ts';
import { type RouteId, routeIds, routeKey, routes } from '../../../shared/routes/index.ts';
import type { FunctionName } from '../../../shared/runtime/environment.ts';
import type { Database } from '../../../shared/store/dynamodb/database.ts';
import { ConditionFailed } from '../../../shared/store/dynamodb/errors.ts';
import { tokenUseEnd } from '../../../shared/store/items/record-items.ts';
import { CACHE_READS, DIRECT_ENGINE } from '../engine/direct-document-client.ts';
import { otherEngine, startEngine, type TestEngine } from '../engine/engine.ts';
import { startBucket, type TestBucket } from './bucket.ts';
import { recordSuccess } from './endpoint-tests.ts';
import { type Handler, loadHandlers } from './handlers.ts';
import { startKeyService, type TestKeyService } from './key-service.ts';
import { startLambdaService, type TestLambdaService } from './lambda-service.ts';
import { startQueue, type TestQueue } from './queue.ts';
import { requireDocumented } from './response-conformance.ts';

/**
 * Endpoint tests call the handlers of the real functions in this process. `startApi` starts an embedded DynamoDB engine
 * and emulated KMS, S3, SQS and Lambda services, bundles the functions and loads them with an environment like that of a
 * deployment. `request` matches the route as API Gateway does and calls its function with an HTTP API event. Each
 * response is validated against the OpenAPI document. Each success is recorded, because a complete run requires one for
 * every route (`endpoint-tests.ts`). `admin` runs commands of the admin function, for example to create organizations
 * and tokens.
 *
 * @example
 * ```ts
 * const api = await startApi(CACHED);
 * const { token } = await api.admin('create-organization', { name: 'acme', email: 'ada@example.com' });
 * const body = { data: { type: 'workspaces', attributes: { name: 'web' } } };
 * const created = await api.request('POST', '/organizations/acme/workspaces', { token, body });
 * expect(created.status).toBe(201);
 * await api.stop();
 * ```
 *
 * @module
 */

/** Response of the API with a parsed body. */
export interface ApiResponse {
  readonly status: number;
  readonly headers: Readonly<Record<string, string>>;
  /** Values of `Set-Cookie`. */
  readonly cookies?: readonly string[];
  // biome-ignore lint/suspicious/noExplicitAny: tests read documents of every shape.
  readonly body: any;
}

export interface RequestOptions {
  readonly token?: string | undefined;
  /** Sent as JSON, unless it is a string or a buffer. */
  readonly body?: unknown;
  readonly headers?: Readonly<Record<string, string>>;
  /** Address of the client; one of this machine by default. */
  readonly sourceIp?: string;
}

/**
 * Handlers of all functions in this process, behind the routes of the route table. Every response is validated against
 * the OpenAPI document.
 */
export interface Api {
  readonly engine: TestEngine;
  readonly keyService: TestKeyService;
  readonly lambda: TestLambdaService;
  readonly bucket: TestBucket;
  /** Sends a request. `path` is relative to `/api/v2`, unless it starts with `/api/` or names the documentation. */
  readonly request: (method: string, path: string, options?: RequestOptions) => Promise<ApiResponse>;
  /** Returns the id of the last request. */
  readonly lastRequest: () => string | undefined;
  /** Returns the route of the last request, or undefined if no route matched. */
  readonly lastRoute: () => RouteId | undefined;
  /** Runs a command of the admin function. */
  // biome-ignore lint/suspicious/noExplicitAny: as above.
  readonly admin: (command: string, parameters?: Readonly<Record<string, unknown>>) => Promise<any>;
  /** Runs a command of the automation function. */
  // biome-ignore lint/suspicious/noExplicitAny: as above.
  readonly automate: (command: Readonly<Record<string, unknown>>) => Promise<any>;
  /** Invokes the state content function with an event of the bucket. */
  readonly readContent: (event: unknown) => Promise<void>;
  /** Invokes the state content function with every bucket event since the last call. */
  readonly deliverUploads: () => Promise<void>;
  /** Writes a snapshot of the list index of an organization. */
  readonly takeSnapshot: (organization: string) => Promise<void>;
  /** Runs the daily state retention. */
  readonly retainStates: () => Promise<{ readonly deleted: number; readonly failed: number }>;
  /** Runs the cleanup that is scheduled every minute. */
  readonly cleanup: () => Promise<{ readonly requested: number; readonly finished: number; readonly failed: number }>;
  /** Invokes the ingest function with an event of the bus, by default one of a runner. */
  readonly ingest: (type: string, detail: unknown, event?: object) => Promise<void>;
  /** Invokes the function that writes the history with records of the table stream. */
  readonly recordHistory: (records: readonly DynamoDBRecord[]) => Promise<DynamoDBBatchResponse>;
  /** Dead-letter queue of events that cannot be processed. */
  readonly deadLetters: TestQueue;
  readonly stop: () => Promise<void>;
}

export interface ApiOptions {
  readonly edition?: Edition;
  readonly globalRemoteState?: boolean;
  /** Days for which deleted workspaces can be restored; 0 by default. */
  readonly deletedWorkspaceDays?: number;
  readonly usersMayCreateOrganizations?: boolean;
  readonly identityProviders?: readonly IdentityProvider[];
  /** Whether the deployment has the web console; true by default. */
  readonly console?: boolean;
  /** Whether machines without a browser can log in; true by default. */
  readonly deviceLogin?: boolean;
  readonly cacheSeconds?: number;
  readonly organizationMilliseconds?: number;
  readonly logLevel?: 'DEBUG';
  /** Whether rejected requests leave entries in the audit trail; false by default. */
  readonly auditRefusals?: boolean;
  /** Whether the tokens of admin commands report their first use; false by default, so that calls can be counted. */
  readonly hasUnusedTokens?: boolean;
  /**
   * Reuses the response of the engine to a read until a write may have changed it, for tests that read the same few
   * resources thousands of times. Every write to the table must go through this API.
   */
  readonly cacheReads?: boolean;
  /** DynamoDB endpoint of the functions, such as a proxy of the engine. */
  readonly endpoint?: string;
  readonly engine?: TestEngine;
  /** Puts a gate in front of the functions that serve requests. */
  readonly gate?: (serve: HttpHandler) => HttpHandler;
}

/**
 * Options for tests that are not about access or caches, and that write only through the API. Callers and organizations are
 * read once instead of with every request, and anything else once between two writes, which saves most of the calls to the
 * database.
 */
export const CACHED = {
  cacheSeconds: 9_999,
  organizationMilliseconds: 9_999,
  cacheReads: true,
} as const satisfies ApiOptions;

const definitions = [
  ...routeIds.map((id) => ({ key: routeKey(routes[id]), functionName: routes[id].function })),
  { key: '$default', functionName: 'fallback' },
].map((definition): RouteDefinition => ({ ...definition, timeoutMillis: 30_000 }));

const byKey = new Map<string, RouteId>(routeIds.map((id) => [routeKey(routes[id]), id]));

/** Loads the functions with an environment, as a cold start does. */
const loadFunctions = (environment: Record<string, string>): Promise<Readonly<Record<FunctionName, Handler>>> => {
  for (const [name, value] of Object.entries(environment)) vi.stubEnv(name, value);
  return loadHandlers();
};

/** Prefix of the function names. */
const PREFIX = 'test';

const context = {
  functionName: 'test',
  /** Another one for each invocation. */
  get awsRequestId() {
    return base58(16);
  },
  getRemainingTimeInMillis: () => 100_000,
};

interface LambdaResponse {
  readonly statusCode: number;
  readonly headers: Readonly<Record<string, string>>;
  readonly cookies?: readonly string[];
  readonly body?: string;
  readonly isBase64Encoded?: boolean;
}

/** Decodes and decompresses the body, and parses it if it is JSON. */
const decodeBody = ({ headers, body, isBase64Encoded }: LambdaResponse): unknown => {
  if (body === undefined) return undefined;
  const bytes = Buffer.from(body, isBase64Encoded ? 'base64' : 'utf8');
  const text = (headers['content-encoding'] === 'gzip' ? gunzipSync(bytes) : bytes).toString();
  return /\bjson\b/.test(headers['content-type'] ?? '') ? JSON.parse(text) : text;
};

const encodeBody = (body: unknown): Buffer => {
  if (body === undefined) return Buffer.alloc(0);
  return Buffer.isBuffer(body) ? body : Buffer.from(typeof body === 'string' ? body : JSON.stringify(body));
};

/** Starts the API of a deployment with its own table and emulated services. */
export const startApi = async (options: ApiOptions = {}): Promise<Api> => {
  const engine = options.engine ?? (await startEngine());
  const keyService = await startKeyService();
  const deadLetters = await startQueue();
  const bucket = await startBucket();
  const lambda = await startLambdaService(
    PREFIX,
    (name) => (event) => functions[name as FunctionName](event, context),
    ['bulk-job-worker'],
  );
  const loaded = await loadFunctions({
    TABLE_NAME: engine.tableName,
    EDITION: options.edition ?? 'self-hosted',
    CALLER_CACHE_SECONDS: String(options.cacheSeconds ?? 0),
    SIGN_IN_FRESHNESS_DAYS: '14',
    ORGANIZATION_CACHE_MILLISECONDS: String(options.organizationMilliseconds ?? 0),
    GLOBAL_REMOTE_STATE_DEFAULT: String(options.globalRemoteState ?? false),
    DELETED_WORKSPACE_DAYS: String(options.deletedWorkspaceDays ?? 0),
    CONSOLE: String(options.console ?? true),
    LOGIN_TOKEN_HOURS: '12',
    DEVICE_LOGIN: String(options.deviceLogin ?? true),
    USERS_MAY_CREATE_ORGANIZATIONS: String(options.usersMayCreateOrganizations ?? false),
    IDENTITY_PROVIDERS: JSON.stringify(options.identityProviders ?? []),
    SESSION_HOURS: '12',
    SESSION_IDLE_MINUTES: '60',
    SECRETS_KEY_ARN: keyService.keyArn,
    FINGERPRINTS_KEY_ARN: keyService.macKeyArn,
    BUS_NAME: 'holdfast',
    FUNCTION_PREFIX: PREFIX,
    HISTORY_DAYS: '400',
    AUDIT_REFUSALS: String(options.auditRefusals ?? false),
    AWS_ENDPOINT_URL_LAMBDA: lambda.endpoint,
    BUCKET_NAME: bucket.name,
    AWS_ENDPOINT_URL_S3: bucket.endpoint,
    STATE_CONTENT_FUNCTION: `${PREFIX}-state-content`,
    BULK_JOB_WORKER_FUNCTION: `${PREFIX}-bulk-job-worker`,
    LIST_INDEX_SNAPSHOTS_FUNCTION: `${PREFIX}-list-index-snapshots`,
    AWS_ENDPOINT_URL_KMS: keyService.endpoint,
    AWS_ENDPOINT_URL_DYNAMODB: options.endpoint ?? engine.endpoint,
    // A proxy and another engine see the requests of the client of the deployment.
    [DIRECT_ENGINE]: options.endpoint || otherEngine ? '' : engine.endpoint,
    [CACHE_READS]: options.cacheReads ? 'true' : '',
    DEAD_LETTERS_URL: deadLetters.url,
    AWS_ENDPOINT_URL_SQS: deadLetters.endpoint,
    AWS_REGION: 'eu-central-1',
    PUBLIC_URL: 'http://holdfast.test',
    LOOPBACK_ISSUERS: 'true',
    AWS_ACCESS_KEY_ID: 'local',
    AWS_SECRET_ACCESS_KEY: 'local',
    POWERTOOLS_LOG_LEVEL: options.logLevel ?? 'SILENT',
  });
  const gated = servingFunctions.map((name) => [name, options.gate?.(loaded[name] as never) ?? loaded[name]]);
  const functions: Readonly<Record<FunctionName, Handler>> = { ...loaded, ...Object.fromEntries(gated) };
  const match = createRouteMatcher(definitions);
  let lastRequest: string | undefined;
  let lastRoute: RouteId | undefined;

  const request: Api['request'] = async (method, path, { token, body, headers = {}, sourceIp = '127.0.0.1' } = {}) => {
    const [rawPath = '', rawQueryString = ''] = (
      /^\/(api\/|cli\b|oauth2\/|sign-in\/|\.|docs\b|openapi\.json\b)/.test(path) ? path : `/api/v2${path}`
    ).split('?');
    const matched = match(method, rawPath);
    if (matched === undefined) throw new Error('No route, not even the default one');
    const all = {
      host: 'holdfast.test',
      ...(body !== undefined && { 'content-type': 'application/vnd.api+json' }),
      ...(token !== undefined && { authorization: `Bearer ${token}` }),
      ...headers,
    };
    lastRequest = base58(16);
    const event = createHttpEvent(
      {
        id: lastRequest,
        method,
        protocol: 'HTTP/1.1',
        rawPath,
        rawQueryString,
        rawHeaders: Object.entries(all).flat(),
        body: encodeBody(body),
        sourceIp,
        port: 443,
        receivedAt: new Date(),
      },
      { apiId: 'test', routeKey: matched.route.key, pathParameters: matched.parameters },
    );
    const response: LambdaResponse = await functions[matched.route.functionName as FunctionName](event, context);
    const reply = {
      status: response.statusCode,
      headers: response.headers,
      ...(response.cookies && { cookies: response.cookies }),
      body: decodeBody(response),
    };
    const route = byKey.get(matched.route.key);
    lastRoute = route;
    requireDocumented({
      ...reply,
      edition: options.edition ?? 'self-hosted',
      route,
      request: `${method} ${path}`,
      requestBody: encodeBody(body),
    });
    if (route !== undefined && reply.status < 400) recordSuccess(route, expect.getState().testPath ?? '');
    return reply;
  };

  let direct: Database | undefined;
  /** Lets a token count as used: its first use is recorded. */
  const markUsed = async (token: string): Promise<void> => {
    // The database of the engine can be one of another table, from which this one was copied.
    direct ??= engine.open({ tableName: engine.tableName });
    try {
      // So late that no request is one of a later day.
      await direct.write(tokenUseEnd(digestOf(token), LATEST, true));
    } catch (error) {
      // Tokens of agent pools never report a use.
      if (!(error instanceof ConditionFailed)) throw error;
    }
  };
  const admin: Api['admin'] = async (command, parameters = {}) => {
    // biome-ignore lint/suspicious/noExplicitAny: the response differs by command.
    const response: any = await functions.admin({ command, ...parameters }, context);
    if (typeof response?.token === 'string' && !options.hasUnusedTokens) await markUsed(response.token);
    return response;
  };

  return {
    engine,
    keyService,
    lambda,
    request,
    lastRequest: () => lastRequest,
    lastRoute: () => lastRoute,
    admin,
    automate: (command) => functions.automation(command, context),
    bucket,
    readContent: (event) => functions['state-content'](event, context),
    deliverUploads: async () => {
      for (const event of bucket.takeEvents()) await functions['state-content'](event, context);
    },
    takeSnapshot: (organization) => functions['list-index-snapshots']({ organization }, context),
    cleanup: () => functions.cleanup({}, context),
    recordHistory: (Records) => functions['record-history']({ Records }, context),
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
