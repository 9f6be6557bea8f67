import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import {
  createOrganizationFixture,
  ORGANIZATION,
  type OrganizationFixture,
  type Workspace,
} from '../../support/api/organization-fixture.ts';
import { buildState, inlineStateVersionBody } from '../../support/api/states.ts';

/** Current state versions and outputs that are included with their workspaces (HTTP-30). */
let fixture: OrganizationFixture;
let workspace: Workspace;
let producer: Workspace;
let version: string;

const CANARY = 'c4n4ry-0f-4n-0utput';
const outputs = {
  region: { value: 'eu', type: 'string' },
  zones: { value: ['a', 'b'], type: ['list', 'string'] },
  password: { value: CANARY, type: 'string', sensitive: true },
};

const post = (path: string, body?: object) =>
  fixture.api.request('POST', path, { token: fixture.owner, ...(body && { body }) });
const get = async (path: string, token = fixture.owner) => {
  const { status, body } = await fixture.api.request('GET', path, { token });
  expect(status, JSON.stringify(body)).toBe(200);
  return body;
};

/** Uploads a state to a workspace and returns the id of the state version. */
const upload = async ({ id }: Workspace, state: Buffer) => {
  expect((await post(`/workspaces/${id}/actions/lock`)).status).toBe(200);
  const created = await post(`/workspaces/${id}/state-versions`, inlineStateVersionBody(state));
  expect(created.status, JSON.stringify(created.body)).toBe(201);
  expect((await post(`/workspaces/${id}/actions/unlock`)).status).toBe(200);
  return created.body.data.id as string;
};

beforeAll(async () => {
  fixture = await createOrganizationFixture();
  [workspace, producer] = [await fixture.createWorkspace(), await fixture.createWorkspace()];
  version = await upload(workspace, buildState({ resources: 2, outputs }));
  const body = { data: [{ type: 'workspaces', id: workspace.id }] };
  expect((await post(`/workspaces/${producer.id}/relationships/remote-state-consumers`, body)).status).toBe(204);
});
afterAll(() => fixture.api.stop());

const LIST = `/organizations/${ORGANIZATION}/workspaces`;
const paths = () => [
  `/workspaces/${workspace.id}`,
  `${LIST}/${workspace.name}`,
  LIST,
  `/workspaces/${producer.id}/relationships/remote-state-consumers`,
];
const named = (resources: readonly { type: string; id: string }[]) => resources.map(({ type, id }) => `${type} ${id}`);
const whole = (body: { data: unknown }) =>
  [body.data].flat().find((it) => (it as Workspace).id === workspace.id) as {
    relationships: Record<string, { data: readonly { type: string; id: string }[] }>;
  };

describe('include=current_state_version', () => {
  it('returns the same document as GET /state-versions/:id', async () => {
    const shown = (await get(`/state-versions/${version}`)).data;
    for (const path of paths()) {
      expect((await get(`${path}?include=current_state_version`)).included, path).toEqual([shown]);
      expect((await get(`${path}?include=current-state-version`)).included, path).toEqual([shown]);
    }
  });
});

describe('include=outputs', () => {
  it('returns the values of outputs, but null for sensitive ones', async () => {
    for (const path of paths()) {
      const body = await get(`${path}?include=outputs`);
      const { data } = whole(body).relationships['outputs'] ?? { data: [] };
      expect(named(body.included).sort(), path).toEqual(named(data).sort());
      const shown = body.included.map(({ type, attributes }: { type: string; attributes: object }) => [
        type,
        attributes,
      ]);
      expect(shown, path).toEqual([
        ['workspace-outputs', { name: 'region', sensitive: false, 'output-type': 'string', value: 'eu' }],
        ['workspace-outputs', { name: 'zones', sensitive: false, 'output-type': 'array', value: ['a', 'b'] }],
        ['workspace-outputs', { name: 'password', sensitive: true, 'output-type': 'string', value: null }],
      ]);
      expect(JSON.stringify(body)).not.toContain(CANARY);
    }
  });

  it('returns the same ids as GET /workspaces/:id/current-state-version-outputs', async () => {
    const { data } = await get(`/workspaces/${workspace.id}/current-state-version-outputs`);
    const { included } = await get(`/workspaces/${workspace.id}?include=outputs`);
    expect(included.map(({ id }: Workspace) => id)).toEqual(data.map(({ id }: Workspace) => id));
  });

  it('returns no outputs for a workspace without a state', async () => {
    const { data, included } = await get(`/workspaces/${producer.id}?include=outputs,current_state_version`);
    expect(included).toEqual([]);
    expect(data.relationships.outputs.data).toEqual([]);
  });

  it('returns 422 with the parameter page[size] when the outputs exceed the response size limit', async () => {
    const { id, name } = await fixture.createWorkspace();
    await upload({ id, name }, buildState({ outputs: { big: { value: 'x'.repeat(2_800_000), type: 'string' } } }));
    const other = await fixture.createWorkspace();
    await upload(other, buildState({ outputs: { big: { value: 'y'.repeat(2_800_000), type: 'string' } } }));
    expect((await get(`/workspaces/${id}?include=outputs`)).included).toHaveLength(1);
    const { status, body } = await fixture.api.request('GET', `${LIST}?include=outputs`, { token: fixture.owner });
    expect([status, body.errors[0].source]).toEqual([422, { parameter: 'page[size]' }]);
  });
});

describe('include=outputs,current_state_version', () => {
  const given = { organization: ORGANIZATION, access: 'custom' };
  it.each([
    ['none', []],
    ['read-outputs', ['workspace-outputs', 'workspace-outputs', 'workspace-outputs']],
    ['read', ['state-versions', 'workspace-outputs', 'workspace-outputs', 'workspace-outputs']],
  ])('returns nothing that a team with state-versions access "%s" cannot read', async (stateVersions, types) => {
    const team = `team-${stateVersions}`;
    await fixture.admin('create-team', { organization: ORGANIZATION, name: team });
    await fixture.admin('grant-access', { ...given, team, workspace: workspace.id, stateVersions });
    const { token } = await fixture.admin('create-token', { kind: 'team', organization: ORGANIZATION, team });
    const body = await get(`/workspaces/${workspace.id}?include=outputs,current_state_version`, token);
    expect(body.included.map(({ type }: { type: string }) => type).sort()).toEqual(types);
    expect(whole(body).relationships['outputs']?.data?.length ?? 0).toBe(types.length > 0 ? 3 : 0);
  });
});
