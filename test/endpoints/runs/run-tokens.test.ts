import { afterAll, beforeAll, describe, expect, it, vi } from 'vitest';
import { startApi } from '../../support/api/api.ts';
import {
  createOrganizationFixture,
  ORGANIZATION,
  type OrganizationFixture,
  type Workspace,
} from '../../support/api/organization-fixture.ts';
import { buildState, inlineStateVersionBody } from '../../support/api/states.ts';
import { startEngine } from '../../support/engine/engine.ts';
import { runEvent, runToken } from '../../support/events/run-events.ts';
import { runId } from '../../support/models/run-model.ts';

/**
 * Permissions of run tokens in the run's own workspace and in workspaces that share their state with it (PERM-17).
 */
let fixture: OrganizationFixture;
beforeAll(async () => {
  fixture = await createOrganizationFixture();
});
afterAll(() => fixture.api.stop());

let createdCount = 0;
const newRun = (): string => runId(++createdCount);

const getStatus = async (path: string, token: string): Promise<number> =>
  (await fixture.api.request('GET', path, { token })).status;
const canRead = async ({ id, name }: Workspace, token: string): Promise<boolean> => {
  const paths = [`/workspaces/${id}`, `/organizations/${ORGANIZATION}/workspaces/${name}`];
  const statuses = await Promise.all(paths.map((path) => getStatus(path, token)));
  expect(statuses, 'same status by id and by name').toEqual([statuses[0], statuses[0]]);
  return statuses[0] === 200;
};
const share = (method: string, { id }: Workspace, consumers: readonly Workspace[]) =>
  fixture.api.request(method, `/workspaces/${id}/relationships/remote-state-consumers`, {
    token: fixture.owner,
    body: { data: consumers.map((consumer) => ({ type: 'workspaces', id: consumer.id })) },
  });

