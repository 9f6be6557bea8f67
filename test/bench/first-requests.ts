import { spawn } from 'node:child_process';
import { createHash } from 'node:crypto';
import { once } from 'node:events';
import { join } from 'node:path';
import { text } from 'node:stream/consumers';
import type { Bundles } from '../../infra/build/bundle.ts';
import { base58 } from '../../shared/lib/random.ts';
import { type RouteId, routeKey, routes } from '../../shared/routes/index.ts';
import type { FunctionName } from '../../shared/runtime/environment.ts';
import { startBucket } from '../support/api/bucket.ts';
import { startKeyService } from '../support/api/key-service.ts';
import { startEngine } from '../support/engine/engine.ts';
import { median } from './statistics.ts';

/**
 * CPU time of a new instance: the import of its bundle, its first request, and later requests. Medians in milliseconds.
 */
export interface FirstRequest {
  readonly request: string;
  readonly function: FunctionName;
  readonly importing: number;
  readonly first: number;
  /** Import and first request of the same instance. */
  readonly both: number;
  readonly later: number;
}

/** Requests to each instance. The second half is measured as later requests. */
const REQUESTS = 20;

/** Child process that passes events to a handler one by one and reports the CPU time and response of each. */
const child = `
const [path, given] = process.argv.slice(1);
const cpu = (before) => { const { user, system } = process.cpuUsage(before); return (user + system) / 1_000; };
const start = process.cpuUsage();
const { handler } = await import(path);
const importing = cpu(start);
const responses = [];
for (const [index, event] of JSON.parse(given).entries()) {
  // Each request has its own id, so none is treated as a retry.
  const awsRequestId = [process.pid, index].join('-');
  if (event.requestContext) event.requestContext.requestId = awsRequestId;
  const before = process.cpuUsage();
  const response = await handler(event, { awsRequestId, functionName: 'bench', getRemainingTimeInMillis: () => 20_000 });
  responses.push({ computing: cpu(before), response });
}
process.stdout.write(JSON.stringify({ importing, responses }), () => process.exit());
`;

interface Instance {
  readonly importing: number;
  // biome-ignore lint/suspicious/noExplicitAny: functions return values of every shape.
  readonly responses: readonly { readonly computing: number; readonly response: any }[];
}

interface Target {
  readonly parameters: Readonly<Record<string, string>>;
  readonly body?: object;
  readonly query?: string;
}

/** Builds the event that API Gateway sends for a request. */
const eventOf = (route: RouteId, token: string, { parameters, body, query = '' }: Target) => {
  const { method, path } = routes[route];
  const rawPath = path.replaceAll(/\{(\w+)\}/g, (_, name: string) => parameters[name] ?? '');
  return {
    version: '2.0',
    routeKey: routeKey(routes[route]),
    rawPath,
    rawQueryString: query,
    headers: { authorization: `Bearer ${token}`, ...(body && { 'content-type': 'application/vnd.api+json' }) },
    requestContext: { domainName: 'localhost', http: { method, path: rawPath } },
    pathParameters: parameters,
    isBase64Encoded: false,
    ...(body && { body: JSON.stringify(body) }),
  };
};

const resource = (type: string, attributes: object) => ({ data: { type, attributes } });
const variable = (sensitive: boolean) => resource('vars', { key: base58(12), value: 'v', category: 'env', sensitive });

/** Requests whose first occurrence in an instance is measured, with the ones that use code on demand. */
const requests: Readonly<
  Record<string, readonly [RouteId, body?: ((turn: number) => object) | undefined, query?: string]>
> = {
  show: ['workspaces.show'],
  update: ['workspaces.update', (turn) => resource('workspaces', { description: `turn ${turn}` })],
  'create a workspace': ['workspaces.create', () => resource('workspaces', { name: base58(12) })],
  'create a workspace with trigger patterns': [
    'workspaces.create',
    () => resource('workspaces', { name: base58(12), 'trigger-patterns': ['modules/**'] }),
  ],
  list: ['workspaces.list'],
  'list variables': ['workspace-variables.list'],
  'create a variable': ['workspace-variables.create', () => variable(false)],
  'create a sensitive variable': ['workspace-variables.create', () => variable(true)],
  'list SSH keys': ['ssh-keys.list'],
  'create an SSH key': ['ssh-keys.create', () => resource('ssh-keys', { name: base58(12), value: 'secret' })],
  'add a tag': ['workspace-tags.add', () => ({ data: [{ type: 'tags', attributes: { name: 'bench' } }] })],
  'list teams': ['teams.list'],
  'list projects': ['projects.list'],
  'show the organization': ['organizations.show'],
  'list state versions': [
    'state-versions.list',
    undefined,
    'filter[organization][name]=acme&filter[workspace][name]=bench',
  ],
  'lock and unlock': ['workspaces.lock', () => ({ reason: 'bench' })],
  'create a state version': [
    'state-versions.create',
    (serial) => {
      const state = Buffer.from(JSON.stringify({ version: 4, serial, lineage: 'bench', outputs: {}, resources: [] }));
      const md5 = createHash('md5').update(state).digest('hex');
      return resource('state-versions', { serial, md5, lineage: 'bench', state: state.toString('base64') });
    },
  ],
};

