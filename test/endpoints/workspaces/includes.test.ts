import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { workspaceIncludes } from '../../../shared/routes/route.ts';
import type { ApiResponse } from '../../support/api/api.ts';
import {
  createOrganizationFixture,
  ORGANIZATION,
  type OrganizationFixture,
  type Workspace,
} from '../../support/api/organization-fixture.ts';

/** Resources that can be included with workspaces (HTTP-27). */
let fixture: OrganizationFixture;
let workspace: Workspace;
let pool: string;
let team: { readonly id: string; readonly token: string };

const get = (path: string, token = fixture.owner): Promise<ApiResponse> => fixture.api.request('GET', path, { token });
const LIST = `/organizations/${ORGANIZATION}/workspaces`;
const workspacePaths = ({ id, name }: Workspace) => [`/workspaces/${id}`, `${LIST}/${name}`, LIST];

const identified = (resources: readonly { type: string; id: string }[]) =>
  resources.map(({ type, id }) => `${type} ${id}`).sort();

beforeAll(async () => {
  fixture = await createOrganizationFixture();
  const { agentPool } = await fixture.admin('create-agent-pool', { organization: ORGANIZATION, name: 'pool' });
  pool = agentPool.id;
  workspace = await fixture.createWorkspace({ 'execution-mode': 'agent', 'agent-pool-id': pool });
  const created = await fixture.admin('create-team', {
    organization: ORGANIZATION,
    name: 'lockers',
    permissions: 'manage-workspaces',
  });
  const { token } = await fixture.admin('create-token', { kind: 'team', organization: ORGANIZATION, team: 'lockers' });
  team = { id: created.team.id, token };
});
afterAll(() => fixture.api.stop());

/** Relationships that have only a link, and get their data when they are included. */
const completed: readonly string[] = ['outputs', 'effective_tag_bindings', 'vars'];

describe('include parameter', () => {
  it.each(workspaceIncludes)(
    '%s is accepted for one workspace, by id and by name, and for the list',
    async (include) => {
      for (const path of workspacePaths(workspace)) {
        const { status, body } = await get(`${path}?include=${include}`);
        expect(status, path).toBe(200);
        expect(body.included, path).toBeInstanceOf(Array);
      }
    },
  );

  it('returns exactly the resources that the relationships name', async () => {
    for (const path of workspacePaths(workspace)) {
      const { body } = await get(`${path}?include=organization,project,agent_pool`);
      const { relationships } = [body.data].flat()[0];
      expect(identified(body.included)).toEqual(
        identified([relationships.organization.data, relationships.project.data, relationships['agent-pool'].data]),
      );
      const { id, attributes } = body.included.find(({ type }: { type: string }) => type === 'agent-pools');
      expect({ id, name: attributes.name }).toEqual({ id: pool, name: 'pool' });
    }
  });

  it('returns each resource once, even if several workspaces and names lead to it', async () => {
    const other = await fixture.createWorkspace();
    const { body } = await get(`${LIST}?include=project,organization,project`);
    expect(body.data.length).toBeGreaterThan(1);
    expect(identified(body.included)).toEqual([
      `organizations ${ORGANIZATION}`,
      `projects ${body.data[0].relationships.project.data.id}`,
    ]);
    expect(body.data.map(({ id }: Workspace) => id)).toContain(other.id);
  });

  it('accepts underscores, hyphens and blanks', async () => {
    const { status, body } = await get(`/workspaces/${workspace.id}?include=agent-pool,%20organization,,`);
    expect(status).toBe(200);
    expect(body.included).toHaveLength(2);
  });

  it('leaves the included member out of the response when it is missing or empty', async () => {
    for (const path of workspacePaths(workspace)) {
      expect((await get(path)).body).not.toHaveProperty('included');
      expect((await get(`${path}?include=`)).body).not.toHaveProperty('included');
    }
  });

  it('changes nothing else in the response, except relationships that get their data only when included', async () => {
    for (const path of workspacePaths(workspace)) {
      const plain = (await get(path)).body;
      for (const include of workspaceIncludes.filter((name) => !completed.includes(name))) {
        const { included: _, links: __, ...rest } = (await get(`${path}?include=${include}`)).body;
        const { links: ___, ...expected } = plain;
        expect(rest, `${path} with ${include}`).toEqual(expected);
      }
      const { body } = await get(`${path}?include=${completed}`);
      for (const { relationships } of [body.data].flat()) {
        for (const name of completed) expect(relationships[name.replaceAll('_', '-')].data).toEqual([]);
      }
    }
  });
});

