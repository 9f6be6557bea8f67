import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { digestOf, readBearer } from '../../../shared/access/credentials.ts';
import { forceDelete } from '../../../shared/domain/transitions/workspaces/delete-workspace.ts';
import type { Workspace } from '../../../shared/domain/workspace/workspace-record.ts';
import { base58 } from '../../../shared/lib/random.ts';
import { commands as descriptions } from '../../../shared/schemas/admin-commands.ts';
import { commandName } from '../../../shared/schemas/command-name.ts';
import { openDirectory } from '../../../shared/store/directory/directory-reader.ts';
import { openIdentities } from '../../../shared/store/directory/tokens/identity.ts';
import { findTokens } from '../../../shared/store/directory/tokens/token-reader.ts';
import { NoResponse } from '../../../shared/store/dynamodb/errors.ts';
import { keys, listPartition } from '../../../shared/store/dynamodb/keys.ts';
import { listRows } from '../../../shared/store/workspaces/find-workspaces.ts';
import { serviceRequest } from '../../../shared/store/workspaces/service-request.ts';
import { openAdmin } from '../../support/api/admin.ts';
import { storeSshKey } from '../../support/api/create-ssh-key.ts';
import { newWorkspace } from '../../support/api/new-workspace.ts';
import { startEngine, type TestEngine } from '../../support/engine/engine.ts';

let engine: TestEngine;
let opened: ReturnType<typeof openAdmin>;
const clock = () => Date.now();

beforeAll(async () => {
  engine = await startEngine();
  opened = openAdmin(engine.database);
});
afterAll(() => engine.stop());

const admin = (command: string, parameters?: object) => opened.admin(command, parameters);
const directory = () => openDirectory(engine.database, clock);
const identities = () => openIdentities(engine.database, clock, 0, 0);

/** Creates an organization with a unique name. */
const anOrganization = async (settings: object = {}) => {
  const name = `o-${base58(8)}`;
  const response = await admin('create-organization', { name, email: `${name}@example.com`, ...settings });
  return { name, ...response } as Awaited<ReturnType<typeof admin>> & { name: string };
};

const aWorkspace = async (
  organization: string,
  project: string,
  request: Parameters<typeof newWorkspace>[1] = { name: `w-${base58(8)}` },
  known?: Parameters<typeof newWorkspace>[2],
): Promise<Workspace> => {
  const workspace = newWorkspace({ organization, project }, request, known);
  await opened.workspaces.create(workspace, 4);
  return workspace;
};

const drop = async (workspace: Workspace) => {
  const current = (await opened.workspaces.find(workspace.id)) as Workspace;
  const request = { id: base58(8), principal: { kind: 'user', id: 'user-x', name: 'x' } as const };
  await opened.workspaces.apply(current, forceDelete(request, clock()), request);
};

const rejected = (status: string, detail: string | RegExp, pointer?: string) => ({
  errors: [
    expect.objectContaining({
      status,
      detail: expect.stringMatching(detail),
      ...(pointer !== undefined && { source: { pointer } }),
    }),
  ],
});

const isHealthy = async () =>
  expect(await opened.check()).toMatchObject({ findingCount: 0, findings: [], closing: [] });

