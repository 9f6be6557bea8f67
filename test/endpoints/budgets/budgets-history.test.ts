import type { DynamoDBRecord } from 'aws-lambda';
import { describe, expect } from 'vitest';
import { auditPartitions } from '../../../shared/store/dynamodb/keys.ts';
import { historyFilters } from '../../../shared/store/dynamodb/table-definition.ts';
import { keyOf } from '../../../shared/store/items/item-write.ts';
import type { Api } from '../../support/api/api.ts';
import { seedWorkspaces } from '../../support/api/seed-workspaces.ts';
import {
  advanceClock,
  type BudgetedOperation,
  type BudgetFixture,
  describeBudgets,
  ORGANIZATION,
  useBudgetFixtures,
} from '../../support/budgets/budgets.ts';
import { deliver } from '../../support/engine/stream-mapping.ts';
import { followStream } from '../../support/engine/table-stream.ts';

type Change = (path: string, fixture: BudgetFixture) => Promise<unknown>;

const createVariable: Change = (path, { request }) =>
  request('POST', `${path}/vars`, {
    data: { type: 'vars', attributes: { key: 'k', value: 'v'.repeat(500), category: 'env' } },
  });
const lock: Change = (path, { request }) => request('POST', `${path}/actions/lock`);
const addConsumers: Change = async (path, { create, request }) => {
  const ids = [await create('first-consumer'), await create('second-consumer')];
  const data = ids.map((id) => ({ type: 'workspaces', id }));
  await request('POST', `${path}/relationships/remote-state-consumers`, { data });
};
const describeTwentyTimes: Change = async (path, { request }) => {
  for (let index = 0; index < 20; index++) {
    await request('PATCH', path, { data: { type: 'workspaces', attributes: { 'auto-apply': index % 2 === 0 } } });
  }
};

/** Passes the records of the stream to the function that writes the history. */
const record = async ({ api }: BudgetFixture, stream: Awaited<ReturnType<typeof followStream>>) => {
  const records = await stream.sinceLast();
  return () => deliver(({ Records }) => api.recordHistory(Records), records, { filters: historyFilters });
};

/** Records earlier changes. An instance marks the day once in an hour, which is no part of a change (STAT-7). */
const recordEarlier = async (fixture: BudgetFixture, stream: Awaited<ReturnType<typeof followStream>>) => {
  advanceClock(0);
  await (await record(fixture, stream))();
};

/** Counts the writing of the entries of a change. */
const recordAfter =
  (change: Change): BudgetedOperation['prepare'] =>
  async (name, fixture) => {
    const stream = await followStream(fixture.api.engine);
    const path = `/workspaces/${await fixture.create(name)}`;
    await recordEarlier(fixture, stream);
    await change(path, fixture);
    const send = await record(fixture, stream);
    return async () => {
      expect(await send()).toMatchObject({ invocations: 1, repeated: 0 });
      return { status: 200, headers: {}, body: undefined };
    };
  };

/** Counts the recording of the first use of a token. */
const recordFirstUse: BudgetedOperation['prepare'] = async (_, fixture) => {
  const { id } = (await fixture.request('GET', '/account/details')).body.data;
  const stream = await followStream(fixture.api.engine);
  const created = await fixture.request('POST', `/users/${id}/authentication-tokens`);
  await recordEarlier(fixture, stream);
  await fixture.api.request('GET', '/account/details', { token: created.body.data.attributes.token });
  const send = await record(fixture, stream);
  return async () => {
    expect(await send()).toMatchObject({ invocations: 1, repeated: 0 });
    return { status: 200, headers: {}, body: undefined };
  };
};

/** Counts the writing of the entry of a change of so many remote state consumers. */
const recordConsumers =
  (count: number): BudgetedOperation['prepare'] =>
  async (name, fixture) => {
    const [project = ''] = fixture.projects;
    const names = Array.from({ length: count }, (_, index) => `${name}-${index}`);
    const seeds = names.map((consumer) => ({ organization: ORGANIZATION, project, name: consumer }));
    const consumers = await seedWorkspaces(fixture.api.engine, seeds, { named: false });
    const data = consumers.map(({ id }) => ({ type: 'workspaces', id }));
    const add: Change = (path, { request }) =>
      request('POST', `${path}/relationships/remote-state-consumers`, { data });
    return recordAfter(add)(name, fixture);
  };

