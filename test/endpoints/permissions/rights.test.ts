import { afterAll, beforeAll, describe, expect, it, vi } from 'vitest';
import { tableAccess } from '../../../infra/constructs/permissions.ts';
import { exists } from '../../../shared/domain/changes/conditions.ts';
import type { FunctionName } from '../../../shared/runtime/environment.ts';
import { openRemoval } from '../../../shared/store/directory/removal/open-removal.ts';
import { keys, sortableTime } from '../../../shared/store/dynamodb/keys.ts';
import { historyFilters } from '../../../shared/store/dynamodb/table-definition.ts';
import { update } from '../../../shared/store/items/item-write.ts';
import { serviceRequest } from '../../../shared/store/workspaces/service-request.ts';
import { openAdmin } from '../../support/api/admin.ts';
import { type Api, startApi } from '../../support/api/api.ts';
import { createSshKey, storeSshKey } from '../../support/api/create-ssh-key.ts';
import {
  buildState,
  inlineStateVersionBody,
  readUploadUrl,
  stateVersionBody,
  upload,
} from '../../support/api/states.ts';
import { startEngine, type TestEngine } from '../../support/engine/engine.ts';
import { deliver } from '../../support/engine/stream-mapping.ts';
import { followStream } from '../../support/engine/table-stream.ts';
import { configurationEvent, runEvent } from '../../support/events/run-events.ts';
import { type CountingProxy, startCountingProxy } from '../../support/faults/counting-proxy.ts';
import { configurationId, runId } from '../../support/models/run-model.ts';

/**
 * The local engine does not enforce IAM. The test compares the actions that each function uses with those that its role
 * allows. A missing action would fail only in AWS, and a superfluous one would never be noticed.
 */
let engine: TestEngine;
let proxy: CountingProxy;
let api: Api;
let token: string;
const usedActions = new Map<FunctionName, Set<string>>();

const allowedActions = (name: FunctionName): string[] => {
  const { table, indexes = {} } = tableAccess[name];
  const onIndexes = Object.entries(indexes).flatMap(([index, actions]) =>
    actions.map((action) => `${action} on ${index}`),
  );
  return [...table, ...onIndexes].sort();
};

const itemReads = ['GetItem', 'BatchGetItem'];

const recordActions = async <T>(name: FunctionName, work: () => Promise<T>): Promise<T> => {
  const { result, count } = await proxy.count(work);
  // Reads of single items are sent as either action, depending on which of them start together.
  const used = count.rights.flatMap((right) => (itemReads.includes(right) ? itemReads : [right]));
  usedActions.set(name, new Set([...(usedActions.get(name) ?? []), ...used]));
  return result;
};

const base = '/organizations/acme/workspaces';
const document = (attributes: object, project?: string) => ({
  data: {
    type: 'workspaces',
    attributes,
    ...(project && { relationships: { project: { data: { type: 'projects', id: project } } } }),
  },
});

const workspaceWithTag = (tag: object) => ({
  data: { type: 'workspaces', attributes: { name: 'tagged' }, relationships: { tags: { data: [tag] } } },
});

beforeAll(async () => {
  engine = await startEngine();
  proxy = await startCountingProxy(engine.endpoint);
  api = await startApi({ engine, endpoint: proxy.endpoint, deletedWorkspaceDays: 14 });
  ({ token } = await recordActions('admin', () =>
    api.admin('create-organization', { name: 'acme', email: 'ada@example.com' }),
  ));
});

afterAll(async () => {
  await api.stop();
  await proxy.stop();
  await engine.stop();
});