describe('include=locked_by', () => {
  const lock = (token: string) => fixture.api.request('POST', `/workspaces/${workspace.id}/actions/lock`, { token });
  const unlock = () =>
    fixture.api.request('POST', `/workspaces/${workspace.id}/actions/force-unlock`, { token: fixture.owner });

  it('returns the user or team that holds the lock, or nothing when the workspace is unlocked', async () => {
    const holder = async () => (await get(`/workspaces/${workspace.id}?include=locked_by`)).body;
    expect((await holder()).included).toEqual([]);

    await lock(fixture.owner);
    const byUser = await holder();
    expect(byUser.included).toMatchObject([{ type: 'users', attributes: { username: 'ada' } }]);
    expect(byUser.included[0].attributes).not.toHaveProperty('email');
    expect(identified(byUser.included)).toEqual(identified([byUser.data.relationships['locked-by'].data]));
    await unlock();

    await lock(team.token);
    expect((await holder()).included).toMatchObject([{ type: 'teams', id: team.id, attributes: { name: 'lockers' } }]);
    await unlock();
  });

  it('returns no deleted lock holder, while the relationship still names it', async () => {
    const { team: deleted } = await fixture.admin('create-team', {
      organization: ORGANIZATION,
      name: 'leavers',
      permissions: 'manage-workspaces',
    });
    const { token } = await fixture.admin('create-token', {
      kind: 'team',
      organization: ORGANIZATION,
      team: 'leavers',
    });
    await lock(token);
    const key = { pk: `TEAM#${deleted.id}`, sk: 'T' };
    await fixture.api.engine.database.write({ kind: 'delete', key });
    const { body } = await get(`/workspaces/${workspace.id}?include=locked_by`);
    expect(body.included).toEqual([]);
    expect(body.data.relationships['locked-by'].data).toEqual({ type: 'teams', id: deleted.id });
    await unlock();
  });
});

describe('include=effective_tag_bindings', () => {
  it('returns the listed bindings, including those inherited from the project', async () => {
    await fixture.admin('update-project', {
      organization: ORGANIZATION,
      name: 'Default Project',
      tagBindings: 'env=prod,cost=low',
    });
    const tagged = await fixture.createWorkspace(
      {},
      { 'tag-bindings': { data: [{ type: 'tag-bindings', attributes: { key: 'env', value: 'test' } }] } },
    );
    const listed = (await get(`/workspaces/${tagged.id}/effective-tag-bindings`)).body.data;
    expect(listed).toHaveLength(2);
    const { body } = await get(`/workspaces/${tagged.id}?include=effective_tag_bindings`);
    expect(body.included).toEqual(listed);
    expect(identified(body.data.relationships['effective-tag-bindings'].data)).toEqual(identified(listed));
    await fixture.admin('update-project', { organization: ORGANIZATION, name: 'Default Project', tagBindings: '' });
  });
});

describe('include=vars', () => {
  it('returns the listed variables without sensitive values, and none without read access', async () => {
    const { id, name } = await fixture.createWorkspace();
    const path = `/workspaces/${id}/vars`;
    for (const attributes of [
      { key: 'region', value: 'eu', category: 'infra' },
      { key: 'secret', value: 'CANARY', category: 'env', sensitive: true },
    ]) {
      const body = { data: { type: 'vars', attributes } };
      expect((await fixture.api.request('POST', path, { token: fixture.owner, body })).status).toBe(201);
    }
    const listed = (await get(path)).body.data;
    expect(listed).toHaveLength(2);
    for (const form of workspacePaths({ id, name })) {
      const { body } = await get(`${form}?include=vars`);
      expect(identified(body.included)).toEqual(identified(listed));
      expect(body.included).toEqual(expect.arrayContaining(listed));
      const workspace = [body.data].flat().find((it: Workspace) => it.id === id);
      expect(identified(workspace.relationships.vars.data)).toEqual(identified(listed));
      expect(JSON.stringify(body)).not.toContain('CANARY');
    }
    const grant = { organization: ORGANIZATION, team: 'readers', workspace: id, access: 'custom' };
    await fixture.admin('create-team', { organization: ORGANIZATION, name: 'readers' });
    await fixture.admin('grant-access', { ...grant, variables: 'none' });
    const { token } = await fixture.admin('create-token', {
      kind: 'team',
      organization: ORGANIZATION,
      team: 'readers',
    });
    const { body } = await get(`/workspaces/${id}?include=vars`, token);
    expect(body.included).toEqual([]);
    expect(body.data.relationships.vars).not.toHaveProperty('data');
  });
});

describe('include for callers with limited access', () => {
  it('omits the project and a secret team from a caller who can read only the workspace', async () => {
    const { id } = await fixture.createWorkspace();
    const given = { organization: ORGANIZATION, team: 'lookers' };
    await fixture.admin('create-team', { organization: ORGANIZATION, name: 'lookers' });
    await fixture.admin('grant-access', { ...given, workspace: id, access: 'read' });
    const { token } = await fixture.admin('create-token', { kind: 'team', ...given });
    await fixture.api.request('POST', `/workspaces/${id}/actions/lock`, { token: team.token });
    const path = `/workspaces/${id}?include=project,locked_by`;
    expect((await get(path, token)).body.included).toEqual([]);
    expect((await get(path)).body.included).toHaveLength(2);
  });

  it('shows the organization with the permissions of the caller', async () => {
    const { body } = await get(`/workspaces/${workspace.id}?include=organization`, team.token);
    expect(body.included[0].attributes.permissions).toMatchObject({
      'can-update': false,
      'can-create-workspace': true,
    });
  });
});