/** Counts the reading of the history after a change. */
const readAfter =
  (change: Change): BudgetedOperation['prepare'] =>
  async (name, fixture) => {
    const path = `/workspaces/${await fixture.create(name)}`;
    const stream = await followStream(fixture.api.engine);
    await change(path, fixture);
    await (await record(fixture, stream))();
    return async () => {
      const response = await fixture.request('GET', `${path}/history`);
      expect(response.body.data.length).toBeGreaterThan(0);
      return response;
    };
  };

/** Counts the reading of the only entry before 100 entries of the same second. */
const readBeforeManyEntries: BudgetedOperation['prepare'] = async (name, fixture) => {
  const stream = await followStream(fixture.api.engine);
  const id = await fixture.create(name);
  const [created] = await stream.sinceLast();
  const at = Number(created?.dynamodb?.NewImage?.['chg']?.M?.['at']?.N);
  const later = Array.from({ length: 100 }, (_, index) => {
    const record = structuredClone(created) as DynamoDBRecord;
    const { seq, chg } = record.dynamodb?.NewImage ?? {};
    Object.assign(seq ?? {}, { N: String(index + 2) });
    Object.assign(chg?.M ?? {}, { id: { S: `evt-${index}` }, at: { N: String(at + 1) } });
    return record;
  });
  await fixture.api.recordHistory([created as DynamoDBRecord, ...later]);
  const until = new Date(at).toISOString();
  return async () => {
    const response = await fixture.request('GET', `/workspaces/${id}/history?page[size]=1&filter[until]=${until}`);
    expect(response.body.data).toHaveLength(1);
    return response;
  };
};

/**
 * Deletes the pointers of the audit trail. Each is in a random partition, so with those of other tests, the number of
 * bytes that are read from a partition would vary.
 */
const emptyTrail = async ({ engine }: Api): Promise<void> => {
  const database = engine.open({ tableName: engine.tableName });
  for (const partition of auditPartitions(ORGANIZATION)) {
    for (const item of await database.query({ partition })) {
      await database.write({ kind: 'delete', key: keyOf(item) });
    }
  }
};

/** Adds 100 older pointers to each partition of the audit trail. They are copies of one that it has. */
const addOlderPointers = async ({ engine }: Api): Promise<void> => {
  const database = engine.open({ tableName: engine.tableName });
  const partitions = auditPartitions(ORGANIZATION);
  const [known] = (await Promise.all(partitions.map((partition) => database.query({ partition })))).flat();
  const [time, id] = String(known?.['sk']).split('#');
  for (const pk of partitions) {
    const older = Array.from({ length: 100 }, (_, index) => ({
      ...known,
      pk,
      sk: `${Number(time) - 3_600_000 - index}#${id}`,
    }));
    for (const item of older) await database.write({ kind: 'put', key: keyOf(item), item });
  }
};

/** Prepares an audit trail with only the entries of a change, and the permission of a team to read it. */
const prepareTrail = async (change: Change, name: string, fixture: BudgetFixture): Promise<void> => {
  const { api } = fixture;
  await emptyTrail(api);
  await api.admin('update-team', { organization: ORGANIZATION, name: 'team-0', permissions: 'read-audit-trail' });
  const path = `/workspaces/${await fixture.create(name)}`;
  const stream = await followStream(api.engine);
  await change(path, fixture);
  await (await record(fixture, stream))();
};

/** Counts the reading of a page of the audit trail as a team with the permission. */
const readTrailAfter =
  (change: Change, findQuery = () => ''): BudgetedOperation['prepare'] =>
  async (name, fixture) => {
    await prepareTrail(change, name, fixture);
    await addOlderPointers(fixture.api);
    const path = `/organizations/${ORGANIZATION}/audit-trail${findQuery()}`;
    return async () => {
      const response = await fixture.request('GET', path);
      expect(response.body.data).toHaveLength(20);
      return response;
    };
  };

