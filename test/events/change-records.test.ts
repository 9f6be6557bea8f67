import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { messageOf } from '../../functions/publish/message.ts';
import {
  type ChangeRecord,
  type ChangeType,
  changeTypes,
  variableSetChangeTypes,
} from '../../shared/domain/changes/change-records.ts';
import { organizationChangeTypes } from '../../shared/domain/changes/organization-changes.ts';
import type { Lock, Workspace } from '../../shared/domain/workspace/workspace-record.ts';
import { toOutgoingEvent } from '../../shared/events/outgoing-event.ts';
import type { Envelope } from '../../shared/events/schemas/envelope.ts';
import { hasNewChangeRecord } from '../../shared/store/workspaces/stream-records.ts';
import { outgoing } from '../../shared/validators/compiled/events.js';
import { openAdmin } from '../support/api/admin.ts';
import { type Api, startApi } from '../support/api/api.ts';
import { buildState, inlineStateVersionBody, stateVersionBody } from '../support/api/states.ts';
import { startEngine, type TestEngine } from '../support/engine/engine.ts';
import { followStream } from '../support/engine/table-stream.ts';
import { validateEvent } from '../support/events/event-schemas.ts';
import { configurationEvent, runEvent } from '../support/events/run-events.ts';

const SECRET = 'never-in-an-event';

let engine: TestEngine;
let api: Api;
let token: string;
let owner: string;
let project: string;
let stream: Awaited<ReturnType<typeof followStream>>;
let find: (id: string) => Promise<Workspace | undefined>;
const seen = new Set<string>();

beforeAll(async () => {
  engine = await startEngine();
  api = await startApi({ engine });
  ({ token } = await api.admin('create-organization', { name: 'acme', email: 'ada@example.com' }));
  ({
    project: { id: project },
  } = await api.admin('create-project', { organization: 'acme', name: 'Other' }));
  stream = await followStream(engine);
  ({ find } = openAdmin(engine.database).workspaces);
  owner = (await send('GET', '/account/details')).data.id;
});
afterAll(async () => {
  await api.stop();
  await engine.stop();
});

const send = async (method: string, path: string, body?: unknown) => {
  const reply = await api.request(method, path, { token, ...(body !== undefined && { body }) });
  expect(reply.status, `${method} ${path} ${JSON.stringify(reply.body)}`).toBeLessThan(300);
  return reply.body;
};
const attributes = (given: object, relationships?: object) => ({
  data: { type: 'workspaces', attributes: given, ...(relationships && { relationships }) },
});
const create = async (name: string): Promise<string> =>
  (await send('POST', '/organizations/acme/workspaces', attributes({ name }))).data.id;

/** The event of the last change, held against its schema; it must come right after the one before. */
const eventOf = async (id: string, sequence: number) => {
  const event = toOutgoingEvent((await find(id)) as Workspace);
  expect(validateEvent(event)).toEqual([]);
  expect(event).toMatchObject({ version: 2, sequence, organization: 'acme', workspace: { id } });
  expect(JSON.stringify(event)).not.toContain(SECRET);
  expectRow(event.row, await api.request('GET', `/workspaces/${id}`, { token }));
  seen.add(event.type);
  return event;
};

/** Compares the row of an event with the workspace as the API shows it. */
const expectRow = (row: Envelope['row'], { status, body }: { readonly status: number; readonly body: Shown }): void => {
  expect(row.deleted).toBe(status === 404);
  if (row.deleted) return;
  const { attributes: shown, relationships } = body.data;
  expect(row).toMatchObject({
    name: shown['name'],
    project: relationships['project']?.data?.id,
    version: shown['infra-version'],
    runStatus: row.runStatus === null ? null : expect.any(String),
  });
  expect(row.lock !== null).toBe(shown['locked']);
  expect(row.lock?.reason ?? '').toBe(shown['locked-reason']);
  expect(row.tags.map(({ key }) => key)).toEqual(expect.arrayContaining(shown['tag-names'] as string[]));
  if (row.mode !== null) expect(row.mode).toBe(shown['execution-mode']);
  if (row.protection !== null) expect(row.protection).toBe(shown['deletion-protection']);
};

interface Shown {
  readonly data: {
    readonly attributes: Readonly<Record<string, unknown>>;
    readonly relationships: Readonly<Record<string, { readonly data?: { readonly id: string } }>>;
  };
}