describe('run token', () => {
  it('is valid from the report that contains its hash until the run ends, in any order of reports', async () => {
    const workspace = await fixture.createWorkspace();
    const run = newRun();
    const { token, sha256 } = await fixture.admin('new-run-token', {});
    expect(token).toMatch(/^hfr_/);
    const report = (status: string, seconds: number, more?: object) =>
      fixture.api.ingest('run.updated', runEvent(workspace, run, status, seconds, more));
    expect(await getStatus(`/workspaces/${workspace.id}`, token)).toBe(401);
    await report('planning', 2);
    await report('pending', 1, { 'token-sha256': sha256 });
    expect(await canRead(workspace, token)).toBe(true);
    await report('errored', 9);
    expect(await getStatus(`/workspaces/${workspace.id}`, token)).toBe(401);
    await report('pending', 1, { 'token-sha256': sha256 });
    expect(await getStatus(`/workspaces/${workspace.id}`, token)).toBe(401);

    const late = await fixture.admin('new-run-token', {});
    const [finishedRun] = [newRun()];
    await fixture.api.ingest('run.updated', runEvent(workspace, finishedRun, 'discarded', 9));
    await fixture.api.ingest(
      'run.updated',
      runEvent(workspace, finishedRun, 'pending', 1, { 'token-sha256': late.sha256 }),
    );
    expect(await getStatus(`/workspaces/${workspace.id}`, late.token)).toBe(401);
    expect((await fixture.admin('check-table', {})).findings).toEqual([]);
  });

  it('may be one of several tokens of a run', async () => {
    const workspace = await fixture.createWorkspace();
    const run = newRun();
    const tokens = [await runToken(fixture, workspace, run), await runToken(fixture, workspace, run)];
    for (const token of tokens) expect(await canRead(workspace, token)).toBe(true);
    await fixture.api.ingest('run.updated', runEvent(workspace, run, 'applied', 9));
    for (const token of tokens) expect(await getStatus(`/workspaces/${workspace.id}`, token)).toBe(401);
  });

  it('stays revoked when later reports of its run arrive', async () => {
    const workspace = await fixture.createWorkspace();
    const run = newRun();
    const token = await runToken(fixture, workspace, run);
    await fixture.admin('revoke-token', { token });
    await fixture.api.ingest('run.updated', runEvent(workspace, run, 'planning', 5));
    expect(await getStatus(`/workspaces/${workspace.id}`, token)).toBe(401);
    expect((await fixture.api.admin('revoke-token', { token })).errors[0].status).toBe('404');
    await fixture.api.ingest('run.updated', runEvent(workspace, run, 'applied', 9));
    expect((await fixture.admin('check-table', {})).findings).toEqual([]);
    expect(fixture.api.deadLetters.received()).toEqual([]);
  });

  it('stops working after the end of its run within the caller cache time', async () => {
    const engine = await startEngine();
    const seconds = 2;
    const api = await startApi({ engine, cacheSeconds: seconds });
    const cachingBench = {
      ...fixture,
      api,
      admin: (command: string, parameters: object) => api.admin(command, { ...parameters }),
    };
    const { token: owner } = await api.admin('create-organization', { name: ORGANIZATION, email: 'a@example.com' });
    const body = { data: { type: 'workspaces', attributes: { name: 'one' } } };
    const created = await api.request('POST', `/organizations/${ORGANIZATION}/workspaces`, { token: owner, body });
    const workspace = { id: created.body.data.id, name: 'one' };
    const run = newRun();
    const token = await runToken(cachingBench, workspace, run);
    const getWorkspaceStatus = async () => (await api.request('GET', `/workspaces/${workspace.id}`, { token })).status;
    expect(await getWorkspaceStatus()).toBe(200);
    await api.ingest('run.updated', runEvent(workspace, run, 'applied', 9));
    vi.useFakeTimers({ toFake: ['Date'], now: Date.now() + seconds * 1_000 });
    expect(await getWorkspaceStatus()).toBe(401);
    vi.useRealTimers();
    await api.stop();
    await engine.stop();
    // Starting another API has changed the environment, which the functions of this file read.
    await fixture.api.stop();
    fixture = await createOrganizationFixture();
  });

  it('cannot read other users, teams, projects or organization settings', async () => {
    const workspace = await fixture.createWorkspace();
    const token = await runToken(fixture, workspace, newRun());
    await fixture.api.request('POST', `/workspaces/${workspace.id}/actions/lock`, { token: fixture.owner });
    const include = 'organization,project,locked_by,vars,agent_pool';
    const { status, body } = await fixture.api.request('GET', `/workspaces/${workspace.id}?include=${include}`, {
      token,
    });
    expect(status).toBe(200);
    expect(body.included).toEqual([]);
    expect(body.data.attributes.permissions).toMatchObject({
      'can-create-state-versions': true,
      'can-read-state-versions': true,
      'can-read-variable': false,
      'can-lock': false,
      'can-update': false,
      'can-read-settings': false,
    });
    expect(await getStatus(`/organizations/${ORGANIZATION}/entitlement-set`, token)).toBe(200);
    for (const path of ['', '/workspaces', '/tags', '/teams', '/projects']) {
      expect(await getStatus(`/organizations/${ORGANIZATION}${path}`, token), path).toBe(404);
    }
    expect((await fixture.api.request('GET', '/organizations', { token })).body.data).toEqual([]);
    expect(await getStatus('/account/details', token)).toBe(404);
  });
});

