import { afterAll, beforeAll, expect, it } from 'vitest';
import { createOrganizationFixture, type OrganizationFixture } from '../../support/api/organization-fixture.ts';
import { buildState, inlineStateVersionBody } from '../../support/api/states.ts';
import { startEngine, type TestEngine } from '../../support/engine/engine.ts';
import { configurationEvent, runEvent } from '../../support/events/run-events.ts';
import { type IndexProxy, startIndexProxy } from '../../support/faults/index-proxy.ts';
import { configurationId, runId } from '../../support/models/run-model.ts';

/** Included resources are read eventually consistently. The workspace shows when such a read is out of date. */
let engine: TestEngine;
let proxy: IndexProxy;
let fixture: OrganizationFixture;
beforeAll(async () => {
  engine = await startEngine();
  proxy = await startIndexProxy(engine);
  fixture = await createOrganizationFixture({ engine, endpoint: proxy.endpoint });
});
afterAll(async () => {
  await fixture.api.stop();
  await proxy.stop();
  await engine.stop();
});

it('included resources show the latest reports although eventually consistent reads are stale', async () => {
  const workspace = await fixture.createWorkspace();
  const [run, version] = [runId(1), configurationId(2)];
  const path = `/workspaces/${workspace.id}`;
  const included = async (include: string) =>
    (await fixture.api.request('GET', `${path}?include=${include}`, { token: fixture.owner })).body.included;
  const report = (status: string, seconds: number) =>
    fixture.api.ingest('run.updated', runEvent(workspace, run, status, seconds, { 'configuration-version': version }));

  await proxy.freezeItems();
  await fixture.api.ingest(
    'configuration-version.updated',
    configurationEvent(workspace, version, 'uploaded', { readme: 'r' }),
  );
  await report('planning', 1);
  const include = 'current_run.configuration_version,current_configuration_version,locked_by,readme';
  expect((await included(include)).map(({ id }: { id: string }) => id)).toEqual([run, version, version]);

  await proxy.freezeItems();
  await report('applied', 2);
  expect((await included('current_run'))[0].attributes.status).toBe('applied');

  await fixture.api.request('POST', `${path}/actions/lock`, { token: fixture.owner });
  await proxy.freezeItems();
  const body = inlineStateVersionBody(buildState({ outputs: { name: { value: 'web', type: 'string' } } }));
  await fixture.api.request('POST', `${path}/state-versions`, { token: fixture.owner, body });
  await fixture.api.request('POST', `${path}/actions/unlock`, { token: fixture.owner });
  const [state, output] = await included('current_state_version,outputs');
  expect([state.attributes.status, output.attributes.value]).toEqual(['finalized', 'web']);
});
