import { afterAll, afterEach, beforeAll, describe, expect, it, vi } from 'vitest';
import { publishBatch } from '../../functions/publish/publish.ts';
import { lock } from '../../shared/domain/transitions/locks/lock.ts';
import { forceUnlock } from '../../shared/domain/transitions/locks/unlock.ts';
import type { Workspace } from '../../shared/domain/workspace/workspace-record.ts';
import { openBus, splitIntoCalls } from '../../shared/events/bus.ts';
import { openDeadLetters } from '../../shared/events/dead-letters.ts';
import { base58 } from '../../shared/lib/random.ts';
import { createLogger } from '../../shared/logging/log.ts';
import { keys } from '../../shared/store/dynamodb/keys.ts';
import { openWorkspaces, type Workspaces } from '../../shared/store/workspaces/workspace-store.ts';
import { newWorkspace } from '../support/api/new-workspace.ts';
import { startEngine, type TestEngine } from '../support/engine/engine.ts';
import { deliver } from '../support/engine/stream-mapping.ts';
import { followStream } from '../support/engine/table-stream.ts';
import { validateEvent } from '../support/events/event-schemas.ts';
import { startTestBus, type TestBus, type Treatment } from '../support/events/test-bus.ts';

let engine: TestEngine;
let workspaces: Workspaces;
let stream: Awaited<ReturnType<typeof followStream>>;
let bus: TestBus;

beforeAll(async () => {
  vi.stubEnv('POWERTOOLS_LOG_LEVEL', 'SILENT');
  engine = await startEngine();
  workspaces = openWorkspaces(engine.database, Date.now);
  stream = await followStream(engine);
});
afterAll(() => engine.stop());
afterEach(() => bus.stop());

const create = async (): Promise<Workspace> => {
  const workspace = newWorkspace({ organization: 'acme', project: 'prj-x' }, { name: `w-${base58(8)}` });
  await workspaces.create(workspace, 4);
  return workspace;
};

/** Locks and force-unlocks in turn. */
const change = async ({ id }: Workspace, times: number): Promise<void> => {
  for (let time = 0; time < times; time++) {
    const by = { id: base58(8), principal: { kind: 'user', id: 'user-x', name: 'x' } as const };
    const image = (await workspaces.find(id)) as Workspace;
    const made = image.lock ? forceUnlock(by) : lock(by, { id: `lock-${base58(8)}`, reason: 'r', at: Date.now() });
    await workspaces.apply(image, made, by);
  }
};

const publisher = (clock = Date.now) =>
  publishBatch({
    bus: openBus('holdfast', bus.client),
    deadLetters: openDeadLetters(bus.queueUrl, bus.client),
    clock,
    logger: createLogger('publish'),
  });

const startBus = async (treat?: Parameters<typeof startTestBus>[0]) => {
  bus = await startTestBus(treat);
};

const sequencesOf = ({ id }: Workspace): number[] =>
  bus.received.filter(({ detail }) => detail.workspace.id === id).map(({ detail }) => detail.sequence);
const upTo = (count: number) => Array.from({ length: count }, (_, index) => index + 1);

describe('publish', () => {
  it('sends each change of each workspace once and in order, with at most one event of a workspace in a call', async () => {
    const calls: string[][] = [];
    await startBus((events) => {
      calls.push(events.map(({ detail }) => detail.workspace.id));
      return 'taken';
    });
    const made = await Promise.all(Array.from({ length: 12 }, create));
    await Promise.all(made.map((workspace) => change(workspace, 3)));
    await deliver(publisher(), await stream.sinceLast());
    for (const workspace of made) expect(sequencesOf(workspace)).toEqual(upTo(4));
    for (const call of calls) expect(new Set(call).size).toBe(call.length);
    expect(calls.length).toBeLessThan(20);
    for (const { source, type, detail } of bus.received) {
      expect(source).toBe('holdfast');
      expect(type).toBe(detail.type);
      expect(validateEvent(detail)).toEqual([]);
    }
  });

  it('sends no event for internal writes or expired tombstones', async () => {
    await startBus();
    const { id } = await create();
    await engine.database.write({
      kind: 'update',
      key: keys.workspace(id),
      UpdateExpression: 'SET #a = :a',
      ExpressionAttributeNames: { '#a': 'housekeeping' },
      ExpressionAttributeValues: { ':a': 1 },
    });
    await engine.database.write({ kind: 'delete', key: keys.workspace(id) });
    const records = await stream.sinceLast();
    await deliver(publisher(), records);
    expect(await publisher()({ Records: [...records] }, { getRemainingTimeInMillis: () => 60_000 })).toEqual({
      batchItemFailures: [],
    });
    expect(bus.received.map(({ type }) => type)).toEqual(['workspace.created', 'workspace.created']);
  });
});