describe('admin commands', () => {
  test('are all listed by help, with their parameters', async () => {
    const { commands } = await admin('help');
    expect(Object.keys(commands)).toEqual(Object.keys(descriptions).map(commandName));
    expect(commands['create-organization']).toEqual({
      does: expect.any(String),
      parameters: expect.objectContaining({
        name: expect.any(String),
        'plan?': expect.stringContaining('free, standard, plus'),
      }),
    });
  });

  test('help with the name of an admin command describes only that command', async () => {
    const { commands } = await admin('help');
    const described = await admin('help', { of: 'create-team' });
    expect(described['commands']).toEqual({ 'create-team': commands['create-team'] });
  });

  test.each([
    [{ command: 'launch' }, '400', /^There is no command launch; use one of: help, create-organization/],
    [{}, '400', /^The command is missing/],
    [null, '400', /^The command is missing/],
    [[], '400', /^The command is missing/],
    [{ command: 'toString' }, '400', /^There is no command toString/],
    [
      { command: 'create-organization', name: 'a' },
      '422',
      /^Required parameters are missing: email \(E-mail address\)$/,
    ],
    [{ command: 'create-organization' }, '422', /: name \(Its name: .*\), email \(/],
    [{ command: 'help', of: 'launch' }, '422', /^There is no command launch; use one of: help, /],
    [{ command: 'create-organization', name: 'a b', email: 'a@b.c' }, '422', /^name must be of the form/],
    [{ command: 'create-organization', name: 'a'.repeat(41), email: 'a@b.c' }, '422', /^name is too long.*40/],
    [{ command: 'create-organization', name: 'a', email: 'a@b.c', plan: 'gold' }, '422', /^plan must be one of: free/],
    [{ command: 'create-organization', name: 'a', email: 'a@b.c', nmae: 'b' }, '422', /^There is no parameter nmae/],
    [
      { command: 'create-organization', name: 'a', email: 'a@b.c', assessmentsEnforced: 'yes' },
      '422',
      /must be true or false/,
    ],
    [{ command: 'create-organization', name: 'a', email: 5 }, '422', /^email must be of type string/],
    [{ command: 'help', __proto__: 1, constructor: 1 }, '422', /^There is no parameter constructor/],
  ])('reject %j with %s', async (event, status, detail) => {
    const { command, ...parameters } = (event ?? {}) as { command: string };
    expect(await admin(command, parameters)).toEqual(rejected(status, detail));
  });
});

describe('an organization', () => {
  test('is created with a default project, an owners team and a working token of its owner', async () => {
    const { name, organization, user, token } = await anOrganization({ owner: 'ada', plan: 'plus' });
    expect(organization).toMatchObject({ name, plan: 'plus', defaultExecutionMode: 'remote' });
    expect(user).toMatchObject({ username: 'ada' });
    const digest = readBearer(`Bearer ${token}`) ?? '';
    const identity = await identities().findToken(digest, true);
    expect(identity?.principal).toEqual({
      kind: 'user',
      id: user.id,
      name: 'ada',
      token: expect.stringMatching(/^at-/),
    });
    expect(await identities().findTeams(user.id, name)).toEqual([organization.ownersTeam]);
    expect(await directory().organizations.find(name, true)).toMatchObject({
      access: { [organization.ownersTeam]: 'owners' },
      shards: 4,
    });
    expect(await directory().projects.find(organization.defaultProject, true)).toMatchObject({
      name: 'Default Project',
      organization: name,
      defaultExecutionMode: null,
      access: {},
    });
  });

  test('distributes its projects over the number of shards that it is created with', async () => {
    const { name } = await anOrganization({ shards: '16' });
    expect(await directory().organizations.find(name, true)).toMatchObject({ shards: 16 });
    for (let index = 0; index < 40; index++)
      await admin('create-project', { organization: name, name: `project-${index}` });
    const rows = await listRows(engine.database, name);
    expect(rows).toHaveLength(41);
    for (const { id, l } of rows) expect(l).toBe(listPartition.workspacesOf(name, String(id), 16));
    await isHealthy();
  });

  test('rejects a number of shards that is not a power of two', async () => {
    expect(await admin('create-organization', { name: 'twelve', email: 'a@b.c', shards: '12' })).toEqual(
      rejected('422', /^shards must be one of: 4, 8, 16, 32, 64/),
    );
  });

  test('is checked by check-table, which reports a row in a wrong partition', async () => {
    const { name, organization } = await anOrganization({ shards: '8' });
    const workspaces = Array.from({ length: 20 }, () =>
      newWorkspace({ organization: name, project: organization.defaultProject }, { name: `w-${base58(8)}` }),
    );
    const partition = ({ id }: Workspace, shards: number) => listPartition.workspacesOf(name, id, shards);
    const workspace = workspaces.find((one) => partition(one, 8) !== partition(one, 4)) as Workspace;
    await opened.workspaces.create(workspace, 8);
    const lay = (shards: number) =>
      engine.database.write({
        kind: 'update',
        key: keys.workspace(workspace.id),
        UpdateExpression: 'SET l = :l',
        ExpressionAttributeValues: { ':l': partition(workspace, shards) },
      });
    const found = async () =>
      (await opened.check()).findings.filter(({ key }) => key.includes(workspace.id)).map(({ problem }) => problem);
    await lay(4);
    expect(await found()).toEqual(['it is in the wrong partition of the list index']);
    await lay(8);
    await isHealthy();
  });

  test('does not show the time of a resharding that an earlier release did not finish', async () => {
    const { name, organization } = await anOrganization();
    await engine.database.write({
      kind: 'update',
      key: keys.organization(name),
      UpdateExpression: 'SET spreadAt = :at',
      ExpressionAttributeValues: { ':at': 1 },
    });
    expect(await admin('update-organization', { name, email: organization.email })).toEqual({ organization });
    expect(await directory().organizations.find(name, true)).not.toHaveProperty('spreadAt');
    await isHealthy();
  });

  test('is returned as it is, without a token, when it is created a second time', async () => {
    const { name, organization } = await anOrganization();
    expect(await admin('create-organization', { name, email: 'x@example.com', plan: 'plus' })).toEqual({
      organization,
    });
  });

  test('is created once by many concurrent commands, and only one of them gets the token', async () => {
    const name = `o-${base58(8)}`;
    const make = () => admin('create-organization', { name, email: 'racer@example.com' });
    const responses = await Promise.all(Array.from({ length: 8 }, make));
    expect(new Set(responses.map(({ organization }) => organization.externalId)).size).toBe(1);
    expect(responses.filter(({ token }) => token !== undefined)).toHaveLength(1);
    await isHealthy();
  });

  test('accepts an existing user as its owner', async () => {
    const { user } = await anOrganization({ owner: 'grace' });
    expect(await anOrganization({ owner: 'grace' })).toMatchObject({ user, token: expect.stringMatching(/^hfu_/) });
  });

  test('changes its settings, but never its name', async () => {
    const { name } = await anOrganization();
    expect(await admin('update-organization', { name, allowForceDeleteWorkspaces: 'true' })).toMatchObject({
      organization: { allowForceDeleteWorkspaces: true, plan: 'free' },
    });
    expect(await admin('update-organization', { name, newName: 'other' })).toEqual(
      rejected('422', /no parameter newName/),
    );
    expect(await admin('update-organization', { name: 'nobody' })).toEqual(rejected('404', /no organization/));
  });

  test('requires a default agent pool for agent execution mode', async () => {
    const { name } = await anOrganization();
    const agent = { name, defaultExecutionMode: 'agent' };
    expect(await admin('update-organization', agent)).toEqual(rejected('422', /Agent pool must/, '/defaultAgentPool'));
    const { agentPool } = await admin('create-agent-pool', { organization: name, name: 'pool 1' });
    expect(await admin('update-organization', { ...agent, defaultAgentPool: 'none' })).toEqual(
      rejected('422', /does not exist/),
    );
    expect(await admin('update-organization', { ...agent, defaultAgentPool: 'pool 1' })).toMatchObject({
      organization: { defaultExecutionMode: 'agent', defaultAgentPool: agentPool.id },
    });
    expect(await admin('update-organization', { name, defaultAgentPool: '' })).toEqual(rejected('422', /must be/));
    const made = await anOrganization({ defaultExecutionMode: 'agent', defaultAgentPool: 'own' });
    expect(made['organization'].defaultAgentPool).toMatch(/^apool-/);
  });

  test('is not deleted while it has workspaces, and is then deleted with everything in it, which frees its name', async () => {
    const { name, organization } = await anOrganization({ owner: 'linus' });
    const workspace = await aWorkspace(name, organization.defaultProject);
    await admin('create-team', { organization: name, name: 'devs', permissions: 'read-workspaces' });
    await admin('add-member', { organization: name, team: 'devs', username: 'linus' });
    await admin('create-token', { kind: 'team', organization: name, team: 'devs' });
    const { token } = await admin('create-token', { kind: 'organization', organization: name });
    await admin('create-agent-pool', { organization: name, name: 'pool' });
    await storeSshKey(opened.directory, name, 'key');
    expect(await admin('delete-organization', { name })).toEqual(rejected('409', /still has 1 workspace\./));
    expect(await directory().organizations.find(name, true)).toBeDefined();

    await drop(workspace);
    expect(await admin('delete-organization', { name })).toEqual({ deleted: name });
    expect(await directory().organizations.find(name, true)).toBeUndefined();
    expect(await identities().findToken(digestOf(token), true)).toBeUndefined();
    await isHealthy();
    expect(await admin('delete-organization', { name })).toEqual(rejected('404', /no organization/));
    expect((await admin('create-organization', { name, email: 'a@b.c' }))['token']).toMatch(/^hfu_/);
  });

  test('is not found after an interrupted deletion, which a second command completes', async () => {
    const { name } = await anOrganization();
    const broken = openAdmin({
      ...engine.database,
      transact: async (writes, deadline) => {
        if (writes.some(({ key }) => key.pk.startsWith('PRJ#'))) throw new Error('killed');
        return engine.database.transact(writes, deadline);
      },
    });
    await expect(broken.admin('delete-organization', { name })).rejects.toThrow('killed');
    expect(await directory().organizations.find(name, true)).toBeUndefined();
    expect(await admin('create-organization', { name, email: 'a@b.c' })).toEqual(
      rejected('422', 'Name has already been taken', '/name'),
    );
    expect(await admin('create-team', { organization: name, name: 'x' })).toEqual(rejected('404', /no organization/));
    const checked = await opened.check();
    expect(checked).toMatchObject({ findingCount: 0, closing: expect.arrayContaining([`ORG#${name} ORG`]) });
    expect(await admin('delete-organization', { name })).toEqual({ deleted: name });
    await isHealthy();
  });
});

describe('a project', () => {
  test('is created, renamed and found only by its new name', async () => {
    const { name: organization } = await anOrganization();
    const { project, created } = await admin('create-project', { organization, name: 'Web shop', description: 'x' });
    expect(created).toBe(true);
    expect(project).toMatchObject({ id: expect.stringMatching(/^prj-/), name: 'Web shop', description: 'x' });
    const { id } = project;
    expect(await admin('create-project', { organization, name: 'Web shop' })).toMatchObject({
      project: { id, name: 'Web shop' },
      created: false,
    });
    const renamed = await admin('update-project', { organization, name: 'Web shop', newName: 'Shop', description: '' });
    expect(renamed).toMatchObject({ project: { id, name: 'Shop', description: null } });
    expect(await admin('update-project', { organization, name: 'Web shop' })).toEqual(rejected('404', /Web shop/));
    await admin('create-project', { organization, name: 'Web shop' });
    expect(await admin('update-project', { organization, name: project.id, newName: 'Web shop' })).toEqual(
      rejected('422', /already been taken/, '/name'),
    );
    await isHealthy();
  });

  test('requires agent execution mode and a default agent pool together', async () => {
    const { name: organization } = await anOrganization();
    const project = { organization, name: 'abc' };
    expect(await admin('create-project', { ...project, defaultExecutionMode: 'agent' })).toEqual(
      rejected('422', /must be specified/),
    );
    await admin('create-agent-pool', { organization, name: 'pool' });
    expect(await admin('create-project', { ...project, defaultAgentPool: 'pool' })).toEqual(
      rejected('422', /unless using/),
    );
    const agent = { defaultExecutionMode: 'agent', defaultAgentPool: 'pool' };
    expect(await admin('create-project', { ...project, ...agent })).toMatchObject({
      project: { defaultExecutionMode: 'agent', defaultAgentPool: expect.stringMatching(/^apool-/) },
    });
    expect(await admin('delete-agent-pool', { organization, name: 'pool' })).toEqual(
      rejected('409', /the default of 1 project/),
    );
    expect(await admin('update-project', { ...project, defaultExecutionMode: '' })).toMatchObject({
      project: { defaultExecutionMode: null, defaultAgentPool: null },
    });
    expect(await admin('delete-agent-pool', { organization, name: 'pool' })).toEqual({ deleted: 'pool' });
  });

  test('replaces its tag bindings as a whole', async () => {
    const { name: organization } = await anOrganization();
    const project = { organization, name: 'tagged' };
    const bindings = async (command: string, tagBindings: string | null) => {
      const response = await admin(command, { ...project, tagBindings });
      return response['errors'] ?? response['project'].tagBindings;
    };
    expect(await bindings('create-project', 'env=prod, owner=ada')).toEqual([
      { key: 'env', value: 'prod' },
      { key: 'owner', value: 'ada' },
    ]);
    expect(await bindings('update-project', 'a=1,env=x=y,__proto__=p,constructor=c')).toEqual([
      { key: 'env', value: 'x=y' },
      { key: 'a', value: '1' },
      { key: '__proto__', value: 'p' },
      { key: 'constructor', value: 'c' },
    ]);
    const eleven = Array.from({ length: 11 }, (_, index) => `k${index}=v`).join(',');
    for (const [rejected, reason] of [
      ['env', /not of the form key=value/],
      ['env=', /not of the form/],
      ['=prod', /can't be blank/],
      ['a b=c', /may only contain/],
      ['a=b c', /may only contain/],
      ['hc:a=b', /may not begin with/],
      ['a=b,a=c', /given twice/],
      [`${'k'.repeat(129)}=v`, /too long/],
      [`k=${'v'.repeat(257)}`, /too long/],
      [eleven, /at most 10/],
    ] as const) {
      expect(await bindings('update-project', rejected), rejected).toEqual([
        expect.objectContaining({ status: '422', detail: expect.stringMatching(reason) }),
      ]);
    }
    expect(await bindings('update-project', '')).toEqual([]);
    await isHealthy();
  });

  test('is not deleted while it has workspaces, and the default project never is', async () => {
    const { name: organization } = await anOrganization();
    const { project } = await admin('create-project', { organization, name: 'full' });
    const workspaces = [await aWorkspace(organization, project.id), await aWorkspace(organization, project.id)];
    expect(await admin('delete-project', { organization, name: 'full' })).toEqual(
      rejected('409', /still has 2 workspaces/),
    );
    expect(await directory().projects.find(project.id, true)).toBeDefined();
    for (const workspace of workspaces) await drop(workspace);
    expect(await admin('delete-project', { organization, name: 'full' })).toEqual({ deleted: 'full' });
    expect(await directory().projects.find(project.id, true)).toBeUndefined();
    expect(await admin('delete-project', { organization, name: 'Default Project' })).toEqual(
      rejected('422', /default project/),
    );
    await isHealthy();
  });

  test('is restored when a workspace is created in it during its deletion', async () => {
    const { name: organization } = await anOrganization();
    const { project } = await admin('create-project', { organization, name: 'busy' });
    const racing = openAdmin({
      ...engine.database,
      write: async (write, deadline) => {
        const item = await engine.database.write(write, deadline);
        // The request read the project before its deletion was marked.
        if (write.key.pk === `PRJ#${project.id}`) await aWorkspace(organization, project.id);
        return item;
      },
    });
    expect(await racing.admin('delete-project', { organization, name: 'busy' })).toEqual(
      rejected('409', /1 workspace/),
    );
    expect(await directory().projects.find(project.id, true)).toBeDefined();
    await isHealthy();
  });
});

describe('a team', () => {
  const permissionsOf = async (organization: string, team: string) =>
    (await directory().organizations.find(organization, true))?.access[team];

  test('has permissions that are copied to its organization', async () => {
    const { name: organization } = await anOrganization();
    const { team } = await admin('create-team', {
      organization,
      name: 'ops',
      permissions: 'read-workspaces, manage-workspaces,manage-projects',
    });
    expect(await permissionsOf(organization, team.id)).toEqual([
      'manage-workspaces',
      'manage-projects',
      'read-workspaces',
    ]);
    expect(team).toMatchObject({ visibility: 'secret' });
    await admin('update-team', { organization, name: 'ops', permissions: ['read-workspaces'], newName: 'readers' });
    expect(await permissionsOf(organization, team.id)).toEqual(['read-workspaces']);
    await admin('update-team', { organization, name: 'readers', permissions: '' });
    expect(await permissionsOf(organization, team.id)).toBeUndefined();
    await isHealthy();
  });

  test.each([
    ['manage-projects,read-workspaces', /manage-projects requires manage-workspaces/],
    ['read-projects', /read-projects requires read-workspaces/],
    ['fly', /fly is not a permission/],
  ])('rejects the permissions %s', async (permissions, detail) => {
    const { name: organization } = await anOrganization();
    expect(await admin('create-team', { organization, name: 'x', permissions })).toEqual(
      rejected('422', detail, '/permissions'),
    );
  });

  test('is deleted with its grants, members and tokens, but the owners team is not deletable', async () => {
    const { name: organization, organization: made } = await anOrganization();
    await admin('create-user', { username: 'mae', email: 'mae@example.com' });
    const { team } = await admin('create-team', { organization, name: 'devs', permissions: 'read-workspaces' });
    await admin('add-member', { organization, team: 'devs', username: 'mae' });
    const { token } = await admin('create-token', { kind: 'team', organization, team: 'devs' });
    const workspace = await aWorkspace(organization, made.defaultProject);
    await admin('grant-access', { organization, team: 'devs', workspace: workspace.name, access: 'write' });
    await admin('grant-access', { organization, team: 'devs', project: 'Default Project', access: 'maintain' });
    expect(await admin('delete-team', { organization, name: 'devs' })).toEqual({ deleted: 'devs' });
    expect(await identities().findToken(digestOf(token), true)).toBeUndefined();
    expect((await opened.workspaces.find(workspace.id))?.access).toEqual({});
    expect((await directory().projects.find(made.defaultProject, true))?.access).toEqual({});
    expect(await permissionsOf(organization, team.id)).toBeUndefined();
    await isHealthy();
    expect(await admin('delete-team', { organization, name: 'owners' })).toEqual(rejected('422', /owners team/));
    expect(await admin('update-team', { organization, name: 'owners', newName: 'x' })).toEqual(
      rejected('422', /owners/),
    );
    expect(await admin('update-team', { organization, name: 'owners', permissions: '' })).toEqual(
      rejected('422', /every/),
    );
  });
});

describe('a user', () => {
  test('joins and leaves teams, and keeps a working token after a rename', async () => {
    const { name: organization } = await anOrganization();
    const { user } = await admin('create-user', { username: 'bob', email: 'bob@example.com', serviceAccount: 'true' });
    expect(user).toMatchObject({ serviceAccount: true });
    const { team } = await admin('create-team', { organization, name: 'devs' });
    const member = { organization, team: 'devs', username: 'bob' };
    expect(await admin('add-member', member)).toMatchObject({ created: true });
    expect(await admin('add-member', member)).toMatchObject({ created: false });
    expect(await identities().findTeams(user.id, organization)).toEqual([team.id]);
    const { token } = await admin('create-token', { kind: 'user', username: 'bob' });
    await admin('update-user', { username: 'bob', newUsername: 'robert' });
    expect((await identities().findToken(digestOf(token), true))?.principal.name).toBe('robert');
    expect(await admin('create-token', { kind: 'user', username: 'bob' })).toEqual(rejected('404', /no user bob/));
    await admin('remove-member', { ...member, username: 'robert' });
    await admin('remove-member', { ...member, username: 'robert' });
    expect(await identities().findTeams(user.id, organization)).toEqual([]);
    await isHealthy();
  });

  test('is not removed as the last owner, even when two owners remove each other concurrently', async () => {
    const { name: organization, user: first } = await anOrganization();
    const owners = { organization, team: 'owners' };
    const leave = (username: string) => admin('remove-member', { ...owners, username });
    expect(await leave(first.username)).toEqual(rejected('409', /no owner/));
    expect(await admin('delete-user', { username: first.username })).toEqual(rejected('409', /no owner/));

    for (let round = 0; round < 5; round++) {
      const second = `second-${base58(6)}`;
      await admin('create-user', { username: second, email: 'second@example.com' });
      await admin('add-member', { ...owners, username: second });
      const responses = await Promise.all([leave(first.username), leave(second)]);
      expect(responses.filter((response) => 'errors' in response)).toHaveLength(1);
      await admin('add-member', { ...owners, username: first.username });
      await leave(second);
    }
    await isHealthy();
  });

  test('is deleted with its memberships and tokens', async () => {
    const { name: organization } = await anOrganization();
    await admin('create-user', { username: 'eve', email: 'eve@example.com' });
    await admin('add-member', { organization, team: 'owners', username: 'eve' });
    const { token } = await admin('create-token', { kind: 'user', username: 'eve' });
    expect(await admin('delete-user', { username: 'eve' })).toEqual({ deleted: 'eve' });
    expect(await identities().findToken(digestOf(token), true)).toBeUndefined();
    expect(await admin('delete-user', { username: 'eve' })).toEqual(rejected('404', /no user eve/));
    await isHealthy();
    expect(await admin('create-user', { username: 'eve', email: 'eve@example.com' })).toMatchObject({ created: true });
  });
});

describe('a token', () => {
  test('is no longer valid once it is revoked or expires', async () => {
    await admin('create-user', { username: 'tim', email: 'tim@example.com' });
    const expiresAt = new Date(clock() + 60_000).toISOString();
    const { id, token } = await admin('create-token', { kind: 'user', username: 'tim', expiresAt });
    const find = (at: number) =>
      openIdentities(engine.database, () => at, 0, 0).findToken(readBearer(`Bearer ${token}`) ?? '', true);
    expect(await find(clock())).toBeDefined();
    expect(await find(clock() + 61_000)).toBeUndefined();
    expect(await admin('revoke-token', { id })).toEqual({ revoked: id });
    expect(await find(clock())).toBeUndefined();
    expect(await admin('revoke-token', { id })).toEqual(rejected('404', /no token/));
    expect(await admin('revoke-token', { id: 'x' })).toEqual(rejected('404', /no token/));
    const leaked = await admin('create-token', { kind: 'user', username: 'tim' });
    expect(await admin('revoke-token', { token: leaked['token'] })).toEqual({ revoked: leaked['id'] });
    expect(await admin('revoke-token', { token: leaked['token'] })).toEqual(rejected('404', /no token/));
    expect(await admin('revoke-token', {})).toEqual(rejected('422', /id and token/));
  });

  test('is replaced by a new one if it is the token of an organization', async () => {
    const { name: organization } = await anOrganization();
    const make = () => admin('create-token', { kind: 'organization', organization });
    const { token: first } = await make();
    const { token: second, id } = await make();
    expect(await identities().findToken(digestOf(first), true)).toBeUndefined();
    expect((await identities().findToken(digestOf(second), true))?.principal).toEqual({
      kind: 'organization',
      id: organization,
      name: organization,
      organization,
      token: id,
    });
    await Promise.all([make(), make(), make(), make()]);
    const tokens = await findTokens(engine.database, { kind: 'organization', id: organization });
    expect(tokens).toHaveLength(1);
    await admin('revoke-token', { id: tokens[0]?.['id'] });
    expect(await admin('revoke-token', { id })).toEqual(rejected('404', /no token/));
    await isHealthy();
  });

  test.each([
    [{ kind: 'user' }, /^username is missing/],
    [{ kind: 'team', organization: 'x' }, /^team is missing/],
    [{ kind: 'user', username: 'ada', team: 'x' }, /^team is not allowed/],
    [{ kind: 'user', username: 'ada', expiresAt: '2020-01-01T00:00:00Z' }, /in the future/],
    [{ kind: 'user', username: 'ada', expiresAt: 'tomorrow' }, /such as/],
    [{ kind: 'user', username: 'ada', expiresAt: '2030-13-41T00:00:00Z' }, /such as/],
    [{ kind: 'user', username: 'ada', expiresAt: '2099-02-30T00:00:00Z' }, /such as/],
  ])('is rejected with the parameters %j', async (parameters, detail) => {
    expect(await admin('create-token', parameters)).toEqual(rejected('422', detail));
  });
});

describe('a team access grant', () => {
  test('is recorded as a change of the workspace, refreshes its list row, and is applied once', async () => {
    const { name: organization, organization: made } = await anOrganization();
    const { team } = await admin('create-team', { organization, name: 'devs' });
    const workspace = await aWorkspace(organization, made.defaultProject);
    const { listedAt } = (await opened.workspaces.find(workspace.id)) as Workspace;
    const grant = { organization, team: 'devs', workspace: workspace.name, access: 'plan' };
    expect(await admin('grant-access', grant)).toEqual({ team: team.id, workspace: workspace.id, access: 'plan' });
    await admin('grant-access', grant);
    const granted = await opened.workspaces.find(workspace.id);
    expect(granted).toMatchObject({
      access: { [team.id]: 'plan' },
      sequence: 2,
      change: { type: 'workspace.access-changed' },
    });
    const rows = await listRows(engine.database, organization);
    expect(rows.find(({ id }) => id === workspace.id)).toMatchObject({ acc: { [team.id]: 'plan' } });
    expect(granted?.listedAt).toBeGreaterThan(listedAt);
    const custom = { access: 'custom', runs: 'plan', stateVersions: 'read-outputs', workspaceLocking: 'true' };
    await admin('grant-access', { ...grant, ...custom, workspace: workspace.id });
    expect((await opened.workspaces.find(workspace.id))?.access[team.id]).toEqual({
      runs: 'plan',
      stateVersions: 'read-outputs',
      workspaceLocking: true,
    });
    await admin('revoke-access', { organization, team: team.id, workspace: workspace.name });
    expect((await opened.workspaces.find(workspace.id))?.access).toEqual({});
  });

  test('is stored on the project if it is for a project, and refreshes its list row', async () => {
    const { name: organization, organization: made } = await anOrganization();
    const { team } = await admin('create-team', { organization, name: 'devs' });
    const row = async () => {
      const rows = await opened.directory.records.list('project', organization);
      return rows.find(({ id }) => id === made.defaultProject);
    };
    const before = await row();
    const grant = { organization, team: 'devs', project: 'Default Project' };
    await admin('grant-access', { ...grant, access: 'custom', create: 'true', runs: 'apply' });
    const after = await row();
    expect(after?.['acc']).toEqual({ [team.id]: { create: true, runs: 'apply' } });
    expect(Number(after?.['lk'])).toBeGreaterThan(Number(before?.['lk']));
    await admin('revoke-access', grant);
    expect((await row())?.['acc']).toEqual({});
  });

  test.each([
    [{ project: 'Default Project', access: 'plan' }, '422', /must be one of: read, write, maintain, admin, custom/],
    [{ workspace: 'w', access: 'maintain' }, '422', /must be one of: read, plan, write, admin, custom/],
    [
      { project: 'Default Project', access: 'read', runs: 'plan' },
      '422',
      /^Runs is read-only when access level is 'read'/,
    ],
    [{ project: 'Default Project', access: 'read', stateVersions: 'read' }, '422', /^State versions is read-only/],
    [{ workspace: 'w', access: 'custom', create: true }, '422', /create is not allowed/],
    [{ workspace: 'w', access: 'read' }, '404', /no workspace w/],
    [{ project: 'nope', access: 'read' }, '404', /no project nope/],
    [{ access: 'read' }, '422', /Exactly one/],
    [{ project: 'a', workspace: 'b', access: 'read' }, '422', /Exactly one/],
  ])('is rejected with the parameters %j', async (parameters, status, detail) => {
    const { name: organization } = await anOrganization();
    await admin('create-team', { organization, name: 'devs' });
    expect(await admin('grant-access', { organization, team: 'devs', ...parameters })).toEqual(
      rejected(status, detail),
    );
  });
});

describe('an admin record', () => {
  test('is not deleted while it is in use: agent pool, VCS connection, app installation', async () => {
    const { name: organization, organization: made } = await anOrganization();
    const project = made.defaultProject;
    const { agentPool } = await admin('create-agent-pool', { organization, name: 'pool' });
    const { vcsConnection } = await admin('create-vcs-connection', {
      organization,
      name: 'hub',
      serviceProvider: 'github',
      httpUrl: 'https://github.com',
    });
    const references = directory().records.findReferences({ agentPool: agentPool.id, vcsConnection: vcsConnection.id });
    expect(await references.within(organization)).toMatchObject({
      agentPool: { name: 'pool', organization },
      vcsConnection: { name: 'hub' },
    });
    const pooled = await aWorkspace(
      organization,
      project,
      { name: 'pooled', executionMode: 'agent', agentPool: agentPool.id },
      { agentPool },
    );
    const vcsRepo = { identifier: 'org/repo', oauthTokenId: vcsConnection.id };
    const connected = await aWorkspace(organization, project, { name: 'connected', vcsRepo }, { vcsConnection });
    const remove = (kind: string, name: string) => admin(`delete-${kind}`, { organization, name });
    expect(await remove('agent-pool', 'pool')).toEqual(rejected('409', /used by 1 workspace\./));
    expect(await remove('vcs-connection', 'hub')).toEqual(rejected('409', /used by 1 workspace\./));
    await isHealthy();

    await admin('update-vcs-connection', {
      organization,
      name: 'hub',
      newName: 'forge',
      httpUrl: 'https://git.example',
    });
    expect((await opened.workspaces.find(connected.id))?.vcsRepo).toMatchObject({
      clientName: 'forge',
      httpUrl: 'https://git.example',
      identifier: 'org/repo',
    });

    for (const workspace of [pooled, connected]) await drop(workspace);
    expect(await remove('agent-pool', 'pool')).toEqual({ deleted: 'pool' });
    expect(await remove('vcs-connection', 'forge')).toEqual({ deleted: 'forge' });
    expect(await directory().records.findReferences({ agentPool: agentPool.id }).within(organization)).toEqual({});
    await admin('create-app-installation', { organization, name: 'app' });
    expect(await remove('app-installation', 'app')).toEqual({ deleted: 'app' });
    expect(await remove('app-installation', 'app')).toEqual(rejected('404', /no app installation app/));
    await isHealthy();
  });

  test('can only be deleted if it is an SSH key, which is then unassigned from its workspaces', async () => {
    const { name: organization, organization: made } = await anOrganization();
    const sshKey = await storeSshKey(opened.directory, organization, 'deploy');
    const workspace = {
      ...newWorkspace({ organization, project: made.defaultProject }, { name: 'w' }),
      sshKey: sshKey.id,
    };
    await opened.workspaces.create(workspace, 4);
    expect(await admin('delete-ssh-key', { organization, name: 'deploy' })).toEqual({ deleted: 'deploy' });
    expect((await opened.workspaces.find(workspace.id))?.sshKey).toBeNull();
    await isHealthy();
  });
});

test('adds and removes releases repeatedly', async () => {
  const versions = () => openDirectory(engine.database, clock).releases.find();
  expect(await admin('create-release', { version: '9.9.9' })).toEqual({ release: { version: '9.9.9' } });
  await admin('create-release', { version: '9.9.9' });
  await admin('delete-release', { version: '1.5.7' });
  expect(await versions()).toContain('9.9.9');
  expect(await versions()).not.toContain('1.5.7');
  await admin('delete-release', { version: '9.9.9' });
  await admin('create-release', { version: '1.5.7' });
  expect(await versions()).not.toContain('9.9.9');
  expect(await versions()).toContain('1.5.7');
  expect(await admin('create-release', { version: '~> 1.5' })).toEqual(rejected('422', /full version/, '/version'));
  await isHealthy();
});

describe('an admin write whose response is lost', () => {
  /** A database that applies every write and loses every second response. */
  const openLossy = () => {
    let count = 0;
    const lose = <R>(result: R): R => {
      count += 1;
      if (count % 2 === 1) throw new NoResponse('lost');
      return result;
    };
    const { database } = engine;
    return openAdmin({
      ...database,
      write: async (write, deadline) => lose(await database.write(write, deadline)),
      transact: async (writes, deadline) => lose(await database.transact(writes, deadline)),
    });
  };

  test('is repeated, and recognized if it was applied', async () => {
    const lossy = openLossy();
    const organization = `o-${base58(8)}`;
    const made = await lossy.admin('create-organization', { name: organization, email: 'a@b.c', owner: 'lost' });
    expect(await identities().findToken(digestOf(made['token']), true)).toBeDefined();
    const named = { organization, name: 'abc' };
    expect(await lossy.admin('create-project', named)).toMatchObject({ created: true });
    expect(await lossy.admin('create-team', { ...named, permissions: 'read-workspaces' })).toMatchObject({
      created: true,
    });
    expect(await lossy.admin('create-agent-pool', named)).toMatchObject({ created: true });
    expect(await lossy.admin('create-user', { username: 'found', email: 'a@b.c' })).toMatchObject({ created: true });
    expect(await lossy.admin('add-member', { organization, team: 'abc', username: 'found' })).toMatchObject({
      created: true,
    });
    expect(await lossy.admin('update-team', { ...named, newName: 'def' })).toMatchObject({ team: { name: 'def' } });
    expect(await lossy.admin('update-user', { username: 'found', newUsername: 'kept' })).toMatchObject({
      user: { username: 'kept' },
    });
    for (const kind of ['user', 'team', 'organization']) {
      const whose = { user: { username: 'kept' }, team: { organization, team: 'def' }, organization: { organization } };
      const { id, token } = await lossy.admin('create-token', { kind, ...whose[kind as keyof typeof whose] });
      expect(await identities().findToken(digestOf(token), true)).toBeDefined();
      expect(await lossy.admin('revoke-token', { id })).toEqual({ revoked: id });
    }
    await isHealthy();
    expect(await lossy.admin('delete-team', { organization, name: 'def' })).toEqual({ deleted: 'def' });
    expect(await lossy.admin('delete-project', named)).toEqual({ deleted: 'abc' });
    expect(await lossy.admin('delete-user', { username: 'kept' })).toEqual({ deleted: 'kept' });
    expect(await lossy.admin('delete-organization', { name: organization })).toEqual({ deleted: organization });
    await isHealthy();
  });
});

describe('a crash between any two writes', () => {
  /** Admin commands whose process is killed immediately before the nth write. */
  const openKilled = (survives: number) => {
    let left = survives;
    const guarded = <R>(write: () => R): R => {
      left -= 1;
      if (left < 0) throw new Error('killed');
      return write();
    };
    const { database } = engine;
    return openAdmin({
      ...database,
      write: async (write, deadline) => guarded(() => database.write(write, deadline)),
      transact: async (writes, deadline) => guarded(() => database.transact(writes, deadline)),
    });
  };

  const prepare = async () => {
    const { name: organization, organization: made } = await anOrganization({ owner: 'survivor' });
    const { team } = await admin('create-team', { organization, name: 'devs', permissions: 'read-workspaces' });
    await admin('add-member', { organization, team: 'devs', username: 'survivor' });
    await admin('create-token', { kind: 'team', organization, team: 'devs' });
    await admin('create-token', { kind: 'organization', organization });
    const workspace = await aWorkspace(organization, made.defaultProject);
    await admin('grant-access', { organization, team: 'devs', workspace: workspace.id, access: 'write' });
    await admin('grant-access', { organization, team: 'devs', project: 'Default Project', access: 'read' });
    return { organization, workspace, team };
  };

  test.each(['delete-team', 'delete-organization'])(
    'leaves a %s command that can be repeated, and no orphaned items',
    async (command) => {
      for (let survives = 0; ; survives++) {
        const { organization, workspace, team } = await prepare();
        if (command === 'delete-organization') {
          // Otherwise the organization stays until the cleanup has removed the id of the access.
          await admin('revoke-access', { organization, team: 'devs', workspace: workspace.id });
          await drop(workspace);
        }
        const target = command === 'delete-team' ? { organization, name: 'devs' } : { name: organization };
        const killed = await openKilled(survives)
          .admin(command, target)
          .then(
            () => false,
            () => true,
          );
        expect(await opened.check()).toMatchObject({ findingCount: 0, findings: [] });
        if (!killed) {
          expect(survives).toBeGreaterThan(4);
          return;
        }
        // The name of a team is released before its dependants are removed, so the command may not find it again.
        if (command === 'delete-team') await opened.removal.finish(serviceRequest('cleanup'), keys.team(team.id));
        else expect(await admin(command, target)).toHaveProperty('deleted');
        expect(await opened.check()).toMatchObject({ findingCount: 0, findings: [] });
        expect((await opened.check()).closing.filter((key) => key.includes(organization))).toEqual([]);
      }
    },
  );
});
