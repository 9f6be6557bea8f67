import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { join } from 'node:path';
import { text } from 'node:stream/consumers';
import type { Bundles } from '../../infra/build/bundle.ts';
import { type RouteId, routeKey, routes } from '../../shared/routes/index.ts';
import type { FunctionName } from '../../shared/runtime/environment.ts';
import { startEngine } from '../support/engine/engine.ts';
import { median } from './statistics.ts';

/**
 * Processor time of the first request of an instance after the import of its bundle, and of later requests, in
 * milliseconds.
 */
export interface FirstRequest {
  readonly request: 'show' | 'lock';
  readonly first: number;
  readonly warm: number;
  /** Instances that were started. */
  readonly starts: number;
}

const STARTS = 7;
/** Pairs of requests for each instance. The second half is measured as warm. */
const PAIRS = 60;

/** Child process that passes events to a handler one by one and reports the duration and response of each. */
const child = `
const [path, given] = process.argv.slice(1);
const { handler } = await import(path);
const answered = [];
for (const [index, event] of JSON.parse(given).entries()) {
  // Each request has its own id, so none is treated as a retry.
  const awsRequestId = [process.pid, index].join('-');
  if (event.requestContext) event.requestContext.requestId = awsRequestId;
  const before = process.cpuUsage();
  const answer = await handler(event, { awsRequestId, functionName: 'bench', getRemainingTimeInMillis: () => 20_000 });
  const { user, system } = process.cpuUsage(before);
  answered.push({ computing: (user + system) / 1_000, answer });
}
process.stdout.write(JSON.stringify(answered), () => process.exit());
`;

interface Answered {
  readonly computing: number;
  // biome-ignore lint/suspicious/noExplicitAny: what functions answer is of every shape.
  readonly answer: any;
}

/** Builds the event that API Gateway sends for a request. */
const eventOf = (route: RouteId, token: string, parameters: Readonly<Record<string, string>>, body?: object) => {
  const { method, path } = routes[route];
  const rawPath = path.replaceAll(/\{(\w+)\}/g, (_, name: string) => parameters[name] ?? '');
  return {
    version: '2.0',
    routeKey: routeKey(routes[route]),
    rawPath,
    rawQueryString: '',
    headers: { authorization: `Bearer ${token}`, ...(body && { 'content-type': 'application/vnd.api+json' }) },
    requestContext: { domainName: 'localhost', http: { method, path: rawPath } },
    pathParameters: parameters,
    isBase64Encoded: false,
    ...(body && { body: JSON.stringify(body) }),
  };
};

export const measureFirstRequests = async (
  bundles: Bundles,
  environmentOf: (name: FunctionName) => Readonly<Record<string, string>>,
): Promise<readonly FirstRequest[]> => {
  const engine = await startEngine();
  const instance = async (name: FunctionName, events: readonly object[]): Promise<readonly Answered[]> => {
    const path = join(bundles[name].directory, 'index.mjs');
    const started = spawn(process.execPath, ['--input-type=module', '--eval', child, path, JSON.stringify(events)], {
      stdio: ['ignore', 'pipe', 'pipe'],
      env: {
        ...environmentOf(name),
        TABLE_NAME: engine.tableName,
        AWS_ENDPOINT_URL_DYNAMODB: engine.endpoint,
        POWERTOOLS_LOG_LEVEL: 'SILENT',
      },
    });
    const [said, complaints, [code]] = await Promise.all([
      text(started.stdout),
      text(started.stderr),
      once(started, 'exit'),
    ]);
    if (code !== 0) throw new Error(`${name} failed: ${complaints}`);
    return JSON.parse(said);
  };

  try {
    const [made] = await instance('admin', [
      { command: 'create-organization', name: 'acme', email: 'ada@example.com' },
    ]);
    const token: string = made?.answer.token;
    const body = { data: { type: 'workspaces', attributes: { name: 'bench' } } };
    const [created] = await instance('workspaces', [
      eventOf('workspaces.create', token, { organization_name: 'acme' }, body),
    ]);
    const { id } = JSON.parse(created?.answer.body).data;
    const on = (route: RouteId) => eventOf(route, token, { workspace_id: id });

    /** Measures the first event of each pair. The second event reverts its change. */
    const measure = async (
      request: FirstRequest['request'],
      name: FunctionName,
      pair: readonly object[],
    ): Promise<FirstRequest> => {
      const firsts: number[] = [];
      const laterStarts: number[] = [];
      for (let start = 0; start < STARTS; start++) {
        const answered = await instance(name, Array.from({ length: PAIRS }, () => pair).flat());
        const refused = answered.find(({ answer }) => answer.statusCode !== 200);
        if (refused) throw new Error(`${name} answered ${JSON.stringify(refused.answer)}`);
        const counted = answered.filter((_, index) => index % pair.length === 0).map(({ computing }) => computing);
        firsts.push(counted[0] ?? Number.NaN);
        laterStarts.push(median(counted.slice(PAIRS / 2)));
      }
      return { request, first: median(firsts), warm: median(laterStarts), starts: STARTS };
    };
    return [
      await measure('show', 'workspaces', [on('workspaces.show')]),
      await measure('lock', 'workspace-locks', [on('workspaces.lock'), on('workspaces.unlock')]),
    ];
  } finally {
    await engine.stop();
  }
};
