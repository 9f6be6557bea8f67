/** Measures what a bulk job costs, and what it costs others (`npm run bench:jobs`). */
import { setTimeout as sleep } from 'node:timers/promises';
import { isDeepStrictEqual } from 'node:util';
import { readArguments } from '../../infra/command-line.ts';
import { eventFor } from './measure-operations.ts';
import { createMeterProxy, type Usage } from './meter-proxy.ts';
import type { BenchRequest } from './operations.ts';
import { createTestbed, type Organization, type Testbed } from './testbed.ts';

const usage = `Usage: npm run bench:jobs -- [--workspaces <number>] [--rate <number>] [--turns <number>]

Runs a bulk job over an organization of the local service, and prints the calls and capacity units of DynamoDB for each workspace, of
the whole service with its history and events, and those of single requests. While the job runs, a function of its own serves single
requests, whose calls are compared with those before the job.

  --workspaces <number>  workspaces of the organization
  --rate <number>        workspaces per second
  --turns <number>       single requests of each kind`;

const { values } = readArguments(usage, {
  options: {
    workspaces: { type: 'string', default: '10000' },
    rate: { type: 'string', default: '200' },
    turns: { type: 'string', default: '100' },
  },
});
const size = Number(values.workspaces);
const turns = Number(values.turns);

/** Time without a call after which all work that follows from requests is done, in milliseconds. */
const QUIET = 3_000;

const perItem = (total: Usage, count: number): string =>
  [total.calls, total.readUnits, total.writeUnits].map((value) => (value / count).toFixed(2).padStart(8)).join('');
const print = (name: string, total: Usage, count: number): void =>
  console.log(`${name.padEnd(44)}${perItem(total, count)}`);

type Attributes = Readonly<Record<string, unknown>>;

const openRequests = ({ service, token }: Testbed) => {
  const request = async (
    method: string,
    path: string,
    body?: object,
    headers: Record<string, string> = {},
    // biome-ignore lint/suspicious/noExplicitAny: documents of several types.
  ): Promise<{ readonly document: any; readonly tag: string }> => {
    const response = await fetch(service.baseUrl + path, {
      method,
      headers: { authorization: `Bearer ${token}`, 'content-type': 'application/vnd.api+json', ...headers },
      ...(body && { body: JSON.stringify(body) }),
    });
    if (response.status === 503) {
      await sleep(1_000);
      return request(method, path, body, headers);
    }
    if (!response.ok) throw new Error(`${method} ${path}: ${response.status} ${await response.text()}`);
    return { document: await response.json(), tag: response.headers.get('etag') ?? '' };
  };
  const update = (id: string, attributes: object, query = '') =>
    request('PATCH', `/workspaces/${id}${query}`, { data: { type: 'workspaces', attributes } });
  return { request, update };
};
type Requests = ReturnType<typeof openRequests>;

/** Three settings, of which the list index has two. */
const change = (by: 'warm' | 'single' | 'job') => ({
  description: `by ${by}`,
  'infra-version': { warm: '1.8.0', single: '1.9.0', job: '1.10.0' }[by],
  'execution-mode': by === 'single' ? 'remote' : 'local',
});

/** Compares items of a preview with dry runs of the single requests. @returns the number of compared items */
const comparePreviews = async ({ request, update }: Requests, id: string): Promise<number> => {
  const { document } = await request('GET', `/bulk-jobs/${id}/items?page[size]=100`);
  for (const { attributes, relationships } of document.data) {
    const single = await update(relationships.workspace.data.id, change('job'), '?dry-run=true');
    const { outcome, changes } = single.document.data.attributes;
    if (!isDeepStrictEqual([outcome, changes], [attributes['preview-outcome'], attributes.changes])) {
      throw new Error(`The preview of ${relationships.workspace.data.id} differs from the dry run`);
    }
  }
  return document.data.length;
};

/** Waits while a job has a status. Its counters are exact at each moment. */
const waitFor = async ({ request }: Requests, id: string, status: string): Promise<Attributes> => {
  for (;;) {
    const attributes = (await request('GET', `/bulk-jobs/${id}`)).document.data.attributes;
    const sum = Object.values(attributes['outcome-counts'] as Record<string, number>).reduce(
      (one, other) => one + other,
    );
    if (attributes.total !== null && sum !== attributes.total)
      throw new Error(`${sum} outcomes of ${attributes.total}`);
    if (attributes.status !== status) return attributes;
    await sleep(1_000);
  }
};