describe('run token in its own workspace', () => {
  const post = (path: string, token: string, body: object) => fixture.api.request('POST', path, { token, body });

  it('writes state only while its run holds the lock', async () => {
    const workspace = await fixture.createWorkspace();
    const run = newRun();
    const token = await runToken(fixture, workspace, run);
    const path = `/workspaces/${workspace.id}/state-versions`;
    const body = inlineStateVersionBody(buildState({ outputs: { name: { value: 'web', type: 'string' } } }));
    expect((await post(path, token, body)).status).toBe(409);
    await fixture.api.ingest('run.updated', runEvent(workspace, run, 'planning', 5));
    expect((await post(path, fixture.owner, body)).status).toBe(409);
    const written = await post(path, token, body);
    expect(written.status).toBe(201);
    expect(written.body.data.relationships['created-by'].data).toEqual({ type: 'runs', id: run });
    expect(await getStatus(`/state-versions/${written.body.data.id}/download`, token)).toBe(307);
    await fixture.api.request('POST', `/workspaces/${workspace.id}/actions/force-unlock`, { token: fixture.owner });
    const next = inlineStateVersionBody(buildState({ serial: 2 }), { serial: 2 });
    expect((await post(path, token, next)).status).toBe(409);
    await fixture.api.ingest('run.updated', runEvent(workspace, run, 'applied', 9));
    expect((await post(path, token, next)).status).toBe(401);
  });

  it('writes an intermediate state version that becomes current when the run ends', async () => {
    const workspace = await fixture.createWorkspace();
    const run = newRun();
    const token = await runToken(fixture, workspace, run);
    await fixture.api.ingest('run.updated', runEvent(workspace, run, 'planning', 5));
    const body = inlineStateVersionBody(buildState({ resources: 3 }), { intermediate: true });
    const written = await post(`/workspaces/${workspace.id}/state-versions`, token, body);
    expect(written.status).toBe(201);
    const current = async () =>
      (await fixture.api.request('GET', `/workspaces/${workspace.id}`, { token: fixture.owner })).body.data
        .relationships['current-state-version'].data;
    expect(await current()).toBeNull();
    await fixture.api.ingest('run.updated', runEvent(workspace, run, 'applied', 9));
    expect(await current()).toEqual({ type: 'state-versions', id: written.body.data.id });
    expect((await fixture.admin('check-table', {})).findings).toEqual([]);
  });
});