describe('publish, when an event fails,', () => {
  it.each<[name: string, treatment: Treatment]>([
    ['a throttled call', 'throttled'],
    ['a bus that breaks', 'broken'],
    ['a lost response', 'lost'],
    ['an entry that is throttled', { failing: (place) => (place === 0 ? 'ThrottlingException' : undefined) }],
    ['all entries failing inside the bus', { failing: () => 'InternalFailure' }],
  ])('retries within the invocation after %s', async (_, treatment) => {
    let calls = 0;
    await startBus(() => (calls++ === 0 ? treatment : 'taken'));
    const made = [await create(), await create()];
    await change(made[0] as Workspace, 2);
    const count = await deliver(publisher(), await stream.sinceLast());
    expect(count).toMatchObject({ invocations: 1, repeated: 0 });
    expect([...new Set(sequencesOf(made[0] as Workspace))]).toEqual(upTo(3));
    expect([...new Set(sequencesOf(made[1] as Workspace))]).toEqual([1]);
    expect(bus.letters).toEqual([]);
  });

  it('holds back only the later events of its workspace, and reports the first missing record to the stream', async () => {
    const made = [await create(), await create()];
    const [stuck, free] = made as [Workspace, Workspace];
    for (let round = 0; round < 3; round++) for (const workspace of made) await change(workspace, 1);
    let isStuck = true;
    await startBus((events) => ({
      failing: (place) => {
        const { workspace, sequence } = events[place]?.detail ?? {};
        return isStuck && workspace.id === stuck.id && sequence === 2 ? 'InternalFailure' : undefined;
      },
    }));
    const records = await stream.sinceLast();
    const wanted = records.filter(({ dynamodb }) => dynamodb?.Keys?.['sk']?.S === 'W');
    const response = await publisher()({ Records: wanted }, { getRemainingTimeInMillis: () => 60_000 });
    const first = wanted.find(
      ({ dynamodb }) =>
        dynamodb?.NewImage?.['seq']?.N === '2' && dynamodb.Keys?.['pk']?.S === keys.workspace(stuck.id).pk,
    );
    expect(response).toEqual({ batchItemFailures: [{ itemIdentifier: first?.dynamodb?.SequenceNumber }] });
    expect(sequencesOf(stuck)).toEqual([1]);
    expect(sequencesOf(free)).toEqual(upTo(4));
    isStuck = false;
    await deliver(publisher(), records);
    expect([...new Set(sequencesOf(stuck))]).toEqual(upTo(4));
  });

  it('moves the event to the dead-letter queue after 15 minutes if the bus accepts other events', async () => {
    const [stuck, free] = [await create(), await create()];
    let code = 'ThrottlingException';
    await startBus((events) => ({
      failing: (place) => (events[place]?.detail.workspace.id === stuck.id ? code : undefined),
    }));
    const records = await stream.sinceLast();
    const at = (minutes: number) =>
      publisher(() => Date.now() + minutes * 60_000)(
        { Records: [...records] },
        { getRemainingTimeInMillis: () => 60_000 },
      );
    // Throttling is no reason to give up an event.
    expect((await at(16)).batchItemFailures).toHaveLength(1);
    code = 'InternalFailure';
    expect((await at(14)).batchItemFailures).toHaveLength(1);
    expect((await at(16)).batchItemFailures).toEqual([]);
    expect(sequencesOf(free)).toEqual([1, 1, 1]);
    expect(bus.letters).toHaveLength(1);
  });

  it('leaves unsent events to the next invocation when little time remains', async () => {
    await startBus();
    await create();
    const records = await stream.sinceLast();
    const [first] = records.filter(({ dynamodb }) => dynamodb?.Keys?.['sk']?.S === 'W');
    const response = await publisher()({ Records: [...records] }, { getRemainingTimeInMillis: () => 1_000 });
    expect(response).toEqual({ batchItemFailures: [{ itemIdentifier: first?.dynamodb?.SequenceNumber }] });
    expect(bus.received).toEqual([]);
  });

  it('moves the complete event to the dead-letter queue before its record leaves the stream, and sends later events', async () => {
    const workspace = await create();
    await change(workspace, 1);
    await startBus((events) => ({
      failing: (place) => (events[place]?.detail.sequence === 1 ? 'InternalFailure' : undefined),
    }));
    const records = await stream.sinceLast();
    const soon = publisher(() => Date.now() + 11 * 60 * 60_000);
    const response = await soon({ Records: [...records] }, { getRemainingTimeInMillis: () => 60_000 });
    expect(response.batchItemFailures).toHaveLength(1);
    await deliver(
      publisher(() => Date.now() + 12 * 60 * 60_000),
      records,
    );
    expect(sequencesOf(workspace)).toEqual([2]);
    expect(bus.letters).toEqual([
      {
        reason: expect.stringMatching(/InternalFailure/),
        event: {
          source: 'holdfast',
          'detail-type': 'workspace.created',
          detail: expect.objectContaining({ sequence: 1, workspace: expect.objectContaining({ id: workspace.id }) }),
        },
      },
    ]);
  });
});