/** Starts functions whose calls are counted apart from those of the service. */
const startSingles = async (testbed: Testbed, { name, others }: Organization) => {
  const id = others.at(-1)?.id ?? '';
  let turn = 0;
  const kinds = {
    show: () => ({ routeId: 'workspaces.show', parameters: { workspace_id: id } }),
    update: () => ({
      routeId: 'workspaces.update',
      parameters: { workspace_id: id },
      body: { data: { type: 'workspaces', attributes: { description: `single ${turn++}` } } },
    }),
    list: () => ({ routeId: 'workspaces.list', parameters: { organization_name: name } }),
  } as const satisfies Record<string, () => BenchRequest>;
  const functions = { show: 'workspaces', update: 'workspaces', list: 'workspace-list' } as const;
  const started = await Promise.all(
    (Object.keys(kinds) as (keyof typeof kinds)[]).map(async (kind) => {
      const meter = createMeterProxy();
      const { endpoint, stop } = await meter.engineProxy(testbed.service.engineEndpoint);
      // Every request reads its caller, so that its speed does not decide how much it reads.
      const process = await testbed.start(functions[kind], { endpoint, callerCacheSeconds: 0 });
      const send = async (): Promise<void> => {
        const { answer } = await process.invoke(eventFor(kinds[kind](), testbed.token));
        if (answer.statusCode >= 300) throw new Error(`${kind}: ${answer.statusCode} ${answer.body}`);
      };
      await send();
      await send();
      meter.take();
      return { kind, meter, send, end: () => Promise.all([process.end(), stop()]) };
    }),
  );
  return {
    /** Sends requests of each kind, and returns the usage of each. @param pause time between requests, in milliseconds. */
    run: async (pause: number): Promise<readonly (readonly [kind: string, Usage])[]> => {
      for (let count = 0; count < turns; count++) {
        for (const { send } of started) await send();
        await sleep(pause);
      }
      return started.map(({ kind, meter }) => [kind, meter.take()] as const);
    },
    end: () => Promise.all(started.map(({ end }) => end())),
  };
};

const meter = createMeterProxy();
const testbed = await createTestbed([size], { engineProxy: meter.engineProxy });
const [organization] = testbed.organizations;
if (organization === undefined) throw new RangeError('There is no organization');
const requests = openRequests(testbed);
const { request, update } = requests;
const { name, others } = organization;
const singles = await startSingles(testbed, organization);
try {
  console.log(`${''.padEnd(44)}   calls    read   write`);
  const own = others.slice(0, turns).map(({ id }) => id);
  for (const id of own) await update(id, change('warm'));
  await meter.takeWhenQuiet(QUIET);
  for (const id of own) await update(id, change('single'), '?dry-run=true');
  print('single dry run', await meter.takeWhenQuiet(QUIET), own.length);
  for (const id of own) await update(id, change('single'));
  print('single update', await meter.takeWhenQuiet(QUIET), own.length);

  const before = await singles.run(0);
  await meter.takeWhenQuiet(QUIET);
  const attributes = {
    action: 'update',
    parameters: change('job'),
    selection: { filter: {}, except: [others.at(-1)?.id] },
    rate: Number(values.rate),
  };
  const path = `/organizations/${name}/bulk-jobs`;
  let started = performance.now();
  const created = await request('POST', path, { data: { type: 'bulk-jobs', attributes } });
  const { id } = created.document.data;
  const ready = await waitFor(requests, id, 'preparing');
  const previewed = (performance.now() - started) / 1_000;
  const items = Number(ready['total']);
  print('job, preview of an item', await meter.takeWhenQuiet(QUIET), items);

  console.log(`${await comparePreviews(requests, id)} previews are equal to dry runs of the single requests`);
  await meter.takeWhenQuiet(QUIET);
  const { tag } = await request('GET', `/bulk-jobs/${id}`);
  started = performance.now();
  await request('POST', `/bulk-jobs/${id}/actions/apply`, undefined, { 'if-match': tag });
  let isActive = true;
  const ending = waitFor(requests, id, 'active').finally(() => {
    isActive = false;
  });
  const running = singles.run(100).then((used) => {
    if (!isActive) console.log('The job ended before the single requests: repeat with fewer turns.');
    return used;
  });
  const [end, during] = await Promise.all([ending, running]);
  const applied = (performance.now() - started) / 1_000;
  print('job, application of an item', await meter.takeWhenQuiet(QUIET), items);
  for (const [index, [kind, alone]] of before.entries()) {
    const busy = during[index]?.[1] ?? alone;
    print(`${kind}, alone`, alone, turns);
    print(`${kind}, during the job (${(busy.calls / alone.calls).toFixed(2)} of the calls)`, busy, turns);
  }
  console.log(`Status ${end['status']}: ${JSON.stringify(end['outcome-counts'])}`);
  console.log(`${items} items: preview ${previewed.toFixed(0)} s, application ${applied.toFixed(0)} s`);
} finally {
  await singles.end();
  await testbed.stop();
}
