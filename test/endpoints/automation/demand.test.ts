import { createServer, request as send } from 'node:http';
import type { AddressInfo } from 'node:net';
import { afterAll, beforeAll, expect, it, vi } from 'vitest';
import { digestOf } from '../../../shared/access/credentials.ts';
import { listPage, operations, recordedChange, type Subject } from '../../bench/demand.ts';
import type { Part } from '../../bench/partitions.ts';
import { type Api, startApi } from '../../support/api/api.ts';
import { startEngine, type TestEngine } from '../../support/engine/engine.ts';
import { followStream } from '../../support/engine/table-stream.ts';

/** The partition simulator must be fed with exactly the calls that the product makes. */

/** Consumption of an operation: the keys that it names, by space and partition key, and its capacity units. */
interface Usage {
  readonly keys: readonly string[];
  readonly units: number;
}

type Values = Record<string, { readonly S: string }>;

/** Lists the partition keys that a call names. */
const partitionKeys = (operation: string, body: string): string[] => {
  const call = JSON.parse(body);
  const named = (key: Values = {}): string => `table ${key['pk']?.S}`;
  if (operation === 'Query') {
    return [`${call.IndexName ?? 'table'} ${call.ExpressionAttributeValues[':pk'].S}`];
  }
  if (operation === 'BatchGetItem') {
    return Object.values<{ Keys: Values[] }>(call.RequestItems).flatMap(({ Keys }) => Keys.map(named));
  }
  if (operation === 'TransactWriteItems') {
    return call.TransactItems.flatMap((item: Record<string, { Key?: Values; Item?: Values }>) =>
      Object.values(item).map(({ Key, Item }) => named(Key ?? Item)),
    );
  }
  return [named(call.Key ?? call.Item)];
};

const consumedUnits = (response: string): number =>
  [JSON.parse(response).ConsumedCapacity ?? []]
    .flat()
    .reduce((sum: number, { CapacityUnits }: { CapacityUnits: number }) => sum + CapacityUnits, 0);

let engine: TestEngine;
let api: Api;
let calls: { operation: string; request: string; response: string }[] = [];
const proxy = createServer(async (incoming, outgoing) => {
  const body = Buffer.concat(await incoming.toArray());
  const { method = 'POST', headers } = incoming;
  send(engine.endpoint, { method, headers }, async (response) => {
    const whole = Buffer.concat(await response.toArray());
    const operation = String(headers['x-amz-target']).split('.')[1] ?? '';
    calls.push({ operation, request: body.toString(), response: whole.toString() });
    outgoing.writeHead(response.statusCode ?? 500, response.headers).end(whole);
  }).end(body);
});

let token: string;
let subject: Subject;
const request = (method: string, path: string, body?: object) =>
  api.request(method, path, { token, ...(body && { body }) });

const measureUsage = async (act: () => Promise<{ readonly status: number } | undefined>): Promise<Usage> => {
  calls = [];
  const reply = await act();
  expect(reply?.status ?? 200).toBeLessThan(300);
  return {
    keys: [...new Set(calls.flatMap(({ operation, request: body }) => partitionKeys(operation, body)))].sort(),
    units: calls.reduce((sum, { response }) => sum + consumedUnits(response), 0),
  };
};

/** Index writes come from the table itself: their units are counted, but no call names their keys. */
const expected = (parts: readonly Part[]): Usage => ({
  keys: [
    ...new Set(
      parts
        .filter(({ space, readUnits }) => space === 'table' || readUnits > 0)
        .map(({ space, key }) => `${space} ${key}`),
    ),
  ].sort(),
  units: parts.reduce((sum, { readUnits, writeUnits }) => sum + readUnits + writeUnits, 0),
});

const body = (attributes: object, project: string) => ({
  data: { type: 'workspaces', attributes, relationships: { project: { data: { type: 'projects', id: project } } } },
});
/** Fills an item up to about 1.5 KB. */
const filling = { description: 'd'.repeat(300), 'working-directory': 'w'.repeat(200), 'source-name': 's'.repeat(200) };

beforeAll(async () => {
  engine = await startEngine();
  await new Promise<void>((resolve) => proxy.listen(0, '127.0.0.1', resolve));
  api = await startApi({ engine, endpoint: `http://127.0.0.1:${(proxy.address() as AddressInfo).port}` });
  const organization = 'acme';
  ({ token } = await api.admin('create-organization', { name: organization, email: 'ada@example.com' }));
  const { project } = await api.admin('create-project', { organization, name: 'Platform' });
  const { body: account } = await request('GET', '/account/details');
  const created = await request(
    'POST',
    `/organizations/${organization}/workspaces`,
    body({ name: 'network', ...filling }, project.id),
  );
  subject = {
    organization,
    project: project.id,
    workspace: created.body.data.id,
    name: 'network',
    user: account.data.id,
    token: digestOf(token),
    shards: 4,
  };
});
afterAll(async () => {
  await api.stop();
  await new Promise((resolve) => {
    proxy.close(resolve);
    proxy.closeAllConnections();
  });
  await engine.stop();
});

const path = (rest = '') => `/workspaces/${subject.workspace}${rest}`;

it('partition demand model predicts the reads of showing a workspace by id and by name', async () => {
  expect(await measureUsage(() => request('GET', path()))).toEqual(expected(operations['show by id'](subject)));
  expect(await measureUsage(() => request('GET', '/organizations/acme/workspaces/network'))).toEqual(
    expected(operations['show by name'](subject)),
  );
});