describe('the record of a change, over HTTP,', () => {
  it('has the name of the actor, the id of its token and the source address', async () => {
    const id = await create('recorded');
    const { username } = (await send('GET', '/account/details')).data.attributes;
    const { change } = (await find(id)) as Workspace;
    expect(change).toMatchObject({ actor: { kind: 'user', id: owner, name: username }, address: '127.0.0.1' });
    const [own] = (await send('GET', `/users/${owner}/authentication-tokens`)).data;
    expect(change.token).toBe(own.id);
  });
});

describe('the event of a change, over HTTP,', () => {
  it('names the actor, the request, the organization and the project when a workspace is created', async () => {
    const id = await create('made');
    expect(await eventOf(id, 1)).toEqual({
      version: 2,
      id: expect.stringMatching(/^evt-/),
      type: 'workspace.created',
      sequence: 1,
      time: expect.stringMatching(/Z$/),
      organization: 'acme',
      workspace: { id, name: 'made', project: expect.stringMatching(/^prj-/) },
      actor: { kind: 'user', id: owner },
      requestId: expect.any(String),
      row: {
        name: 'made',
        project: expect.stringMatching(/^prj-/),
        lock: null,
        tags: [],
        mode: null,
        version: expect.any(String),
        protection: null,
        runStatus: null,
        deleted: false,
      },
    });
  });

  it('lists the changed attributes by their wire names, and the previous name of the workspace', async () => {
    const id = await create('settings');
    await send(
      'PATCH',
      `/workspaces/${id}`,
      attributes(
        { name: 'renamed', 'auto-apply': true, 'execution-mode': 'local', 'infra-version': '~> 1.9.0' },
        { 'tag-bindings': { data: [{ attributes: { key: 'env', value: 'prod' } }] } },
      ),
    );
    expect(await eventOf(id, 2)).toMatchObject({
      type: 'workspace.updated',
      keys: expect.toSatisfy(
        (keys: string[]) =>
          keys.toSorted().join() === 'auto-apply,execution-mode,infra-version,name,setting-overwrites,tag-bindings',
      ),
      previous: { name: 'settings' },
      workspace: { name: 'renamed' },
    });
  });

  it('a change has the type of a move, whichever of the two endpoints moved the workspace', async () => {
    const [one, other] = [await create('moved-one'), await create('moved-other')];
    const { project: from } = (await find(one)) as Workspace;
    await send(
      'PATCH',
      `/workspaces/${one}`,
      attributes({ 'auto-apply': true }, { project: { data: { type: 'projects', id: project } } }),
    );
    await send('POST', `/projects/${project}/relationships/workspaces`, { data: [{ type: 'workspaces', id: other }] });
    const moved = { type: 'workspace.moved', previous: { project: from }, workspace: { project } };
    expect(await eventOf(one, 2)).toMatchObject({ ...moved, keys: ['auto-apply', 'project'] });
    expect(await eventOf(other, 2)).toMatchObject({ ...moved, keys: ['project'] });
  });

  it('reports lock, unlock and force-unlock, and contains the lock holder and the reason', async () => {
    const id = await create('locked');
    await send('POST', `/workspaces/${id}/actions/lock`, { reason: 'freeze' });
    expect(await eventOf(id, 2)).toMatchObject({
      type: 'workspace.locked',
      lock: { kind: 'User', holder: owner, reason: 'freeze' },
    });
    await send('POST', `/workspaces/${id}/actions/unlock`);
    expect(await eventOf(id, 3)).toMatchObject({ type: 'workspace.unlocked' });
    await send('POST', `/workspaces/${id}/actions/lock`);
    await send('POST', `/workspaces/${id}/actions/force-unlock`);
    expect(await eventOf(id, 5)).toMatchObject({ type: 'workspace.force-unlocked' });
  });

  it('lists the changed tags and the number of all tags', async () => {
    const id = await create('tagged');
    const tags = ['one', 'two'].map((name) => ({ type: 'tags', attributes: { name } }));
    await send('POST', `/workspaces/${id}/relationships/tags`, { data: tags });
    await send('DELETE', `/workspaces/${id}/relationships/tags`, { data: tags.slice(1) });
    expect(await eventOf(id, 3)).toMatchObject({
      type: 'workspace.tags-changed',
      tags: { changed: ['two'], count: 1 },
    });
  });

  it('lists the changed consumers and their number', async () => {
    const [id, ...others] = [await create('consumed'), await create('reader-0'), await create('reader-1')];
    const path = `/workspaces/${id}/relationships/remote-state-consumers`;
    const data = others.map((of) => ({ type: 'workspaces', id: of }));
    await send('POST', path, { data });
    const consumers = { change: 'added', count: 2, ids: others };
    expect(await eventOf(id, 2)).toMatchObject({ type: 'workspace.consumers-changed', consumers });
    await send('DELETE', path, { data: data.slice(1) });
    expect(await eventOf(id, 3)).toMatchObject({ consumers: { change: 'removed', count: 1, ids: [others[1]] } });
    await send('PATCH', path, { data: [] });
    expect(await eventOf(id, 4)).toMatchObject({ consumers: { change: 'replaced', count: 0, ids: [] } });
  });

  it('contains the team and its access level when access is granted or revoked', async () => {
    const id = await create('granted');
    const { team } = await api.admin('create-team', { organization: 'acme', name: 'builders' });
    const grant = { organization: 'acme', team: 'builders', workspace: 'granted' };
    await api.admin('grant-access', { ...grant, access: 'write' });
    const event = { type: 'workspace.access-changed', actor: { kind: 'service', id: 'admin' } };
    expect(await eventOf(id, 2)).toMatchObject({ ...event, team: { id: team.id, access: 'write' } });
    await api.admin('revoke-access', grant);
    expect(await eventOf(id, 3)).toMatchObject({ ...event, team: { id: team.id, access: null } });
  });

  it('contains the retention policy, or null when the policy is deleted', async () => {
    const id = await create('kept');
    const path = `/workspaces/${id}/relationships/data-retention-policy`;
    const type = 'data-retention-policy-delete-olders';
    await send('POST', path, { data: { type, attributes: { deleteOlderThanNDays: 33 } } });
    const event = { type: 'workspace.retention-policy-changed' };
    expect(await eventOf(id, 2)).toMatchObject({ ...event, retentionPolicy: { type, deleteOlderThanDays: 33 } });
    await send('DELETE', path);
    expect(await eventOf(id, 3)).toMatchObject({ ...event, retentionPolicy: null });
  });

  it('contains the key and the changed attributes of a variable, but no value', async () => {
    const id = await create('variables');
    const path = `/workspaces/${id}/vars`;
    const given = { key: 'password', value: SECRET, description: SECRET, category: 'env' };
    const made = await send('POST', path, { data: { type: 'vars', attributes: given } });
    const variable = { id: made.data.id, category: 'env', key: 'password' };
    expect(await eventOf(id, 2)).toMatchObject({ type: 'workspace.variable-created', variable });
    const changed = { data: { type: 'vars', attributes: { value: `${SECRET}-too`, sensitive: true } } };
    await send('PATCH', `${path}/${made.data.id}`, changed);
    const keys = ['value', 'sensitive'];
    expect(await eventOf(id, 3)).toMatchObject({ type: 'workspace.variable-updated', variable, keys });
    await send('POST', `${path}/${made.data.id}/actions/verify`, { value: SECRET });
    const verified = { type: 'workspace.variable-verified', variable, matches: false };
    expect(await eventOf(id, 4)).toMatchObject(verified);
    await send('DELETE', `${path}/${made.data.id}`);
    expect(await eventOf(id, 5)).toMatchObject({ type: 'workspace.variable-deleted', variable });
  });

  it('states whether a deletion was forced', async () => {
    const [safe, forced] = [await create('safe'), await create('forced')];
    await send('POST', `/workspaces/${safe}/actions/safe-delete`);
    await send('DELETE', `/workspaces/${forced}`);
    expect(await eventOf(safe, 2)).toMatchObject({ type: 'workspace.deleted', forced: false });
    expect(await eventOf(forced, 2)).toMatchObject({ type: 'workspace.deleted', forced: true });
  });
});

