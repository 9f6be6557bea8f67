import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { setTimeout as sleep } from 'node:timers/promises';
import { now as realNow } from '../../../shared/lib/clock.ts';
import { computeMd5 } from '../api/states.ts';
import { createSeededRandom } from '../models/seeded-random.ts';
import type { HcpDescription } from './hcp-description.ts';
import { endpoints } from './hcp-endpoints.ts';
import { createModel, currentOf, type HcpModel, type HcpResource, type StoredWorkspace, USER } from './hcp-model.ts';

/** Faults of the server. Absent ones do not occur. */
export interface HcpFaults {
  readonly seed: number;
  /** Each request with a number that is divisible by it gets the status 429. */
  readonly throttleEvery?: number;
  /** Share of requests with which a burst of one to three responses with 500 or 503 starts. */
  readonly bursts?: number;
  /** Share of downloads that end too early. Half of them look complete. */
  readonly truncated?: number;
  /** State versions of which one byte is changed with each download, such as `network/3`: the third of this workspace. */
  readonly altered?: readonly string[];
  /** Share of responses that are delayed, by up to `slowMillis`. */
  readonly slow?: number;
  readonly slowMillis?: number;
}

/** A request that the server has received. */
export interface HcpRequest {
  /** When it arrived, by the clock of the server. */
  readonly at: number;
  readonly method: string;
  /** Path and query. */
  readonly url: string;
  /** Whether it went to the host of downloads. */
  readonly isDownload: boolean;
  readonly hasToken: boolean;
  status: number;
}

/** A server that responds like HCP Terraform. */
export interface HcpServer {
  /** Address of the source, such as `tfe://127.0.0.1:4711/acme`. */
  readonly address: string;
  readonly token: string;
  readonly requests: readonly HcpRequest[];
  /** Requests that HCP Terraform does not know, and tokens that were sent to the wrong host. */
  readonly violations: readonly string[];
  /** Returns a workspace by its name, whose versions, lock and run a test may change. */
  readonly workspace: (name: string) => StoredWorkspace;
  /** Adds a state version to a workspace, which becomes the current one. */
  readonly addVersion: (name: string, content: Buffer) => void;
  /** Replaces the faults of later requests. */
  readonly setFaults: (faults: HcpFaults) => void;
  readonly stop: () => Promise<void>;
}

interface Call {
  readonly method: string;
  /** Parts of the path below `/api/v2`. */
  readonly parts: readonly string[];
  readonly query: URLSearchParams;
  readonly body: Buffer;
}

interface Answer {
  readonly status: number;
  readonly document?: unknown;
}

/** HCP Terraform has pages of 20, and accepts up to 100. Here all pages are small, so that few items need several. */
const PAGE_SIZE = 20;
const URL_LIFETIME = 25 * 3_600_000;
const RATE_LIMIT = 30;
const ORGANIZATION = 'acme';
const TOKEN = 'hcp-token';

const failed = (status: number, title: string, detail?: string): Answer => ({
  status,
  document: { errors: [{ status: String(status), title, ...(detail !== undefined && { detail }) }] },
});
const NOT_FOUND = failed(404, 'not found');

const found = (resource: HcpResource | undefined, included: readonly HcpResource[] = []): Answer =>
  resource === undefined
    ? NOT_FOUND
    : { status: 200, document: { data: resource, ...(included.length > 0 && { included }) } };

/** Lists whose endpoints have no parameters of pages, which are complete. */
const isComplete = (template: string): boolean => !endpoints[template]?.includes('page[number]');

const page = (
  template: string,
  query: URLSearchParams,
  items: readonly HcpResource[] | undefined,
  included: readonly HcpResource[] = [],
): Answer => {
  if (items === undefined) return NOT_FOUND;
  if (isComplete(template)) return { status: 200, document: { data: items } };
  const number = Number(query.get('page[number]') ?? 1);
  const size = Math.min(Number(query.get('page[size]') ?? PAGE_SIZE), PAGE_SIZE);
  const pages = Math.max(Math.ceil(items.length / size), 1);
  const pagination = {
    'current-page': number,
    'page-size': size,
    'prev-page': number > 1 ? number - 1 : null,
    'next-page': number < pages ? number + 1 : null,
    'total-pages': pages,
    'total-count': items.length,
  };
  return {
    status: 200,
    document: {
      data: items.slice((number - 1) * size, number * size),
      ...(included.length > 0 && { included }),
      meta: { pagination },
    },
  };
};

