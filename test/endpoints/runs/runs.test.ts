import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import {
  createOrganizationFixture,
  type OrganizationFixture,
  type Workspace,
} from '../../support/api/organization-fixture.ts';
import { at, configurationEvent, runEvent } from '../../support/events/run-events.ts';
import { configurationId, runId } from '../../support/models/run-model.ts';

/** Endpoints of runs and configuration versions (docs/reference/runs.md). */
let fixture: OrganizationFixture;
let workspace: Workspace;
let empty: Workspace;
const runs = [1, 2, 3].map(runId);
const [version, bare] = [configurationId(4), configurationId(5)];

beforeAll(async () => {
  fixture = await createOrganizationFixture();
  [workspace, empty] = [await fixture.createWorkspace(), await fixture.createWorkspace()];
  const ingress = { 'ingress-attributes': { branch: 'main', 'commit-sha': 'abc' } };
  const configure = (id: string, more: object) =>
    fixture.api.ingest('configuration-version.updated', configurationEvent(workspace, id, 'uploaded', more));
  await configure(version, ingress);
  await configure(bare, {});
  for (const [index, run] of runs.entries()) {
    const more = { 'created-at': at(index), ...(index < 2 && { 'configuration-version': version }) };
    await fixture.api.ingest('run.updated', runEvent(workspace, run, 'applied', 10 + index, more));
  }
});
afterAll(() => fixture.api.stop());

const get = (path: string) => fixture.api.request('GET', path, { token: fixture.owner });