describe('an event from the stream', () => {
  /** Returns the events of a workspace since the last call, in order, after validation against their schemas. */
  const eventsOf = async (id: string) => {
    const messages = (await stream.sinceLast())
      .filter((record) => hasNewChangeRecord(record) && record.dynamodb?.NewImage?.['id']?.S === id)
      .map(messageOf);
    return messages.map((message) => {
      if (message.kind === 'poison') throw new Error(message.reason);
      const event = JSON.parse(message.entry.detail);
      expect(validateEvent(event)).toEqual([]);
      expect(message.entry.detail).not.toContain(SECRET);
      seen.add(event.type);
      return event;
    });
  };

  it('contains the ids and serials of state versions, but no content of the state', async () => {
    const id = await create('states');
    await send('POST', `/workspaces/${id}/actions/lock`);
    await stream.sinceLast();
    const outputs = { password: { value: SECRET, type: 'string', sensitive: true } };
    const content = (serial: number) => buildState({ serial, outputs });
    const versions: string[] = [];
    for (const serial of [1, 2]) {
      const made = await send(
        'POST',
        `/workspaces/${id}/state-versions`,
        stateVersionBody(content(serial), { serial }),
      );
      versions.push(made.data.id);
    }
    await send(
      'POST',
      `/workspaces/${id}/state-versions`,
      inlineStateVersionBody(content(3), { serial: 3, intermediate: true }),
    );
    await api.deliverUploads();
    await send('POST', `/workspaces/${id}/actions/unlock`);
    const events = await eventsOf(id);
    const of = (type: string) => events.filter((event) => event.type === `workspace.${type}`);
    const superseded = of('state-version-created').map(({ stateVersion }) => stateVersion.supersedes);
    expect(superseded).toEqual([undefined, ...versions]);
    expect(of('state-version-finalized')).toMatchObject([{ stateVersion: { serial: 3 } }]);
    expect(events.at(-1)).toMatchObject({ type: 'workspace.unlocked', stateVersion: { serial: 3 } });
    expect(events.map(({ sequence }) => sequence)).toEqual(events.map((_, index) => index + 3));
  });

  it('contains the status of runs and configuration versions, and the lock of a run', async () => {
    const id = await create('runs');
    await stream.sinceLast();
    const [run, version] = [`run-${'1'.repeat(16)}`, `cv-${'1'.repeat(16)}`];
    const tell = (type: string, event: object) => api.ingest(type, { ...event, organization: 'acme' });
    await tell('configuration-version.updated', configurationEvent({ id }, version, 'uploaded'));
    for (const [index, status] of ['pending', 'planning', 'applying', 'applied'].entries()) {
      await tell('run.updated', runEvent({ id }, run, status, index + 1, { message: SECRET }));
    }
    expect(api.deadLetters.received()).toEqual([]);
    const events = await eventsOf(id);
    expect(events.map(({ type }) => type)).toEqual([
      'workspace.configuration-version-updated',
      'workspace.run-updated',
      'workspace.locked',
      'workspace.run-updated',
      'workspace.unlocked',
    ]);
    expect(events[2]).toMatchObject({ lock: { kind: 'Run', holder: run }, run: { id: run, status: 'planning' } });
    expect(events[4]).toMatchObject({ run: { id: run, status: 'applied' } });
  });
});