describe('publish, for an invalid change record,', () => {
  const poison = async ({ id }: Workspace, set: Readonly<Record<string, unknown>>) => {
    for (const [name, value] of Object.entries(set)) {
      await engine.database.write({
        kind: 'update',
        key: keys.workspace(id),
        UpdateExpression: 'SET #c.#i = :id, #c.#n = :v ADD #s :one',
        ExpressionAttributeNames: { '#c': 'chg', '#i': 'id', '#n': name, '#s': 'seq' },
        ExpressionAttributeValues: { ':id': base58(8), ':v': value, ':one': 1 },
      });
    }
  };

  it.each<[name: string, set: Readonly<Record<string, unknown>>, reason: RegExp]>([
    ['an unknown type', { type: 'workspace.burnt' }, /no event for workspace.burnt/],
    ['a missing subject', { type: 'workspace.run-updated' }, /lacks a run/],
    ['a value that contradicts the schema', { request: '' }, /schema/],
  ])('writes a dead letter for %s, and sends later events of the workspace', async (_, set, reason) => {
    await startBus();
    const workspace = await create();
    await poison(workspace, set);
    await change(workspace, 1);
    await deliver(publisher(), await stream.sinceLast());
    expect(sequencesOf(workspace)).toEqual([1, 3]);
    expect(bus.letters).toEqual([{ reason: expect.stringMatching(reason), event: expect.anything() }]);
    expect(JSON.stringify(bus.letters)).toContain(workspace.id);
  });

  it('writes a dead letter when the bus rejects the entry, and sends the other entries', async () => {
    const [one, other] = [await create(), await create()];
    await startBus((events) => ({
      failing: (place) => (events[place]?.detail.workspace.id === one.id ? 'MalformedDetail' : undefined),
    }));
    await deliver(publisher(), await stream.sinceLast());
    expect(sequencesOf(one)).toEqual([]);
    expect(sequencesOf(other)).toEqual([1]);
    expect(bus.letters).toHaveLength(1);
  });

  it('writes a dead letter when the bus rejects the whole call, and sends the other entries in separate calls', async () => {
    const [one, other, another] = [await create(), await create(), await create()];
    await startBus((events) => (events.some(({ detail }) => detail.workspace.id === one.id) ? 'invalid' : 'taken'));
    await deliver(publisher(), await stream.sinceLast());
    expect(sequencesOf(one)).toEqual([]);
    expect([...sequencesOf(other), ...sequencesOf(another)]).toEqual([1, 1]);
    expect(bus.letters).toEqual([{ reason: expect.stringMatching(/ValidationException/), event: expect.anything() }]);
  });

  it('writes a dead letter when the event is too large for the bus', async () => {
    await startBus();
    const [one, other] = [await create(), await create()];
    await poison(one, { type: 'workspace.updated', keys: Array.from({ length: 300 }, () => 'k'.repeat(1_000)) });
    await deliver(publisher(), await stream.sinceLast());
    expect(sequencesOf(other)).toEqual([1]);
    expect(bus.letters).toHaveLength(1);
    expect(bus.letters[0]).toMatchObject({ reason: expect.stringMatching(/larger than/) });
  });

  it('retries until the dead-letter queue accepts the message', async () => {
    await startBus();
    bus.closeQueue(true);
    const workspace = await create();
    await poison(workspace, { type: 'workspace.burnt' });
    await change(workspace, 1);
    const records = await stream.sinceLast();
    const response = await publisher()({ Records: [...records] }, { getRemainingTimeInMillis: () => 60_000 });
    expect(response.batchItemFailures).toHaveLength(1);
    expect(sequencesOf(workspace)).toEqual([1]);
    bus.closeQueue(false);
    await deliver(publisher(), records);
    expect([...new Set(sequencesOf(workspace))]).toEqual([1, 3]);
    expect(bus.letters).toHaveLength(1);
  });
});

describe('splitIntoCalls', () => {
  it('puts at most ten events and 256 KB into one call', async () => {
    await startBus();
    const entry = (bytes: number) => ({ type: 't', detail: 'x'.repeat(bytes), time: 0 });
    const sizes = (of: readonly number[]) => splitIntoCalls(of.map(entry), (one) => one).map((call) => call.length);
    expect(sizes(Array.from({ length: 25 }, () => 10))).toEqual([10, 10, 5]);
    expect(sizes([200_000, 60_000, 60_000, 300_000, 1])).toEqual([2, 1, 1, 1]);
    expect(sizes([])).toEqual([]);
  });
});
