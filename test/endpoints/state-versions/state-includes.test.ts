import { afterAll, beforeAll, expect, it } from 'vitest';
import {
  createOrganizationFixture,
  type OrganizationFixture,
  type Workspace,
} from '../../support/api/organization-fixture.ts';
import { buildState, inlineStateVersionBody } from '../../support/api/states.ts';
import { at, configurationEvent, runEvent, runToken } from '../../support/events/run-events.ts';
import { configurationId, runId } from '../../support/models/run-model.ts';

/** Runs that are included with the state versions that they created (STATE-12). */
let fixture: OrganizationFixture;
let workspace: Workspace;
let path: string;
const [run, configuration] = [runId(1), configurationId(2)];

beforeAll(async () => {
  fixture = await createOrganizationFixture();
  workspace = await fixture.createWorkspace();
  await fixture.api.ingest(
    'configuration-version.updated',
    configurationEvent(workspace, configuration, 'uploaded', { 'created-at': at(1) }),
  );
  const token = await runToken(fixture, workspace, run);
  const details = { 'configuration-version': configuration };
  await fixture.api.ingest('run.updated', runEvent(workspace, run, 'applying', 5, details));
  const body = inlineStateVersionBody(buildState());
  const created = await fixture.api.request('POST', `/workspaces/${workspace.id}/state-versions`, { token, body });
  expect(created.status, JSON.stringify(created.body)).toBe(201);
  path = `/state-versions/${created.body.data.id}`;
});
afterAll(() => fixture.api.stop());

it.each([
  ['run', [`runs ${run}`]],
  ['run.created_by', [`runs ${run}`]],
  ['run.configuration_version', [`runs ${run}`, `configuration-versions ${configuration}`]],
  ['run,run.created_by,run.configuration_version', [`runs ${run}`, `configuration-versions ${configuration}`]],
])('a state version with include=%s includes %j once', async (include, expected) => {
  for (const shown of [path, `/workspaces/${workspace.id}/current-state-version`]) {
    const { status, body } = await fixture.api.request('GET', `${shown}?include=${include}`, { token: fixture.owner });
    expect(status, JSON.stringify(body)).toBe(200);
    expect(body.included.map(({ type, id }: { type: string; id: string }) => `${type} ${id}`)).toEqual(expected);
  }
});