/** Changes without a request. The tests of the cleanup and of retention cover how they occur. */
const others: Partial<Record<ChangeType, Partial<ChangeRecord>>> = {
  'workspace.state-version-deleted': { stateVersion: { id: 'sv-1', serial: 1 } },
  'workspace.state-version-backing-data-changed': {
    stateVersion: { id: 'sv-1', serial: 1, backingData: 'soft-deleted' },
  },
  'workspace.lock-renewed': {},
  'workspace.restored': { keys: ['name'], previous: { name: 'before' }, stateVersion: { id: 'sv-1', serial: 1 } },
  'workspace.purged': {},
  'workspace.destroy-requested': { due: 1_800_000_000_000 },
};

it('every change type has an event schema, and its event matches the schema', async () => {
  const workspace = (await find(await create('others'))) as Workspace;
  for (const [type, details] of Object.entries(others)) {
    const change = { ...workspace.change, type: type as ChangeType, ...details };
    const lock: Lock = { id: 'lock-1', kind: 'User', by: 'user-1', name: 'ada', reason: '', at: 1, expiresAt: 60_001 };
    const event = toOutgoingEvent({ ...workspace, change, lock });
    expect(validateEvent(event)).toEqual([]);
    expect(outgoing[event.type](event), event.type).toBe(true);
    seen.add(type);
  }
  expect([...seen].sort()).toEqual([...changeTypes].sort());
  expect(Object.keys(outgoing).sort()).toEqual(
    [...changeTypes, ...variableSetChangeTypes, ...organizationChangeTypes].sort(),
  );
});

it('rejects a change record without its subject', async () => {
  const workspace = (await find(await create('lacking'))) as Workspace;
  for (const type of ['workspace.run-updated', 'workspace.locked', 'workspace.burnt'] as ChangeType[]) {
    expect(() => toOutgoingEvent({ ...workspace, change: { ...workspace.change, type } })).toThrow(TypeError);
  }
});