/**
 * Measures the first requests of new instances.
 * @param starts instances of each function.
 */
export const measureFirstRequests = async (
  bundles: Bundles,
  environmentOf: (name: FunctionName) => Readonly<Record<string, string>>,
  starts = 7,
): Promise<readonly FirstRequest[]> => {
  const engine = await startEngine();
  const keyService = await startKeyService();
  const bucket = await startBucket();
  const start = async (name: FunctionName, events: readonly object[]): Promise<Instance> => {
    const path = join(bundles[name].directory, 'index.mjs');
    const started = spawn(process.execPath, ['--input-type=module', '--eval', child, path, JSON.stringify(events)], {
      stdio: ['ignore', 'pipe', 'pipe'],
      env: {
        ...environmentOf(name),
        TABLE_NAME: engine.tableName,
        AWS_ENDPOINT_URL_DYNAMODB: engine.endpoint,
        AWS_ENDPOINT_URL_KMS: keyService.endpoint,
        AWS_ENDPOINT_URL_S3: bucket.endpoint,
        BUCKET_NAME: bucket.name,
        SECRETS_KEY_ARN: keyService.keyArn,
        FINGERPRINTS_KEY_ARN: keyService.macKeyArn,
        POWERTOOLS_LOG_LEVEL: 'SILENT',
      },
    });
    const [output, errors, [code]] = await Promise.all([
      text(started.stdout),
      text(started.stderr),
      once(started, 'exit'),
    ]);
    if (code !== 0) throw new Error(`${name} failed: ${errors}`);
    const instance = JSON.parse(output) as Instance;
    const failed = instance.responses.find(({ response }) => response.statusCode >= 300);
    if (failed) throw new Error(`${name} returned ${JSON.stringify(failed.response)}`);
    return instance;
  };

  try {
    const admin = await start('admin', [{ command: 'create-organization', name: 'acme', email: 'ada@example.com' }]);
    const token: string = admin.responses[0]?.response.token;
    const organization = { organization_name: 'acme' };
    const create = { parameters: organization, body: resource('workspaces', { name: 'bench' }) };
    const created = await start('workspaces', [eventOf('workspaces.create', token, create)]);
    const { id } = JSON.parse(created.responses[0]?.response.body).data;
    const parameters = { ...organization, name: 'acme', workspace_id: id };

    const measured: FirstRequest[] = [];
    let turn = 0;
    for (const [request, [route, body, query]] of Object.entries(requests)) {
      const name = routes[route].function;
      const eventsOf = () => {
        const event = eventOf(route, token, {
          parameters,
          ...(body && { body: body(++turn) }),
          ...(query && { query }),
        });
        return route === 'workspaces.lock' ? [event, eventOf('workspaces.unlock', token, { parameters })] : [event];
      };
      // A state version needs the lock.
      if (route === 'state-versions.create')
        await start('workspace-locks', [eventOf('workspaces.lock', token, { parameters })]);
      const instances: Instance[] = [];
      for (let count = 0; count < starts; count++)
        instances.push(await start(name, Array.from({ length: REQUESTS }, eventsOf).flat()));
      const medianOf = (value: (instance: Instance) => number): number => median(instances.map(value));
      const first = ({ responses }: Instance): number => responses[0]?.computing ?? Number.NaN;
      measured.push({
        request,
        function: name,
        importing: medianOf(({ importing }) => importing),
        first: medianOf(first),
        both: medianOf((instance) => instance.importing + first(instance)),
        later: medianOf(({ responses }) => median(responses.slice(REQUESTS / 2).map(({ computing }) => computing))),
      });
    }
    return measured;
  } finally {
    await keyService.stop();
    await bucket.stop();
    await engine.stop();
  }
};