it('partition demand model predicts the writes of locks, updates and tags', async () => {
  expect(await measureUsage(() => request('POST', path('/actions/lock')))).toEqual(expected(operations.lock(subject)));
  expect(await measureUsage(() => request('POST', path('/actions/unlock')))).toEqual(
    expected(operations.unlock(subject)),
  );
  const update = { data: { type: 'workspaces', attributes: { 'auto-apply': true } } };
  expect(await measureUsage(() => request('PATCH', path(), update))).toEqual(
    expected(operations['update without listed change'](subject)),
  );
  const tags = { data: [{ type: 'tags', attributes: { name: 'core' } }] };
  expect(await measureUsage(() => request('POST', path('/relationships/tags'), tags))).toEqual(
    expected(operations['add tag'](subject)),
  );
});

it('partition demand model predicts the writes of creating a workspace', async () => {
  const create = (name: string) =>
    request('POST', '/organizations/acme/workspaces', body({ name, ...filling }, subject.project));
  await create('before');
  let id = '';
  const counted = await measureUsage(async () => {
    const reply = await create('shop');
    id = reply.body.data.id;
    return reply;
  });
  expect(counted).toEqual(expected(operations.create({ ...subject, workspace: id, name: 'shop' })));
});

it('partition demand model predicts the calls for variables and state versions', async () => {
  const createCounted = async (
    at: string,
    sent: object,
  ): Promise<{ readonly made: string; readonly counted: Usage }> => {
    let id = '';
    const counted = await measureUsage(async () => {
      const reply = await request('POST', path(at), { data: sent });
      id = reply.body.data.id;
      return reply;
    });
    return { made: id, counted };
  };
  const newVariable = (key: string) => ({ type: 'vars', attributes: { key, value: '3', category: 'env' } });
  // The first variable also changes the workspace's row in lists, so it is created before counting.
  await createCounted('/vars', newVariable('first'));
  const variable = await createCounted('/vars', newVariable('size'));
  expect(variable.counted).toEqual(expected(operations['create variable']({ ...subject, made: variable.made })));
  expect(await measureUsage(() => request('GET', path('/vars')))).toEqual(
    expected(operations['list variables'](subject)),
  );

  await request('POST', path('/actions/lock'));
  const state = { serial: 1, lineage: 'demand', md5: '0'.repeat(32) };
  const version = await createCounted('/state-versions', { type: 'state-versions', attributes: state });
  expect(version.counted).toEqual(expected(operations['create state version']({ ...subject, made: version.made })));
});

it('partition demand model predicts the calls for a run report', async () => {
  const report = (status: string, at: string) =>
    api.ingest('run.updated', {
      organization: 'acme',
      workspace: subject.workspace,
      run: { id: 'run-1111111111111111', status, at, 'created-at': '2026-11-21T07:59:00Z', 'plan-only': false },
    });
  await report('pending', '2026-11-21T07:59:00Z');
  const counted = await measureUsage(async () => {
    await report('planning', '2026-11-21T08:00:00Z');
    return undefined;
  });
  expect(counted).toEqual(expected(operations['run report'](subject)));
});

it('partition demand model predicts the index write of a run that postpones auto-destroy', async () => {
  const attributes = { 'auto-destroy-activity-duration': '14d' };
  await request('PATCH', path(), { data: { type: 'workspaces', attributes } });
  const run = { id: 'run-2222222222222222', at: new Date().toISOString(), 'created-at': new Date().toISOString() };
  const report = (status: string) =>
    api.ingest('run.updated', {
      organization: 'acme',
      workspace: subject.workspace,
      run: { ...run, status, 'plan-only': true },
    });
  vi.useFakeTimers({ toFake: ['Date'], now: Date.now() + 10 * 60_000 });
  await report('pending');
  vi.setSystemTime(Date.now() + 10 * 60_000);
  const counted = await measureUsage(async () => {
    await report('planning');
    return undefined;
  });
  vi.useRealTimers();
  expect(counted).toEqual(expected(operations['run report that postpones auto-destroy'](subject)));
});

it('partition demand model predicts the writes of the history for a change', async () => {
  const stream = await followStream(engine);
  const change = async (isQueued: boolean) => {
    const update = { data: { type: 'workspaces', attributes: { 'queue-all-runs': isQueued } } };
    expect((await request('PATCH', path(), update)).status).toBe(200);
    return (await stream.sinceLast()).filter(({ dynamodb }) => dynamodb?.Keys?.['sk']?.S === 'W');
  };
  // An instance marks the day once in an hour, which is no part of a change (STAT-7).
  await api.recordHistory(await change(true));
  const records = await change(false);
  const changeId = records[0]?.dynamodb?.NewImage?.['chg']?.M?.['id']?.S ?? '';
  const counted = await measureUsage(async () => {
    await api.recordHistory(records);
    return undefined;
  });
  expect(counted).toEqual(expected(recordedChange('acme', subject.workspace, changeId)));
});

it('partition demand model predicts the reads of a list page that is served from memory', async () => {
  const list = () => request('GET', '/organizations/acme/workspaces');
  const { body: page } = await list();
  const ids = page.data.map(({ id }: { id: string }) => id);
  expect(await measureUsage(list)).toEqual(expected(listPage(subject, ids)));
});
