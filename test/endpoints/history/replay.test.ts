import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { messageOf } from '../../../functions/publish/message.ts';
import { compilePattern } from '../../../infra/local/assembly/event-pattern.ts';
import type { OutgoingEvent } from '../../../shared/events/schemas/outgoing.ts';
import { changeRecordFilter, historyFilters } from '../../../shared/store/dynamodb/table-definition.ts';
import { subjectKeyIn } from '../../../shared/store/workspaces/stream-records.ts';
import { type Api, CACHED, startApi } from '../../support/api/api.ts';
import { startEngine } from '../../support/engine/engine.ts';
import { deliver } from '../../support/engine/stream-mapping.ts';
import { followStream } from '../../support/engine/table-stream.ts';
import { createFaultProxy } from '../../support/faults/fault-proxy.ts';
import {
  createChangedWorkspace,
  openHistoryClient,
  readStoredWorkspace,
  type Send,
  setEverything,
} from '../../support/history/history-clients.ts';
import { followHistory, type ShownEntry } from '../../support/history/history-follower.ts';
import { historyFaults } from '../../support/history/history-proof.ts';
import { type RecordedChanges, replay, type StoredWorkspace } from '../../support/history/replay.ts';

/** The small version of `npm run prove -- history`: functions in this process, and a function that ends early. */
const CLIENTS = 8;
/** Together, the clients take every kind of step. */
const STEPS = 15;

let api: Api;
let proxy: Awaited<ReturnType<ReturnType<typeof createFaultProxy>['engineProxy']>>;
let stored: StoredWorkspace;
let recorded: RecordedChanges;
let crashes: number;

beforeAll(async () => {
  const engine = await startEngine();
  const faults = createFaultProxy(1);
  proxy = await faults.engineProxy(engine.endpoint);
  api = await startApi({ ...CACHED, engine, endpoint: proxy.endpoint });
  const { token } = await api.admin('create-organization', { name: 'acme', email: 'ada@example.com' });
  const send: Send = (method, path, body) => api.request(method, path, { token, ...(body !== undefined && { body }) });
  const stream = await followStream(engine);
  const history = await followHistory(api);
  const workspace = await createChangedWorkspace(send, 'acme');

  faults.setPlan(historyFaults);
  await Promise.all(
    Array.from({ length: CLIENTS }, async (_, client) => {
      const perform = openHistoryClient(workspace, { send, tell: api.ingest }, client);
      for (let step = 0; step < STEPS; step++) await perform(step).catch(() => undefined);
    }),
  );
  faults.setPlan({});
  await setEverything(workspace, send);
  const records = await stream.sinceLast();
  faults.setPlan(historyFaults);
  let invocations = 0;
  const handler: Parameters<typeof deliver>[0] = async (event) => {
    invocations += 1;
    // Every second invocation ends after a part of its records has been written, and Lambda delivers the batch again.
    if (invocations % 2 === 0) {
      await api.recordHistory(event.Records.slice(0, Math.ceil(event.Records.length / 2)));
      throw new Error('The function has ended');
    }
    return api.recordHistory(event.Records);
  };
  ({ crashes } = await deliver(handler, records, { filters: historyFilters }));
  faults.setPlan({});

  stored = await readStoredWorkspace(engine.database, send, workspace.id);
  const isChange = compilePattern(changeRecordFilter);
  const events = records.flatMap((record): OutgoingEvent[] => {
    if (!isChange(record) || subjectKeyIn(record) !== `WS#${workspace.id} W`) return [];
    const message = messageOf(record);
    return message.kind === 'event' ? [JSON.parse(message.entry.detail)] : [];
  });
  recorded = { entries: (await history.read(workspace.id, token)).toReversed(), events };
});
afterAll(async () => {
  await api.stop();
  await proxy.stop();
});

const withEntries = (change: (entry: ShownEntry) => readonly ShownEntry[]) =>
  replay({ ...recorded, entries: recorded.entries.flatMap(change) }, stored);

describe('a workspace that eight clients change at once, while calls fail and the function ends early', () => {
  it('a workspace has a history and events whose replay yields its present state in every attribute', () => {
    expect(crashes).toBeGreaterThan(0);
    expect(replay(recorded, stored)).toEqual([]);
    const changed = new Set(
      recorded.entries.flatMap(({ attributes }) => attributes.changes.map((one) => one.attribute)),
    );
    expect([...changed]).toEqual(
      expect.arrayContaining([
        ...['name', 'project', 'lock', 'tag-bindings', 'team-access', 'variables', 'description', 'ssh-key'],
        ...['execution-mode', 'infra-version', 'deletion-protection', 'current-run', 'data-retention-policy'],
        ...['current-state-version', 'trigger-patterns', 'working-directory'],
      ]),
    );
  });

  it('has a replay that reports an entry that is missing', () => {
    for (const missing of recorded.entries.filter((_, index) => index % 10 === 0))
      expect(withEntries((entry) => (entry === missing ? [] : [entry]))).not.toEqual([]);
  });

  it('has a replay that reports each attribute that the change records leave out', () => {
    const attributes = new Set(
      recorded.entries.flatMap((entry) => entry.attributes.changes.map((one) => one.attribute)),
    );
    for (const attribute of attributes) {
      const found = withEntries((entry) => {
        const changes = entry.attributes.changes.filter((one) => one.attribute !== attribute);
        return [{ ...entry, attributes: { ...entry.attributes, changes } }];
      });
      expect(found, attribute).not.toEqual([]);
    }
  });

  it('has a replay that reports an event that is missing, late, or shows another row', () => {
    const { entries, events } = recorded;
    const wrong = (all: readonly OutgoingEvent[]) => replay({ entries, events: all }, stored);
    const half = Math.floor(events.length / 2);
    expect(wrong(events.toSpliced(half, 1))).not.toEqual([]);
    expect(wrong([...events.slice(0, half), ...events.slice(half).toReversed()])).not.toEqual([]);
    for (const name of Object.keys(events[half]?.row ?? {})) {
      const other = events.map((event, index) =>
        index === half ? { ...event, row: { ...event.row, [name]: 'another' } } : event,
      ) as OutgoingEvent[];
      if (name !== 'tags') expect(wrong(other), name).not.toEqual([]);
    }
  });
});