const patterns = Object.keys(endpoints).map((template) => ({
  template,
  pattern: new RegExp(`^${template.replaceAll(/\{\w+\}/g, '[^/]+')}$`),
}));

/** Responds to reads. @param urlOf creates a URL of the content of a state version. */
const read = (
  model: HcpModel,
  { parts, query }: Call,
  template: string,
  urlOf: (version: string) => string,
): Answer => {
  const [type = '', id = ''] = parts;
  const list = parts.at(-1) ?? '';
  const byName = (name: string | null) =>
    [...model.workspaces.values()].find(({ described }) => described.name === name);
  const toVersion = (version: Parameters<HcpModel['toVersion']>[0] | undefined) =>
    version && model.toVersion(version, urlOf(version.id));

  if (type === 'account') return found({ id: USER, type: 'users', attributes: {}, relationships: {} });
  if (type === 'organizations') {
    if (id !== ORGANIZATION) return NOT_FOUND;
    if (parts.length === 2) return found(model.organization());
    if (parts[2] === 'workspaces' && parts.length === 4) {
      const workspace = byName(list);
      return found(workspace && model.toWorkspace(workspace));
    }
    const included = query.get('include')?.includes('user') ? model.users() : [];
    return page(template, query, model.ofOrganization(list), included);
  }
  if (type === 'state-versions' && parts.length === 1) {
    const workspace = byName(query.get('filter[workspace][name]'));
    if (query.get('filter[organization][name]') !== ORGANIZATION || workspace === undefined) return NOT_FOUND;
    return page(
      template,
      query,
      workspace.versions.toReversed().flatMap((version) => toVersion(version) ?? []),
    );
  }
  if (type === 'state-versions') return found(toVersion(model.version(id)));
  if (type === 'team-workspaces') {
    const workspace = model.workspaces.get(query.get('filter[workspace][id]') ?? '');
    return page(template, query, workspace && model.ofWorkspace(workspace, type));
  }
  if (type === 'team-projects')
    return page(template, query, model.ofOther(query.get('filter[project][id]') ?? '', type));
  if (type === 'runs') {
    const workspace = byName(id.replace('run-', ''));
    const { run } = workspace ?? {};
    return found(run === undefined ? undefined : { id, type, attributes: { status: run }, relationships: {} });
  }
  if (type === 'workspaces') {
    const workspace = model.workspaces.get(id);
    if (workspace === undefined) return NOT_FOUND;
    if (parts.length === 2) return found(model.toWorkspace(workspace));
    if (list === 'current-state-version') return found(toVersion(currentOf(workspace)));
    const items = model.ofWorkspace(workspace, list);
    return list === 'data-retention-policy' ? found(items?.[0]) : page(template, query, items);
  }
  return page(template, query, model.ofOther(id, list));
};

/** Responds to writes: locks, and new state versions. */
const write = (model: HcpModel, { parts, body }: Call, urlOf: (version: string) => string): Answer | undefined => {
  const [type, id = '', ...rest] = parts;
  const workspace = model.workspaces.get(id);
  if (type !== 'workspaces' || workspace === undefined) return undefined;
  const action = rest.join('/');
  const isOurs = workspace.lock?.by === USER;
  if (action === 'actions/lock') {
    if (workspace.lock !== undefined) return failed(409, 'conflict', 'Unable to lock workspace. It is already locked.');
    const { reason = null } = JSON.parse(body.toString() || '{}');
    workspace.lock = { reason, by: USER };
    return found(model.toWorkspace(workspace));
  }
  if (action === 'actions/unlock') {
    if (!isOurs) return failed(409, 'conflict', 'Unable to unlock workspace.');
    workspace.lock = undefined;
    return found(model.toWorkspace(workspace));
  }
  if (action !== 'state-versions') return undefined;
  const { serial, md5, state } = JSON.parse(body.toString()).data.attributes;
  if (!isOurs) return failed(409, 'conflict', 'The workspace must be locked by you.');
  if (typeof serial !== 'number' || typeof md5 !== 'string') return failed(422, 'invalid attribute');
  if (serial <= (currentOf(workspace)?.serial ?? -1)) return failed(409, 'conflict', 'The serial is not greater.');
  const content = state === undefined ? undefined : Buffer.from(state, 'base64');
  if (content !== undefined && computeMd5(content) !== md5) return failed(422, 'invalid attribute', 'The MD5 differs.');
  const version = model.addVersion(workspace, { serial, content });
  const { attributes, ...others } = model.toVersion(version, urlOf(version.id));
  const document = { data: { ...others, attributes: { ...attributes, 'hosted-state-upload-url': urlOf(version.id) } } };
  return { status: 201, document };
};