/** Counts the reading of the audit trail in the form of the original, since the change. */
const readOriginalTrailAfter =
  (change: Change): BudgetedOperation['prepare'] =>
  async (name, fixture) => {
    const { api } = fixture;
    const since = new Date().toISOString();
    await prepareTrail(change, name, fixture);
    await api.admin('create-user', { username: 'olga', email: 'olga@example.com' });
    await api.admin('add-member', { organization: ORGANIZATION, team: 'owners', username: 'olga' });
    const { token: owner } = await api.admin('create-token', { kind: 'user', username: 'olga' });
    const path = `/organizations/${ORGANIZATION}/authentication-token?token=audit-trails`;
    const { token } = (await api.request('POST', path, { token: owner })).body.data.attributes;
    // The report of its first use is not a part of reading.
    await api.request('GET', '/organization/audit-trail', { token });
    return async () => {
      const response = await api.request('GET', `/organization/audit-trail?page[size]=20&since=${since}`, { token });
      expect(response.body.data).toHaveLength(20);
      return response;
    };
  };

const operations: readonly BudgetedOperation[] = [
  // The entry, and the pointer to it from the audit trail.
  { name: 'record a lock', status: 200, budget: { rounds: 2, read: 0, write: 2 }, prepare: recordAfter(lock) },
  // The change record on the token of the owner, and the end of `unused` on the token.
  {
    name: 'record the first use of a token',
    status: 200,
    budget: { rounds: 2, read: 0, write: 2 },
    prepare: recordFirstUse,
  },
  // In addition the value, and a read that shows whether the variable has become sensitive.
  {
    name: 'record a new variable',
    status: 200,
    budget: { rounds: 2, read: 1, write: 3 },
    prepare: recordAfter(createVariable),
  },
  // In addition the ids, which the change record does not have.
  {
    name: 'record a change of 30 consumers',
    status: 200,
    budget: { rounds: 2, read: 0, write: 3 },
    prepare: recordConsumers(30),
  },
  {
    name: 'record a change of 20 consumers',
    status: 200,
    budget: { rounds: 2, read: 0, write: 2 },
    prepare: recordConsumers(20),
  },
  {
    name: 'read 20 entries of a history',
    status: 200,
    budget: { rounds: 2, read: 4.5, write: 0 },
    prepare: readAfter(describeTwentyTimes),
  },
  // In addition the variable, which may have become sensitive since.
  {
    name: 'read the entry of a variable',
    status: 200,
    budget: { rounds: 3, read: 5, write: 0 },
    prepare: readAfter(createVariable),
  },
  {
    name: 'read 20 entries of an audit trail',
    status: 200,
    budget: { rounds: 6, read: 16.5, write: 0 },
    prepare: readTrailAfter(describeTwentyTimes),
  },
  {
    name: 'read 20 entries of an audit trail until now',
    status: 200,
    budget: { rounds: 6, read: 16.5, write: 0 },
    prepare: readTrailAfter(describeTwentyTimes, () => `?filter[until]=${new Date().toISOString()}`),
  },
  {
    name: 'read 20 entries of an audit trail in the form of the original',
    status: 200,
    budget: { rounds: 4, read: 13, write: 0 },
    prepare: readOriginalTrailAfter(describeTwentyTimes),
  },
  // In addition the consumers and their projects, because the caller may not read all workspaces.
  {
    name: 'read the entry of a change of consumers',
    status: 200,
    budget: { rounds: 4, read: 5, write: 0 },
    prepare: readAfter(addConsumers),
  },
  // Four queries of 2, 8, 32 and 128 entries pass over those within a minute after the time.
  {
    name: 'read the entry before 100 entries of the next second',
    status: 200,
    budget: { rounds: 6, read: 27.5, write: 0, calls: 8 },
    prepare: readBeforeManyEntries,
  },
];

describe('DynamoDB usage of the history', () => {
  describeBudgets(useBudgetFixtures(), operations);
});