describe('run token in another workspace', () => {
  it('reads the state only while its workspace is a consumer', async () => {
    const [producer, consumer, stranger] = [
      await fixture.createWorkspace(),
      await fixture.createWorkspace(),
      await fixture.createWorkspace(),
    ];
    const [consumerToken, strangerToken] = [
      await runToken(fixture, consumer, newRun()),
      await runToken(fixture, stranger, newRun()),
    ];
    const both = async () => [await canRead(producer, consumerToken), await canRead(producer, strangerToken)];
    expect(await both()).toEqual([false, false]);
    expect((await share('POST', producer, [consumer])).status).toBe(204);
    expect(await both()).toEqual([true, false]);
    const state = `/workspaces/${producer.id}/current-state-version`;
    expect([await getStatus(state, consumerToken), await getStatus(`${state}-outputs`, consumerToken)]).toEqual([
      404, 200,
    ]);
    const lock = (action: string) =>
      fixture.api.request('POST', `/workspaces/${producer.id}/actions/${action}`, { token: fixture.owner });
    await lock('lock');
    const content = inlineStateVersionBody(buildState({ outputs: { name: { value: 'web', type: 'string' } } }));
    const write = (token: string) =>
      fixture.api.request('POST', `/workspaces/${producer.id}/state-versions`, { token, body: content });
    expect((await write(consumerToken)).status).toBe(404);
    const { id } = (await write(fixture.owner)).body.data;
    await lock('unlock');
    for (const path of [state, `${state}-outputs`, `/state-versions/${id}`, `/state-versions/${id}/outputs`]) {
      expect([await getStatus(path, consumerToken), await getStatus(path, strangerToken)], path).toEqual([200, 404]);
    }
    const download = `/state-versions/${id}/download`;
    expect([await getStatus(download, consumerToken), await getStatus(download, strangerToken)]).toEqual([307, 404]);
    // Sharing works in one direction only.
    expect(await canRead(consumer, await runToken(fixture, producer, newRun()))).toBe(false);
    expect((await share('PATCH', producer, [stranger])).status).toBe(204);
    expect(await both()).toEqual([false, true]);
    expect((await share('DELETE', producer, [stranger])).status).toBe(204);
    expect(await both()).toEqual([false, false]);
  });

  it('has fewer permissions than a run token of that workspace', async () => {
    const [producer, consumer] = [await fixture.createWorkspace(), await fixture.createWorkspace()];
    await share('POST', producer, [consumer]);
    const token = await runToken(fixture, consumer, newRun());
    const { body } = await fixture.api.request('GET', `/workspaces/${producer.id}`, { token });
    expect(body.data.attributes.permissions).toMatchObject({
      'can-read-state-versions': true,
      'can-read-state-outputs': true,
      'can-create-state-versions': false,
    });
  });

  it('reads the state when the workspace shares it with the whole organization', async () => {
    const producer = await fixture.createWorkspace({ 'global-remote-state': true });
    const token = await runToken(fixture, await fixture.createWorkspace(), newRun());
    expect(await canRead(producer, token)).toBe(true);
    expect((await fixture.update(producer, { 'global-remote-state': false })).status).toBe(200);
    expect(await canRead(producer, token)).toBe(false);
  });

  it('reads the state when the workspace shares it with its project, until one of the two is moved', async () => {
    const [producer, consumer] = [await fixture.createWorkspace(), await fixture.createWorkspace()];
    const token = await runToken(fixture, consumer, newRun());
    expect(await canRead(producer, token)).toBe(false);
    expect((await fixture.update(producer, { 'project-remote-state': true })).status).toBe(200);
    expect(await canRead(producer, token)).toBe(true);
    const { project } = await fixture.admin('create-project', { organization: ORGANIZATION, name: 'Elsewhere' });
    await fixture.api.request('POST', `/projects/${project.id}/relationships/workspaces`, {
      token: fixture.owner,
      body: { data: [{ type: 'workspaces', id: consumer.id }] },
    });
    expect(await canRead(producer, token)).toBe(false);
  });

  it('does not read the state as a configured consumer while the state is shared with the project', async () => {
    const { project } = await fixture.admin('create-project', { organization: ORGANIZATION, name: 'Outside' });
    const [producer, consumer] = [await fixture.createWorkspace(), await fixture.createWorkspace()];
    await share('POST', producer, [consumer]);
    await fixture.api.request('POST', `/projects/${project.id}/relationships/workspaces`, {
      token: fixture.owner,
      body: { data: [{ type: 'workspaces', id: consumer.id }] },
    });
    const token = await runToken(fixture, consumer, newRun());
    expect(await canRead(producer, token)).toBe(true);
    await fixture.update(producer, { 'project-remote-state': true });
    expect(await canRead(producer, token)).toBe(false);
  });

  it('cannot read shared state of another organization', async () => {
    const producer = await fixture.createWorkspace({ 'global-remote-state': true });
    const other = await fixture.admin('create-organization', { name: 'umbrella', email: 'o@example.com' });
    const body = { data: { type: 'workspaces', attributes: { name: 'theirs' } } };
    const created = await fixture.api.request('POST', '/organizations/umbrella/workspaces', {
      token: other.token,
      body,
    });
    const { token, sha256 } = await fixture.admin('new-run-token', {});
    const event = runEvent(created.body.data, newRun(), 'planning', 1, { 'token-sha256': sha256 });
    await fixture.api.ingest('run.updated', { ...event, organization: 'umbrella' });
    expect(await getStatus(`/workspaces/${created.body.data.id}`, token)).toBe(200);
    expect(await canRead(producer, token)).toBe(false);
    expect(await getStatus('/organizations/umbrella/entitlement-set', token)).toBe(200);
    expect(await getStatus(`/organizations/${ORGANIZATION}/entitlement-set`, token)).toBe(404);
  });

  it('stops reading shared state at once when its own workspace is deleted', async () => {
    const [producer, consumer] = [
      await fixture.createWorkspace({ 'global-remote-state': true }),
      await fixture.createWorkspace(),
    ];
    const token = await runToken(fixture, consumer, newRun());
    expect(await canRead(producer, token)).toBe(true);
    await fixture.api.request('DELETE', `/workspaces/${consumer.id}`, { token: fixture.owner });
    expect(await canRead(producer, token)).toBe(false);
    await fixture.api.cleanup();
    expect(await getStatus(`/workspaces/${producer.id}`, token)).toBe(401);
  });
});