const listen = async (server: Server): Promise<string> => {
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  return `127.0.0.1:${(server.address() as AddressInfo).port}`;
};

const readWhole = async (request: IncomingMessage): Promise<Buffer> => {
  const parts: Buffer[] = [];
  for await (const part of request) parts.push(part);
  return Buffer.concat(parts);
};

/**
 * Starts a server that responds like HCP Terraform: strictly as its published description says, in small pages, with the size of
 * states but neither MD5 nor lineage, and with URLs of states on a second host, which expire and need no token. Each unknown request
 * is a violation. Requests are recorded with their times, so that a test can prove a rate.
 * @param now clock of the server.
 * @example
 * const server = await startHcpServer({
 *   workspaces: [{ name: 'network', versions: [{ content: hcpState(1, 'a') }], variables: [{ key: 'region', value: 'eu' }] }],
 * });
 * server.setFaults({ seed: 1, throttleEvery: 10, truncated: 0.1 });
 * const io = { ...context.io({ HOLDFAST_SOURCE_TOKEN: server.token }), fetch };
 * const source = openTfeSource(io, await resolveTfeAddress(io, server.address));
 * …
 * expect(server.violations).toEqual([]);
 * await server.stop();
 */
export const startHcpServer = async (description: HcpDescription, now = realNow): Promise<HcpServer> => {
  const model = createModel(ORGANIZATION, description);
  const requests: HcpRequest[] = [];
  const violations: string[] = [];
  let faults: HcpFaults = { seed: 0 };
  let draw = createSeededRandom(0);
  let count = 0;
  let burst = 0;
  let downloadHost = '';

  const urlOf = (version: string): string => `http://${downloadHost}/object/${now() + URL_LIFETIME}/${version}`;
  const violate = (answer: Answer, text: string): Answer => {
    violations.push(text);
    return answer;
  };

  const answer = (call: Call, isAuthenticated: boolean): Answer => {
    const { method, parts, query } = call;
    if (!isAuthenticated) return failed(401, 'unauthorized');
    const path = `/${parts.join('/')}`;
    if (method === 'POST') return write(model, call, urlOf) ?? violate(NOT_FOUND, `POST ${path}`);
    const template = patterns.find(({ pattern }) => pattern.test(path))?.template;
    if (method !== 'GET' || template === undefined) return violate(NOT_FOUND, `${method} ${path}`);
    const unknown = [...query.keys()].filter((name) => !endpoints[template]?.includes(name));
    if (unknown.length > 0) return violate(failed(400, 'bad request'), `${path} with ${unknown.join(', ')}`);
    if (description.absent?.includes(path.split('/').at(-1) ?? '')) return NOT_FOUND;
    return read(model, call, template, urlOf);
  };

  /** Chooses the fault of a request. */
  const chooseFault = (): number | undefined => {
    count += 1;
    if (faults.throttleEvery !== undefined && count % faults.throttleEvery === 0) return 429;
    if (burst === 0 && draw() < (faults.bursts ?? 0)) burst = 1 + Math.floor(draw() * 3);
    if (burst === 0) return undefined;
    burst -= 1;
    return draw() < 0.5 ? 500 : 503;
  };
  const delay = async (): Promise<void> => {
    if (draw() < (faults.slow ?? 0)) await sleep(draw() * (faults.slowMillis ?? 20));
  };
  const record = ({ method = 'GET', url = '', headers }: IncomingMessage, isDownload: boolean): HcpRequest => {
    const entry = { at: now(), method, url, isDownload, hasToken: headers.authorization !== undefined, status: 0 };
    requests.push(entry);
    return entry;
  };

  const respond = async (request: IncomingMessage, response: ServerResponse): Promise<void> => {
    const entry = record(request, false);
    const url = new URL(entry.url, 'http://localhost');
    const send = (status: number, document: unknown, headers: Readonly<Record<string, string>> = {}): void => {
      entry.status = status;
      response.writeHead(status, {
        'content-type': 'application/vnd.api+json',
        'x-ratelimit-limit': `${RATE_LIMIT}`,
        ...headers,
      });
      response.end(document === undefined ? undefined : JSON.stringify(document));
    };
    const body = await readWhole(request);
    await delay();
    if (url.pathname === '/.well-known/terraform.json') return send(200, { 'tfe.v2': '/api/v2/' });
    const fault = chooseFault();
    if (fault === 429) return send(429, failed(429, 'too many requests').document, { 'x-ratelimit-reset': '0.2' });
    if (fault !== undefined) return send(fault, undefined, { 'content-type': 'text/html' });
    const parts = url.pathname
      .replace(/^\/api\/v2\//, '')
      .split('/')
      .map(decodeURIComponent);
    const call = { method: entry.method, parts, query: url.searchParams, body };
    const { status, document } = answer(call, request.headers.authorization === `Bearer ${TOKEN}`);
    send(status, document);
  };

  /** Changes the content of a download as the faults say. @returns the length that the response claims, too. */
  const damage = (version: string, content: Buffer): { readonly sent: Buffer; readonly length: number } => {
    const [, name, position] = /^sv-(.*)-(\d+)$/.exec(version) ?? [];
    let sent = content;
    if (faults.altered?.includes(`${name}/${position}`)) {
      sent = Buffer.from(content);
      const place = Math.floor(draw() * sent.length);
      sent[place] = (sent[place] ?? 0) ^ 1;
    }
    if (draw() >= (faults.truncated ?? 0)) return { sent, length: sent.length };
    const short = sent.subarray(0, Math.floor(sent.length / 2));
    return { sent: short, length: draw() < 0.5 ? short.length : sent.length };
  };

  const transfer = async (request: IncomingMessage, response: ServerResponse): Promise<void> => {
    const entry = record(request, true);
    if (entry.hasToken) violations.push(`The token was sent to ${entry.url}`);
    const body = await readWhole(request);
    await delay();
    const [, , expires, id = ''] = entry.url.split('/');
    const version = model.version(id);
    if (version === undefined || Number(expires) < now()) {
      entry.status = 403;
      response.writeHead(403).end();
      return;
    }
    entry.status = 200;
    if (entry.method === 'PUT') {
      Object.assign(version, { content: body, status: 'finalized' });
      response.end();
      return;
    }
    const { sent, length } = damage(version.id, version.content ?? Buffer.alloc(0));
    response.writeHead(200, { 'content-type': 'application/octet-stream', 'content-length': length });
    if (sent.length === length) response.end(sent);
    else response.write(sent, () => response.destroy());
  };

  const servers = [respond, transfer].map((handle) =>
    createServer((request, response) => {
      handle(request, response).catch((error) => {
        violations.push(`${request.method} ${request.url}: ${error}`);
        response.destroy();
      });
    }),
  );
  const [host = '', downloads = ''] = await Promise.all(servers.map(listen));
  downloadHost = downloads;
  const workspaceOf = (name: string): StoredWorkspace => {
    const workspace = model.workspaces.get(`ws-${name}`);
    if (workspace === undefined) throw new Error(`There is no workspace ${name}.`);
    return workspace;
  };
  return {
    address: `tfe://${host}/${ORGANIZATION}`,
    token: TOKEN,
    requests,
    violations,
    workspace: workspaceOf,
    addVersion: (name, content) => {
      model.addVersion(workspaceOf(name), { serial: JSON.parse(String(content)).serial, content });
    },
    setFaults: (next) => {
      faults = next;
      draw = createSeededRandom(next.seed);
    },
    stop: async () => {
      for (const server of servers) {
        server.closeAllConnections();
        await new Promise((resolve) => server.close(resolve));
      }
    },
  };
};