describe('table actions that a role allows', () => {
  it('are those that the function workspaces uses to create, show, update, rename and move', async () => {
    const { project } = await recordActions('admin', () =>
      api.admin('create-project', { organization: 'acme', name: 'Platform' }),
    );
    const { agentPool } = await recordActions('admin', () =>
      api.admin('create-agent-pool', { organization: 'acme', name: 'pool' }),
    );
    const send = (method: string, path: string, body?: object) =>
      recordActions('workspaces', () => api.request(method, path, { token, ...(body && { body }) }));
    const agent = { 'execution-mode': 'agent', 'agent-pool-id': agentPool.id };
    const text = { description: 'x'.repeat(900) };
    const statuses = [
      await send('POST', base, document({ name: 'one', ...agent, ...text })),
      await send('POST', base, document({ name: 'one' })),
      await send('GET', `${base}/one`),
      await send('PATCH', `${base}/one`, document({ name: 'two', description: null })),
      await send('PATCH', `${base}/two`, document({}, project.id)),
      await send('PATCH', `${base}/two`, document({ 'infra-version': '~> 1.9' })),
      await send('POST', base, workspaceWithTag({ type: 'tags', id: 'tag-1111111111111111' })),
    ].map(({ status }) => status);
    expect(statuses).toEqual([201, 422, 200, 200, 200, 200, 404]);
    expect([...(usedActions.get('workspaces') ?? [])].sort()).toEqual(allowedActions('workspaces'));
  });

  it('are those that the function workspace-list uses for a page', async () => {
    const list = await recordActions('workspace-list', () => api.request('GET', base, { token }));
    expect(list.body.data).toHaveLength(1);
    expect([...(usedActions.get('workspace-list') ?? [])].sort()).toEqual(allowedActions('workspace-list'));
  });

  it('are those that the function workspace-locks uses for lock, unlock and force-unlock', async () => {
    const { id } = (await api.request('GET', `${base}/two`, { token })).body.data;
    for (const action of ['lock', 'unlock', 'lock', 'force-unlock']) {
      const path = `/workspaces/${id}/actions/${action}`;
      const changed = await recordActions('workspace-locks', () => api.request('POST', path, { token }));
      expect(changed.status).toBe(200);
    }
    expect([...(usedActions.get('workspace-locks') ?? [])].sort()).toEqual(allowedActions('workspace-locks'));
  });

  it('are those that the functions state-versions and state-content use', async () => {
    const { id } = (await api.request('GET', `${base}/two`, { token })).body.data;
    const path = `/workspaces/${id}`;
    const send = (method: string, to: string, body?: object) =>
      recordActions('state-versions', () => api.request(method, to, { token, ...(body && { body }) }));
    const many = Object.fromEntries(Array.from({ length: 100 }, (_, n) => [`o${n}`, { value: Math.sin(n) }]));
    const [content, next] = [buildState({ outputs: many }), buildState({ serial: 2, outputs: many })];
    await api.request('POST', `${path}/actions/lock`, { token });
    const created = await send('POST', `${path}/state-versions`, stateVersionBody(content));
    await upload(readUploadUrl(created), content);
    for (const event of api.bucket.takeEvents()) await recordActions('state-content', () => api.readContent(event));
    const inline = await send('POST', `${path}/state-versions`, inlineStateVersionBody(next, { serial: 2 }));
    await api.request('POST', `${path}/actions/unlock`, { token });
    const statuses = [
      created,
      inline,
      await send('GET', `${path}/current-state-version?include=outputs,created_by`),
      await send('GET', '/state-versions?filter[workspace][name]=two&filter[organization][name]=acme'),
      await send('GET', `/state-versions/${created.body.data.id}/outputs`),
      await send('GET', `/state-versions/${created.body.data.id}/download`),
      await send('POST', `/state-versions/${created.body.data.id}/actions/soft_delete_backing_data`),
      await send('POST', `/state-versions/${created.body.data.id}/actions/permanently_delete_backing_data`),
    ].map(({ status }) => status);
    expect(statuses).toEqual([201, 201, 200, 200, 200, 307, 200, 200]);
    expect([...(usedActions.get('state-versions') ?? [])].sort()).toEqual(allowedActions('state-versions'));
    expect([...(usedActions.get('state-content') ?? [])].sort()).toEqual(allowedActions('state-content'));
  });

  it('are those that the function workspace-tags uses for tags of workspaces and organizations', async () => {
    const { id } = (await api.request('GET', `${base}/two`, { token })).body.data;
    const tags = `/workspaces/${id}/relationships/tags`;
    const send = (method: string, path: string, data?: readonly object[]) =>
      recordActions('workspace-tags', () => api.request(method, path, { token, ...(data && { body: { data } }) }));
    const added = await send('POST', tags, [{ type: 'tags', attributes: { name: 'one' } }]);
    const listed = await send('GET', tags);
    const [tag] = listed.body.data;
    const statuses = [
      added,
      listed,
      await send('POST', `/tags/${tag.id}/relationships/workspaces`, [{ type: 'workspaces', id }]),
      await send('PATCH', `/workspaces/${id}/tag-bindings`, [{ attributes: { key: 'env', value: 'prod' } }]),
      await send('GET', `/workspaces/${id}/effective-tag-bindings`),
      await send('GET', '/organizations/acme/tags'),
      await send('DELETE', '/organizations/acme/tags', [{ type: 'tags', id: tag.id }]),
    ].map(({ status }) => status);
    expect(statuses).toEqual([204, 200, 204, 200, 200, 200, 204]);
    expect([...(usedActions.get('workspace-tags') ?? [])].sort()).toEqual(allowedActions('workspace-tags'));
  });

  it('are those that the function remote-state-consumers uses', async () => {
    const { id } = (await api.request('GET', `${base}/two`, { token })).body.data;
    const other = (await api.request('POST', base, { token, body: document({ name: 'consumer' }) })).body.data.id;
    const path = `/workspaces/${id}/relationships/remote-state-consumers`;
    const body = { data: [{ type: 'workspaces', id: other }] };
    for (const method of ['POST', 'POST', 'PATCH', 'DELETE', 'GET']) {
      const send = () => api.request(method, path, { token, ...(method !== 'GET' && { body }) });
      expect((await recordActions('remote-state-consumers', send)).status).toBe(method === 'GET' ? 200 : 204);
    }
    const many = { data: Array.from({ length: 101 }, (_, index) => ({ type: 'workspaces', id: `x-${index}` })) };
    const rejected = () => api.request('PATCH', path, { token, body: many });
    expect((await recordActions('remote-state-consumers', rejected)).status).toBe(422);
    expect([...(usedActions.get('remote-state-consumers') ?? [])].sort()).toEqual(
      allowedActions('remote-state-consumers'),
    );
  });

  it('are those that the function ssh-key uses to assign keys', async () => {
    const { id } = (await api.request('GET', `${base}/two`, { token })).body.data;
    const sshKey = await createSshKey(api, token, 'acme', 'key');
    for (const key of [sshKey.id, null]) {
      const path = `/workspaces/${id}/relationships/ssh-key`;
      const body = { data: { type: 'ssh-keys', id: key } };
      expect((await recordActions('ssh-key', () => api.request('PATCH', path, { token, body }))).status).toBe(200);
    }
    expect([...(usedActions.get('ssh-key') ?? [])].sort()).toEqual(allowedActions('ssh-key'));
  });

  it('are those that the function data-retention-policy uses', async () => {
    const { id } = (await api.request('GET', `${base}/two`, { token })).body.data;
    const body = { data: { type: 'data-retention-policy-dont-deletes' } };
    for (const target of [`/workspaces/${id}`, '/organizations/acme']) {
      const path = `${target}/relationships/data-retention-policy`;
      for (const [method, status] of [['POST', 201] as const, ['GET', 200] as const, ['DELETE', 204] as const]) {
        const send = () => api.request(method, path, { token, ...(method === 'POST' && { body }) });
        expect((await recordActions('data-retention-policy', send)).status).toBe(status);
      }
    }
    expect([...(usedActions.get('data-retention-policy') ?? [])].sort()).toEqual(
      allowedActions('data-retention-policy'),
    );
  });

  it('are those that the function workspace-deletion uses for safe-delete, force-delete and restore', async () => {
    const create = (name: string) =>
      api.request('POST', base, { token, body: document({ name, description: 'x'.repeat(900) }) });
    const [, forced] = [await create('safe'), await create('forced')];
    const changed = [
      await recordActions('workspace-deletion', () =>
        api.request('POST', `${base}/safe/actions/safe-delete`, { token }),
      ),
      await recordActions('workspace-deletion', () => api.request('DELETE', `${base}/forced`, { token })),
      await recordActions('workspace-deletion', () =>
        api.request('POST', `/deleted-workspaces/${forced.body.data.id}/actions/restore`, { token }),
      ),
    ];
    expect(changed.map(({ status }) => status)).toEqual([204, 204, 200]);
    expect([...(usedActions.get('workspace-deletion') ?? [])].sort()).toEqual(allowedActions('workspace-deletion'));
  });

  it('are those that the function cleanup uses for deletions and destroy runs', async () => {
    const { directory, workspaces } = openAdmin(engine.database);
    const sshKey = await storeSshKey(directory, 'acme', 'old');
    const { beginRecord } = openRemoval(directory, workspaces, 0);
    await beginRecord(serviceRequest('cleanup'), 'sshKey', 'acme', 'old');
    const { project: old } = await api.admin('create-project', { organization: 'acme', name: 'Old' });
    await beginRecord(serviceRequest('cleanup'), 'project', 'acme', 'Old');
    // Deletions that began long ago, and late references by a request that still read the key and the project.
    const deleted = [keys.record('sshKey', sshKey.id), keys.project(old.id)];
    for (const key of deleted) await engine.database.write(update(key, { set: { closing: 1 } }, exists('pk')));
    const { id } = (await api.request('GET', `${base}/two`, { token })).body.data;
    const late = { set: { ssh: sshKey.id, prj: old.id } };
    await engine.database.write(update(keys.workspace(id), late, exists('pk')));
    const left = await api.request('POST', base, { token, body: document({ name: 'left' }) });
    const variable = { data: { type: 'vars', attributes: { key: 'one', category: 'env' } } };
    await api.request('POST', `/workspaces/${left.body.data.id}/vars`, { token, body: variable });
    await api.request('DELETE', `${base}/left`, { token });
    await api.request('DELETE', `/deleted-workspaces/${left.body.data.id}`, { token });
    // A workspace that its project destroys after inactivity.
    const idle = { type: 'projects', attributes: { name: 'Idle', 'auto-destroy-activity-duration': '1h' } };
    const project = await api.request('POST', '/organizations/acme/projects', { token, body: { data: idle } });
    const unused = await api.request('POST', base, { token, body: document({ name: 'idle' }, project.body.data.id) });
    const since = { set: { autoDestroySince: 1 } };
    await engine.database.write(update(keys.project(project.body.data.id), since, exists('pk')));
    const due = { ca: 1, pi: { duration: '1h', since: 1 }, dk: sortableTime(3_600_001) };
    await engine.database.write(update(keys.workspace(unused.body.data.id), { set: due }, exists('pk')));
    // The content of a state version has been deleted permanently above.
    expect(await recordActions('cleanup', api.cleanup)).toEqual({ requested: 1, finished: 4, failed: 0 });
    expect([...(usedActions.get('cleanup') ?? [])].sort()).toEqual(allowedActions('cleanup'));
  });

  it('are those that the function automation uses to run a command once', async () => {
    await api.admin('create-team', {
      organization: 'acme',
      name: 'robot',
      permissions: 'manage-workspaces',
      service: true,
    });
    const command = { command: 'safe-delete', id: 'one', organization: 'acme', principal: 'robot', workspace: 'gone' };
    await api.request('POST', base, { token, body: document({ name: 'gone' }) });
    api.lambda.failNext(0, 'after');
    await api.automate(command).catch(() => undefined);
    const unknownWorkspace = await recordActions('automation', () =>
      api.automate({ ...command, command: 'show', id: 'two' }),
    );
    expect(unknownWorkspace).toMatchObject({ errors: [{ status: '404' }] });
    await recordActions('automation', () => api.automate(command));
    expect([...(usedActions.get('automation') ?? [])].sort()).toEqual(allowedActions('automation'));
  });

  it('are those that the function ingest uses for runs, configuration versions and releases', async () => {
    const workspace = (await api.request('POST', base, { token, body: document({ name: 'run' }) })).body.data;
    const identifiers = { organization: 'acme', workspace: workspace.id };
    const of = (status: string) => ({
      ...runEvent(workspace, runId(1), status, 1, {
        'token-sha256': 'ef'.repeat(32),
        'configuration-version': configurationId(1),
      }),
      ...identifiers,
    });
    const events = [
      ['run.updated', of('planning')],
      ['run.updated', of('applied')],
      [
        'configuration-version.updated',
        { ...configurationEvent(workspace, configurationId(1), 'uploaded'), ...identifiers },
      ],
      ['release.published', { version: '1.97.0' }],
    ] as const;
    for (const [type, detail] of events) await recordActions('ingest', () => api.ingest(type, detail));
    expect(api.deadLetters.received()).toEqual([]);
    expect([...(usedActions.get('ingest') ?? [])].sort()).toEqual(allowedActions('ingest'));
  });

  it('are those that the function runs uses to show runs and configuration versions', async () => {
    const { id } = (await api.request('GET', `${base}/run`, { token })).body.data;
    const include = 'include=configuration_version.ingress_attributes';
    for (const path of [
      `/workspaces/${id}/runs?${include}`,
      `/runs/${runId(1)}?${include}`,
      `/configuration-versions/${configurationId(1)}?include=ingress_attributes`,
    ]) {
      expect((await recordActions('runs', () => api.request('GET', path, { token }))).status).toBe(200);
    }
    expect([...(usedActions.get('runs') ?? [])].sort()).toEqual(allowedActions('runs'));
  });

  it('are those that the function state-retention uses to delete old state versions', async () => {
    const { id } = (await api.request('POST', base, { token, body: document({ name: 'kept' }) })).body.data;
    const send = (path: string, body?: object) =>
      api.request('POST', `/workspaces/${id}${path}`, { token, ...(body && { body }) });
    await send('/actions/lock');
    for (const serial of [1, 2])
      await send('/state-versions', inlineStateVersionBody(buildState({ serial }), { serial }));
    await send('/actions/unlock');
    const attributes = { deleteOlderThanNDays: 30 };
    await send('/relationships/data-retention-policy', {
      data: { type: 'data-retention-policy-delete-olders', attributes },
    });
    vi.useFakeTimers({ toFake: ['Date'], now: Date.now() + 31 * 86_400_000 });
    try {
      const done = await recordActions('state-retention', api.retainStates);
      expect(done).toEqual({ deleted: 1, failed: 0, isComplete: true });
    } finally {
      vi.useRealTimers();
    }
    expect([...(usedActions.get('state-retention') ?? [])].sort()).toEqual(allowedActions('state-retention'));
  });

  it('are those that the function variables uses for variables and variable sets', async () => {
    const { id } = (await api.request('GET', `${base}/two`, { token })).body.data;
    const send = (method: string, path: string, attributes?: object) =>
      recordActions('variables', () =>
        api.request(method, path, { token, ...(attributes && { body: { data: { type: 'vars', attributes } } }) }),
      );
    const created = await send('POST', `/workspaces/${id}/vars`, { key: 'one', category: 'env', sensitive: true });
    const variable = created.body.data.id;
    const statuses = [
      await send('GET', `/workspaces/${id}/vars`),
      await send('GET', '/vars?filter[workspace][name]=two&filter[organization][name]=acme'),
      await send('GET', '/vars'),
      await send('GET', `/workspaces/${id}/vars/${variable}`),
      await send('PATCH', `/vars/${variable}`, { category: 'infra' }),
      await send('DELETE', `/vars/${variable}`),
    ].map(({ status }) => status);
    expect(statuses).toEqual([200, 200, 200, 200, 200, 204]);
    const body = { data: { type: 'varsets', attributes: { name: 'set' } } };
    const createSet = () => api.request('POST', '/organizations/acme/varsets', { token, body });
    expect((await recordActions('variables', createSet)).status).toBe(201);
    expect([...(usedActions.get('variables') ?? [])].sort()).toEqual(allowedActions('variables'));
  });

  it('are those that the functions record-history and history use', async () => {
    const stream = await followStream(engine);
    const text = { description: 'x'.repeat(900) };
    const { id } = (await api.request('POST', base, { token, body: document({ name: 'recorded', ...text }) })).body
      .data;
    const path = `/workspaces/${id}/vars`;
    const variable = (attributes: object) => ({ data: { type: 'vars', attributes } });
    const created = await api.request('POST', path, { token, body: variable({ key: 'one', category: 'env' }) });
    const sensitive = variable({ sensitive: true, value: 's3cret' });
    await api.request('PATCH', `${path}/${created.body.data.id}`, { token, body: sensitive });
    const records = await stream.sinceLast();
    await recordActions('record-history', () =>
      deliver(({ Records }) => api.recordHistory(Records), records, { filters: historyFilters }),
    );
    for (const trail of [`/workspaces/${id}/history`, '/organizations/acme/audit-trail']) {
      const shown = await recordActions('history', () => api.request('GET', trail, { token }));
      expect(shown.body.data).toHaveLength(3);
    }
    for (const name of ['record-history', 'history'] as const)
      expect([...(usedActions.get(name) ?? [])].sort(), name).toEqual(allowedActions(name));
  });

  /** Sends requests, and returns the statuses and the last response of each. */
  const sendTo =
    (name: FunctionName) =>
    (method: string, path: string, data?: object, by = token) =>
      recordActions(name, () => api.request(method, path, { token: by, ...(data && { body: { data } }) }));

  it('are those that the function organizations uses for organizations, memberships, users and tokens', async () => {
    const { token: site } = await recordActions('admin', () => api.admin('create-token', { kind: 'site' }));
    const send = sendTo('organizations');
    const organization = (attributes: object) => ({ type: 'organizations', attributes });
    const statuses = [
      await send(
        'POST',
        '/organizations',
        organization({ name: 'umbrella', email: 'ada@example.com', owner: 'ada' }),
        site,
      ),
      await send('GET', '/organizations'),
      await send('PATCH', '/organizations/umbrella', organization({ email: 'eve@example.com' })),
      await send('DELETE', '/organizations/umbrella'),
      await send('GET', '/account/details'),
    ].map(({ status }) => status);
    expect(statuses).toEqual([201, 200, 200, 204, 200]);
    const path = '/organizations/acme/authentication-token';
    const created = await send('POST', path);
    const tokenResponses = [
      created,
      await send('POST', path),
      await send('GET', path),
      await send('GET', `/authentication-tokens/${created.body.data.id}`),
      await send('DELETE', path),
    ].map(({ status }) => status);
    expect(tokenResponses).toEqual([201, 201, 200, 404, 204]);
    const memberships = '/organizations/acme/organization-memberships';
    const invitation = { type: 'organization-memberships', attributes: { email: 'mary@example.com' } };
    const invited = await send('POST', memberships, invitation);
    expect((await send('GET', memberships)).status).toBe(200);
    expect((await send('DELETE', `/organization-memberships/${invited.body.data.id}`)).status).toBe(204);
    expect([...(usedActions.get('organizations') ?? [])].sort()).toEqual(allowedActions('organizations'));
  });

  it('are those that the function projects uses', async () => {
    const send = sendTo('projects');
    const project = (attributes: object) => ({ type: 'projects', attributes });
    const created = await send('POST', '/organizations/acme/projects', project({ name: 'Short' }));
    const path = `/projects/${created.body.data.id}`;
    const { id } = (await api.request('GET', `${base}/two`, { token })).body.data;
    const moved = (await api.request('GET', `${base}/two`, { token })).body.data.relationships.project.data.id;
    const statuses = [
      created,
      await send('GET', '/organizations/acme/projects'),
      await send('PATCH', path, project({ name: 'Shorter' })),
      await send('PATCH', `${path}/tag-bindings`, [{ type: 'tag-bindings', attributes: { key: 'a', value: 'b' } }]),
      await send('POST', `${path}/relationships/workspaces`, [{ type: 'workspaces', id }]),
      await send('POST', `/projects/${moved}/relationships/workspaces`, [{ type: 'workspaces', id }]),
      await send('DELETE', path),
    ].map(({ status }) => status);
    expect(statuses).toEqual([201, 200, 200, 200, 204, 204, 204]);
    expect([...(usedActions.get('projects') ?? [])].sort()).toEqual(allowedActions('projects'));
  });

  it('are those that the function teams uses for teams and their access', async () => {
    const { id: workspace } = (await api.request('GET', `${base}/two`, { token })).body.data;
    const send = sendTo('teams');
    const team = (attributes: object) => ({ type: 'teams', attributes });
    const { id } = (await send('POST', '/organizations/acme/teams', team({ name: 'readers' }))).body.data;
    const access = (more: object) => ({ type: 'team-workspaces', attributes: { access: 'read' }, ...more });
    const relationships = { team: { data: { id } }, workspace: { data: { id: workspace } } };
    const granted = await send('POST', '/team-workspaces', access({ relationships }));
    const statuses = [
      await send('GET', '/organizations/acme/teams?include=users'),
      await send('PATCH', `/teams/${id}`, team({ name: 'viewers' })),
      await send('GET', `/team-workspaces?filter[workspace][id]=${workspace}`),
      await send('PATCH', `/team-workspaces/${granted.body.data.id}`, access({ attributes: { access: 'write' } })),
      await send('DELETE', `/team-workspaces/${granted.body.data.id}`),
      await send('DELETE', `/teams/${id}`),
    ].map(({ status }) => status);
    expect(granted.status).toBe(201);
    expect(statuses).toEqual([200, 200, 200, 200, 204, 204]);
    expect([...(usedActions.get('teams') ?? [])].sort()).toEqual(allowedActions('teams'));
  });

  it('are those that the function integrations uses for agent pools, SSH keys and VCS connections', async () => {
    const send = sendTo('integrations');
    const pool = (name: string) => ({ type: 'agent-pools', attributes: { name } });
    const created = await send('POST', '/organizations/acme/agent-pools', pool('builders'));
    const path = `/agent-pools/${created.body.data.id}`;
    const statuses = [
      created,
      await send('GET', '/organizations/acme/agent-pools'),
      await send('PATCH', path, pool('runners')),
      await send('DELETE', path),
    ].map(({ status }) => status);
    expect(statuses).toEqual([201, 200, 200, 204]);
    expect([...(usedActions.get('integrations') ?? [])].sort()).toEqual(allowedActions('integrations'));
  });

  it('are those that the function list-index-snapshots uses to take a snapshot', async () => {
    await recordActions('list-index-snapshots', () => api.takeSnapshot('acme'));
    expect([...(usedActions.get('list-index-snapshots') ?? [])].sort()).toEqual(allowedActions('list-index-snapshots'));
  });

  it('are those that the function admin uses, and none for the function fallback', async () => {
    const run = (command: string, parameters: object) =>
      recordActions('admin', () => api.admin(command, parameters as Record<string, unknown>));
    const organization = 'acme';
    await run('create-team', { organization, name: 'builders' });
    await run('create-user', { username: 'grace', email: 'grace@example.com' });
    await run('add-member', { organization, team: 'builders', username: 'grace' });
    await run('grant-access', { organization, team: 'builders', workspace: 'two', access: 'write' });
    await run('create-token', { kind: 'organization', organization });
    await run('update-vcs-connection', { organization, name: 'none', httpUrl: 'https://example.com' });
    await run('delete-project', { organization, name: 'Platform' });
    await run('delete-user', { username: 'grace' });
    const { findings } = await run('check-table', {});
    expect(findings).toEqual([]);
    await recordActions('fallback', () => api.request('GET', '/nothing'));
    expect([...(usedActions.get('fallback') ?? [])]).toEqual([]);
    expect([...(usedActions.get('admin') ?? [])].sort()).toEqual(allowedActions('admin'));
  });
});