describe('runs of a workspace', () => {
  it('are listed page by page, with the newest first', async () => {
    const path = `/workspaces/${workspace.id}/runs`;
    const getIds = (body: { data: readonly { id: string }[] }) => body.data.map(({ id }) => id);
    const whole = await get(path);
    expect(whole.status).toBe(200);
    expect(getIds(whole.body)).toEqual(runs.toReversed());
    const pages = await Promise.all([1, 2, 3].map((number) => get(`${path}?page[size]=2&page[number]=${number}`)));
    expect(pages.map(({ body }) => getIds(body))).toEqual([[runs[2], runs[1]], [runs[0]], []]);
    expect(pages[0]?.body.meta.pagination).toMatchObject({ 'total-count': 3, 'total-pages': 2 });
    expect((await get(`/workspaces/${empty.id}/runs`)).body.data).toEqual([]);
  });

  it('are listed by the creation time of their first report, whatever the order of arrival', async () => {
    const { id } = await fixture.createWorkspace();
    const [first, late, corrected] = [runId(31), runId(32), runId(33)];
    const report = (run: string, status: string, createdAt: string) =>
      fixture.api.ingest('run.updated', runEvent({ id }, run, status, 5, { 'created-at': createdAt }));
    await report(first, 'pending', at(20));
    await report(late, 'pending', at(10));
    await report(corrected, 'pending', at(30));
    await report(corrected, 'errored', at(31));
    await report(corrected, 'errored', at(31));
    expect(fixture.api.deadLetters.received()).toEqual([]);
    const { data, meta } = (await get(`/workspaces/${id}/runs`)).body;
    expect(data.map((run: { id: string }) => run.id)).toEqual([corrected, first, late]);
    expect(meta.pagination['total-count']).toBe(3);
    const shown = (await get(`/runs/${corrected}`)).body.data;
    expect(shown.attributes).toMatchObject({ status: 'errored', 'created-at': at(31) });
    expect((await get(`/workspaces/${id}?include=current_run`)).body.included).toEqual([shown]);
  });

  it('are filtered by what they do, by status, source and time, and found by user, commit and message', async () => {
    const { id } = await fixture.createWorkspace();
    const [planOnly, destroy, planned] = [runId(21), runId(22), runId(23)];
    const commit = configurationId(24);
    const ingress = { 'commit-sha': 'ABCDEF12', 'sender-username': 'Grace' };
    await fixture.api.ingest(
      'configuration-version.updated',
      configurationEvent({ id }, commit, 'uploaded', { 'ingress-attributes': ingress }),
    );
    const report = (run: string, status: string, more: object) =>
      fixture.api.ingest('run.updated', runEvent({ id }, run, status, 5, more));
    await report(planOnly, 'planned_and_finished', { 'plan-only': true, source: 'tfe-api', 'created-at': at(1) });
    await report(destroy, 'applied', { 'is-destroy': true, message: 'Remove it all', 'created-at': at(2) });
    await report(planned, 'planned', { 'configuration-version': commit, 'created-at': '2025-06-01T00:00:00Z' });
    const found = async (query: string) => {
      const { status, body } = await get(`/workspaces/${id}/runs?${query}`);
      expect(status, JSON.stringify(body)).toBe(200);
      expect(body.meta.pagination['total-count']).toBe(body.data.length);
      return body.data.map((run: { id: string }) => run.id);
    };
    expect(await found('filter[status]=applied,planned')).toEqual([destroy, planned]);
    expect(await found('filter[source]=tfe-api,tfe-ui')).toEqual([planOnly]);
    expect(await found('filter[operation]=destroy,plan_only')).toEqual([destroy, planOnly]);
    expect(await found('filter[operation]=plan_and_apply')).toEqual([planned]);
    expect(await found('filter[status_group]=final')).toEqual([destroy, planOnly]);
    expect(await found('filter[status_group]=non_final,discardable')).toEqual([planned]);
    expect(await found('filter[timeframe]=2025')).toEqual([planned]);
    expect(await found('filter[timeframe]=2026&filter[operation]=destroy')).toEqual([destroy]);
    expect(await found('search[user]=grace')).toEqual([planned]);
    expect(await found('search[commit]=abcdef')).toEqual([planned]);
    expect(await found('search[user]=linus&search[basic]=remove')).toEqual([]);
    expect(await found('search[basic]=REMOVE')).toEqual([destroy]);
    expect(await found(`search[basic]=${planOnly}`)).toEqual([planOnly]);
  });

  it.each(['filter[operation]=apply', 'filter[status_group]=all', 'filter[timeframe]=month'])(
    'return 400 for %s',
    async (query) => {
      const { status, body } = await get(`/workspaces/${workspace.id}/runs?${query}`);
      expect(status).toBe(400);
      expect(body.errors[0].source).toEqual({ parameter: query.split('=')[0] });
    },
  );

  it('are shown in the same form as when included with their workspace', async () => {
    const [run] = runs.slice(-1);
    const shown = await get(`/runs/${run}`);
    expect(shown.status).toBe(200);
    const { included } = (await get(`/workspaces/${workspace.id}?include=current_run`)).body;
    expect(included).toEqual([shown.body.data]);
  });

  it('are listed with each included resource once', async () => {
    const include = 'include=plan,apply,configuration_version.ingress_attributes';
    const { included } = (await get(`/workspaces/${workspace.id}/runs?${include}`)).body;
    const types = included.map(({ type }: { type: string }) => type).sort();
    expect(types).toEqual([
      ...Array(3).fill('applies'),
      'configuration-versions',
      'ingress-attributes',
      ...Array(3).fill('plans'),
    ]);
    const one = (await get(`/runs/${runs[0]}?include=configuration_version`)).body.included;
    expect(one).toEqual([(await get(`/configuration-versions/${version}`)).body.data]);
    expect((await get(`/runs/${runs[2]}?include=configuration_version`)).body.included).toEqual([]);
    expect((await get(`/runs/${runs[0]}?include=workspace`)).status).toBe(400);
  });

  it('return 404 for unknown ids and after the workspace is deleted', async () => {
    for (const path of [
      '/runs/run-1',
      `/runs/${runId(99)}`,
      `/runs/${version}`,
      `/configuration-versions/${runs[0]}`,
    ]) {
      expect((await get(path)).status, path).toBe(404);
    }
    const { id } = await fixture.createWorkspace();
    const run = runId(50);
    await fixture.api.ingest('run.updated', runEvent({ id }, run, 'planning', 1));
    expect((await get(`/runs/${run}`)).status).toBe(200);
    await fixture.api.request('DELETE', `/workspaces/${id}`, { token: fixture.owner });
    expect((await get(`/runs/${run}`)).status).toBe(404);
    await fixture.api.cleanup();
    expect((await get(`/runs/${run}`)).status).toBe(404);
  });
});

describe('configuration versions', () => {
  it('are shown with their commit if one is known', async () => {
    const shown = await get(`/configuration-versions/${version}?include=ingress_attributes`);
    const ingress = await get(`/configuration-versions/${version}/ingress-attributes`);
    expect(shown.body.included).toEqual([ingress.body.data]);
    expect(ingress.body.data.attributes).toMatchObject({ branch: 'main', 'commit-sha': 'abc', tag: null });
    const without = await get(`/configuration-versions/${bare}?include=ingress_attributes`);
    expect(without.body.data.relationships['ingress-attributes']).toEqual({ data: null });
    expect(without.body.included).toEqual([]);
    expect((await get(`/configuration-versions/${bare}/ingress-attributes`)).status).toBe(404);
  });
});
