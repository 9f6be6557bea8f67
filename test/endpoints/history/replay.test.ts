import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { workspaceChanges } from '../../../shared/domain/history/workspace-changes.ts';
import type { Workspace } from '../../../shared/domain/workspace/workspace-record.ts';
import { historyFilters } from '../../../shared/store/dynamodb/table-definition.ts';
import { openAdmin } from '../../support/api/admin.ts';
import { type Api, CACHED, startApi } from '../../support/api/api.ts';
import { deliver } from '../../support/engine/stream-mapping.ts';
import { followStream } from '../../support/engine/table-stream.ts';
import { followHistory } from '../../support/history/history-follower.ts';

const CLIENTS = 8;
const CHANGES = 15;

let api: Api;
let token: string;
beforeAll(async () => {
  api = await startApi(CACHED);
  ({ token } = await api.admin('create-organization', { name: 'acme', email: 'ada@example.com' }));
});
afterAll(() => api.stop());

const send = async (method: string, path: string, body?: unknown) =>
  (await api.request(method, path, { token, ...(body !== undefined && { body }) })).body;

/** Requests of one client. Some are refused, because another client has the lock or deleted the variable. */
const changesOf = (path: string, client: number): readonly ((step: number) => Promise<unknown>)[] => {
  const update = (attributes: object) => send('PATCH', path, { data: { type: 'workspaces', attributes } });
  const tags = { data: [{ type: 'tags', attributes: { name: `tag-${client}` } }] };
  const variable = (step: number, attributes: object = {}) => ({
    data: { type: 'vars', attributes: { key: `key-${client}`, category: 'env', value: `v${step}`, ...attributes } },
  });
  const ownVariable = async () =>
    (await send('GET', `${path}/vars`)).data.find(
      ({ attributes }: { attributes: { key: string } }) => attributes.key === `key-${client}`,
    )?.id;
  return [
    (step) => update({ 'auto-apply': step % 2 === 0, 'working-directory': `folder-${client}-${step}` }),
    (step) => update({ description: `${step}`.repeat(step % 2 === 0 ? 3 : 300) }),
    () => send('POST', `${path}/actions/lock`, { reason: `client ${client}` }),
    () => send('POST', `${path}/relationships/tags`, tags),
    (step) => send('POST', `${path}/vars`, variable(step)),
    async (step) => send('PATCH', `${path}/vars/${await ownVariable()}`, variable(step, { sensitive: client === 1 })),
    () => send('POST', `${path}/actions/force-unlock`),
    () => send('DELETE', `${path}/relationships/tags`, tags),
    async () => (client % 2 === 0 ? send('DELETE', `${path}/vars/${await ownVariable()}`) : undefined),
  ];
};

const identify = ({ attribute, member }: { readonly attribute: string; readonly member?: string }) =>
  JSON.stringify([attribute, member]);

describe('the entries of a workspace that several clients change at once', () => {
  it('lead to its present state when they are replayed, although the function ended early many times', async () => {
    const stream = await followStream(api.engine);
    const history = await followHistory(api);
    const { data } = await send('POST', '/organizations/acme/workspaces', {
      data: { type: 'workspaces', attributes: { name: 'replayed' } },
    });
    const path = `/workspaces/${data.id}`;
    await Promise.all(
      Array.from({ length: CLIENTS }, async (_, client) => {
        const changes = changesOf(path, client);
        for (let step = 0; step < CHANGES; step++) await changes[(client + step) % changes.length]?.(step);
      }),
    );

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
    const { crashes } = await deliver(handler, await stream.sinceLast(), { filters: historyFilters });
    expect(crashes).toBeGreaterThan(0);

    const entries = (await history.read(data.id, token)).toReversed().map(({ attributes }) => attributes);
    expect(entries.map(({ sequence }) => sequence)).toEqual(entries.map((_, index) => index + 1));
    const replayed = new Map<string, unknown>();
    for (const change of entries.flatMap(({ changes }) => changes)) {
      if (change.new === null) replayed.delete(identify(change));
      else replayed.set(identify(change), change.new);
    }
    const present = (await openAdmin(api.engine.database).workspaces.find(data.id)) as Workspace;
    expect(entries).toHaveLength(present.sequence);
    expect(present.sequence).toBeGreaterThan(CLIENTS * 4);
    const variables: { id: string; attributes: Record<string, unknown> }[] = (await send('GET', `${path}/vars`)).data;
    const expected = new Map<string, unknown>([
      ...workspaceChanges(undefined, present).map((change) => [identify(change), change.new] as const),
      ...variables.map(({ id, attributes: { key, category, value, sensitive } }) => {
        const shown = expect.objectContaining({ key, category, value, sensitive });
        return [identify({ attribute: 'variables', member: id }), shown] as const;
      }),
    ]);
    expect([...replayed.keys()].sort()).toEqual([...expected.keys()].sort());
    for (const [key, value] of expected) expect(replayed.get(key), key).toEqual(value);
  });
});
