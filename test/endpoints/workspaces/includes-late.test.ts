import { afterAll, beforeAll, expect, it } from 'vitest';
import { inlineBody, stateOf } from '../../support/api/states.ts';
import { startEngine, type TestEngine } from '../../support/engine/engine.ts';
import { configurationEvent, runEvent } from '../../support/events/run-events.ts';
import { type IndexProxy, startIndexProxy } from '../../support/faults/index-proxy.ts';
import { type Bench, openBench } from '../../support/matrix/matrix-bench.ts';
import { configurationId, runId } from '../../support/models/run-model.ts';

/** Included resources are read eventually consistently. The workspace shows when such a read is out of date. */
let engine: TestEngine;
let proxy: IndexProxy;
let bench: Bench;
beforeAll(async () => {
  engine = await startEngine();
  proxy = await startIndexProxy(engine);
  bench = await openBench({ engine, endpoint: proxy.endpoint });
});
afterAll(async () => {
  await bench.api.stop();
  await proxy.stop();
  await engine.stop();
});

it('included resources show the latest reports although eventually consistent reads are stale', async () => {
  const workspace = await bench.make();
  const [run, version] = [runId(1), configurationId(2)];
  const path = `/workspaces/${workspace.id}`;
  const included = async (include: string) =>
    (await bench.api.request('GET', `${path}?include=${include}`, { token: bench.owner })).body.included;
  const report = (status: string, seconds: number) =>
    bench.api.ingest('run.updated', runEvent(workspace, run, status, seconds, { 'configuration-version': version }));

  await proxy.freezeItems();
  await bench.api.ingest(
    'configuration-version.updated',
    configurationEvent(workspace, version, 'uploaded', { readme: 'r' }),
  );
  await report('planning', 1);
  const include = 'current_run.configuration_version,current_configuration_version,locked_by,readme';
  expect((await included(include)).map(({ id }: { id: string }) => id)).toEqual([run, version, version]);

  await proxy.freezeItems();
  await report('applied', 2);
  expect((await included('current_run'))[0].attributes.status).toBe('applied');

  await bench.api.request('POST', `${path}/actions/lock`, { token: bench.owner });
  await proxy.freezeItems();
  const body = inlineBody(stateOf({ outputs: { name: { value: 'web', type: 'string' } } }));
  await bench.api.request('POST', `${path}/state-versions`, { token: bench.owner, body });
  await bench.api.request('POST', `${path}/actions/unlock`, { token: bench.owner });
  const [state, output] = await included('current_state_version,outputs');
  expect([state.attributes.status, output.attributes.value]).toEqual(['finalized', 'web']);
});
