import { afterAll, beforeAll, expect, it } from 'vitest';
import { messageOf } from '../../functions/publish/message.ts';
import { variableSetChangeTypes } from '../../shared/domain/changes/change-records.ts';
import { hasNewChangeRecord } from '../../shared/store/workspaces/stream-records.ts';
import { type Api, startApi } from '../support/api/api.ts';
import { startEngine, type TestEngine } from '../support/engine/engine.ts';
import { followStream } from '../support/engine/table-stream.ts';
import { validateEvent } from '../support/events/event-schemas.ts';

const SECRET = 'never-in-an-event';

let engine: TestEngine;
let api: Api;
let token: string;
let stream: Awaited<ReturnType<typeof followStream>>;

beforeAll(async () => {
  engine = await startEngine();
  api = await startApi({ engine, cacheSeconds: 9_999 });
  ({ token } = await api.admin('create-organization', { name: 'acme', email: 'ada@example.com' }));
  stream = await followStream(engine);
});
afterAll(async () => {
  await api.stop();
  await engine.stop();
});

const send = async (method: string, path: string, data?: unknown) => {
  const reply = await api.request(method, path, { token, ...(data !== undefined && { body: { data } }) });
  expect(reply.status, `${method} ${path} ${JSON.stringify(reply.body)}`).toBeLessThan(300);
  return reply.body;
};
/** Returns the events of variable sets since the last call, as they would be published. */
const eventsSinceLast = async () =>
  (await stream.sinceLast()).filter(hasNewChangeRecord).flatMap((record) => {
    const message = messageOf(record);
    if (message.kind === 'poison') throw new Error(message.reason);
    const event = JSON.parse(message.entry.detail);
    return event.variableSet === undefined ? [] : [event];
  });

it('publishes one valid event for each change of a variable set, numbered without a gap and without values', async () => {
  const attributes = { name: 'secrets' };
  const set = (await send('POST', '/organizations/acme/varsets', { type: 'varsets', attributes })).data.id;
  const workspace = (
    await send('POST', '/organizations/acme/workspaces', { type: 'workspaces', attributes: { name: 'network' } })
  ).data.id;
  const vars = `/varsets/${set}/relationships/vars`;
  const variable = { key: 'TOKEN', value: SECRET, category: 'env' };
  const { id } = (await send('POST', vars, { type: 'vars', attributes: variable })).data;
  await send('PATCH', `${vars}/${id}`, { type: 'vars', attributes: { value: `${SECRET}-2` } });
  await send('POST', `/varsets/${set}/relationships/workspaces`, [{ type: 'workspaces', id: workspace }]);
  await send('PATCH', `/varsets/${set}`, { type: 'varsets', attributes: { priority: true, description: 'x' } });
  await send('PATCH', `/varsets/${set}`, { type: 'varsets', attributes: { priority: true } });
  const value = { value: SECRET };
  expect((await api.request('POST', `${vars}/${id}/actions/verify`, { token, body: value })).status).toBe(200);
  await send('DELETE', `${vars}/${id}`);
  await send('DELETE', `/varsets/${set}`);
  await api.cleanup();

  const events = await eventsSinceLast();
  expect(events.flatMap(validateEvent)).toEqual([]);
  expect(JSON.stringify(events)).not.toContain(SECRET);
  expect(events.map(({ sequence }) => sequence)).toEqual([1, 2, 3, 4, 5, 6, 7, 8]);
  expect(events).toMatchObject([
    { type: 'variable-set.created', variableSet: { id: set, name: 'secrets', project: null, global: false } },
    { type: 'variable-set.variable-created', variable: { id, category: 'env', key: 'TOKEN' } },
    { type: 'variable-set.variable-updated', keys: ['value'] },
    {
      type: 'variable-set.assignments-changed',
      assignments: { target: 'workspaces', added: [workspace], removed: [] },
    },
    { type: 'variable-set.updated', keys: ['description', 'priority'], actor: { kind: 'user' } },
    { type: 'variable-set.variable-verified', variable: { id }, matches: false },
    { type: 'variable-set.variable-deleted', variable: { id } },
    { type: 'variable-set.deleted', organization: 'acme' },
  ]);
  expect(new Set(events.map(({ type }) => type))).toEqual(new Set(variableSetChangeTypes));
});
