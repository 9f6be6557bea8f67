import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { exists } from '../../../shared/domain/changes/conditions.ts';
import { automationCommands } from '../../../shared/schemas/automation-commands.ts';
import { commandName } from '../../../shared/schemas/command-name.ts';
import { checkTable } from '../../../shared/store/consistency-check/check-table.ts';
import { keys } from '../../../shared/store/dynamodb/keys.ts';
import { update } from '../../../shared/store/items/item-write.ts';
import { workspaceOf } from '../../../shared/store/items/workspace-items.ts';
import { type Api, startApi } from '../../support/api/api.ts';
import { scanItems } from '../../support/engine/scan-items.ts';

/** Automation commands run API operations by name, without a token, and once for each command id. */
let api: Api;
let owner: string;
let principal: string;
let count = 0;

const by = { organization: 'acme', principal: 'pipeline' };
const command = (name: string, parameters: object = {}) =>
  api.automate({ command: name, id: `c-${++count}`, ...by, ...parameters });
const show = (id: string) => api.request('GET', `/workspaces/${id}`, { token: owner });
const createWorkspace = async (name = `made-${++count}`) => {
  const { data } = await command('create', { attributes: { name } });
  return { id: data.id as string, name };
};
/** Reads all items of the table. */
const readAllItems = async () => {
  const items: unknown[] = [];
  for await (const item of scanItems(api.engine.database)) items.push(item);
  return items;
};
const conflict = { errors: [expect.objectContaining({ status: '409', title: 'conflict' })] };

beforeAll(async () => {
  api = await startApi({ deletedWorkspaceDays: 14 });
  ({ token: owner } = await api.admin('create-organization', { name: 'acme', email: 'ada@example.com' }));
  const { team } = await api.admin('create-team', {
    organization: 'acme',
    name: 'pipeline',
    permissions: 'manage-workspaces',
    service: true,
  });
  principal = team.id;
  await api.admin('create-team', { organization: 'acme', name: 'people', permissions: 'manage-workspaces' });
});

afterAll(async () => {
  expect((await checkTable(api.engine.database)).findings).toEqual([]);
  await api.stop();
});

describe('automation command', () => {
  it('returns the same document as the API request', async () => {
    const { id, name } = await createWorkspace();
    const shown = await command('show', { workspace: name });
    expect(shown.data).toMatchObject({ id, type: 'workspaces', attributes: { name, locked: false } });
    expect((await command('show', { workspace: id })).data).toEqual(shown.data);
    expect((await show(id)).body.data.attributes.name).toBe(name);
  });

  it('acts as its service principal and uses the grants of that team', async () => {
    const { id, name } = await createWorkspace();
    const locked = await command('lock', { workspace: name, reason: 'freeze' });
    expect(locked.data.attributes).toMatchObject({ locked: true, 'locked-reason': 'freeze' });
    expect(locked.data.relationships['locked-by'].data).toEqual({ type: 'teams', id: principal });
    const item = await api.engine.database.get(keys.workspace(id), true);
    expect(item?.['chg']).toMatchObject({
      actor: { kind: 'team', id: principal },
      request: expect.stringMatching(new RegExp(`^command:${principal}:c-${count}:\\w{8}$`)),
    });
    expect(await command('safe-delete', { workspace: name })).toMatchObject(conflict);
    expect((await command('unlock', { workspace: name })).data.attributes.locked).toBe(false);
    expect(await command('unlock', { workspace: name })).toMatchObject(conflict);
    expect(await command('force-delete', { workspace: name })).toMatchObject({ errors: [{ status: '403' }] });
    expect(await command('safe-delete', { workspace: name })).toEqual({ data: null });
    expect((await show(id)).status).toBe(404);
  });

  it('rejects a command in the name of a team that is deleted, unknown or no service principal', async () => {
    const rejected = { errors: [{ status: '422', source: { pointer: '/principal' } }] };
    for (const name of ['people', 'owners', 'nobody']) {
      expect(await command('show', { workspace: 'any', principal: name })).toMatchObject(rejected);
    }
    const { team } = await api.admin('create-team', { organization: 'acme', name: 'short', service: true });
    expect(await command('show', { workspace: 'any', principal: 'short' })).toMatchObject({
      errors: [{ status: '404' }],
    });
    await api.request('DELETE', `/teams/${team.id}`, { token: owner });
    expect(await command('show', { workspace: 'any', principal: 'short' })).toMatchObject(rejected);
  });

  it('cannot be sent over HTTP without a token, whatever the authorization header contains', async () => {
    const { id } = await createWorkspace();
    for (const authorization of [`service:${principal}`, `Bearer service:${principal}`]) {
      const reply = await api.request('GET', `/workspaces/${id}`, { headers: { authorization } });
      expect(reply.status).toBe(401);
    }
  });

  it('returns 404 for workspaces of another organization', async () => {
    const { token } = await api.admin('create-organization', { name: 'other', email: 'eve@example.com' });
    const body = { data: { type: 'workspaces', attributes: { name: 'theirs' } } };
    const { body: created } = await api.request('POST', '/organizations/other/workspaces', { token, body });
    const notFound = { errors: [{ status: '404', title: 'not found' }] };
    expect(await command('show', { workspace: created.data.id })).toEqual(notFound);
    expect(await command('show', { workspace: 'theirs' })).toEqual(notFound);
    expect(await command('request', { method: 'GET', path: '/organizations/other/workspaces' })).toEqual(notFound);
  });
});

describe('kinds of automation commands', () => {
  it('changes settings, tags and tag bindings', async () => {
    const { id, name: workspace } = await createWorkspace();
    await command('update', { workspace, attributes: { description: 'of the net' } });
    await command('add-tags', { workspace, tags: ['net', 'prod'] });
    await command('remove-tags', { workspace, tags: ['prod'] });
    await command('bind-tags', { workspace, bindings: { env: 'live' } });
    const { body } = await show(id);
    expect(body.data.attributes).toMatchObject({ description: 'of the net', 'tag-names': ['net'] });
    const bindings = await command('request', { method: 'GET', path: `/workspaces/${id}/tag-bindings` });
    expect(bindings.data).toContainEqual(
      expect.objectContaining({ attributes: expect.objectContaining({ key: 'env', value: 'live' }) }),
    );
  });

  it('creates or updates a variable with set-variable and deletes it with delete-variable', async () => {
    const { id, name: workspace } = await createWorkspace();
    const variables = async () =>
      (await api.request('GET', `/workspaces/${id}/vars`, { token: owner })).body.data.map(
        ({ attributes: { key, value, category, sensitive } }: { attributes: Record<string, unknown> }) => ({
          ...{ key, value, category, sensitive },
        }),
      );
    for (const value of ['1', '2']) await command('set-variable', { workspace, key: 'size', value });
    await command('set-variable', { workspace, key: 'size', category: 'env', value: 's3cret', sensitive: true });
    expect(await variables()).toEqual([
      { key: 'size', value: null, category: 'env', sensitive: true },
      { key: 'size', value: '2', category: 'infra', sensitive: false },
    ]);
    expect(await command('delete-variable', { workspace, key: 'size' })).toEqual({ data: null });
    expect(await command('delete-variable', { workspace, key: 'size' })).toMatchObject({ errors: [{ status: '404' }] });
    expect(await variables()).toHaveLength(1);
    expect(JSON.stringify(await readAllItems())).not.toContain('s3cret');
  });

  it('changes consumers by workspace name and assigns SSH keys', async () => {
    const [producer, consumer] = [await createWorkspace(), await createWorkspace()];
    const consumers = { workspace: producer.name, consumers: [consumer.name] };
    const path = `/workspaces/${producer.id}/relationships/remote-state-consumers`;
    const ids = async () =>
      (await api.request('GET', path, { token: owner })).body.data.map(({ id }: { id: string }) => id);
    expect(await command('add-consumers', consumers)).toEqual({ data: null });
    expect(await ids()).toEqual([consumer.id]);
    await command('remove-consumers', consumers);
    expect(await ids()).toEqual([]);
    expect(await command('add-consumers', { ...consumers, consumers: ['nobody'] })).toMatchObject({
      errors: [{ status: '422' }],
    });
    const created = await api.request('POST', '/organizations/acme/ssh-keys', {
      token: owner,
      body: { data: { type: 'ssh-keys', attributes: { name: 'key', value: 'PRIVATE' } } },
    });
    const sshKey = created.body.data.id;
    const assigned = await command('assign-ssh-key', { workspace: producer.name, sshKey });
    expect(assigned.data.relationships['ssh-key'].data.id).toBe(sshKey);
    expect(
      (await command('unassign-ssh-key', { workspace: producer.name })).data.relationships['ssh-key'].data,
    ).toBeNull();
  });

  it('force-unlocks a workspace when the service principal has admin access', async () => {
    const { id, name: workspace } = await createWorkspace();
    await api.request('POST', `/workspaces/${id}/actions/lock`, { token: owner });
    expect(await command('unlock', { workspace })).toMatchObject(conflict);
    const unlocked = await command('force-unlock', { workspace, reason: 'the holder has left' });
    expect(unlocked.data.attributes.locked).toBe(false);
    expect((await api.engine.database.get(keys.workspace(id), true))?.['chg']).toMatchObject({
      type: 'workspace.force-unlocked',
      reason: 'the holder has left',
    });
  });

  it('locks a workspace for the time of a lease', async () => {
    const { name: workspace } = await createWorkspace();
    const { data } = await command('lock', { workspace, 'lease-seconds': 90 });
    const { 'locked-at': from, 'lock-expires-at': to } = data.attributes;
    expect(Date.parse(to) - Date.parse(from)).toBe(90_000);
    expect(await command('lock', { workspace, 'lease-seconds': 59 })).toMatchObject({
      errors: [{ status: '422', source: { pointer: '/lease-seconds' } }],
    });
  });

  it('returns a 4xx error for a path outside the API and for a token request', async () => {
    for (const path of ['/nothing', '/teams/team-x/authentication-token', '/%E0%A4%A', '/workspaces/%E0%A4%A']) {
      const { errors } = await command('request', { method: 'POST', path, body: {} });
      expect(Number(errors[0].status)).toBeGreaterThanOrEqual(400);
      expect(Number(errors[0].status)).toBeLessThan(500);
    }
  });
});

describe('help of automation commands', () => {
  it('lists every command with its parameters, or only one', async () => {
    const { usage, commands } = (await api.automate({ command: 'help' } as never)) as never as Record<string, object>;
    expect(usage).toEqual(expect.any(String));
    expect(Object.keys(commands as object)).toEqual(Object.keys(automationCommands).map(commandName));
    expect(await api.automate({ command: 'help', of: 'delete-variable' } as never)).toMatchObject({
      commands: {
        'delete-variable': {
          does: 'Deletes the variable of that key',
          parameters: { key: 'Key of the variable', 'category?': expect.stringContaining('infra') },
        },
      },
    });
  });
});

describe('invalid automation command', () => {
  it.each([
    [undefined, '400', '/command'],
    [null, '400', '/command'],
    [[], '400', '/command'],
    [{ command: 'constructor' }, '400', '/command'],
    [{ command: 'lock' }, '422', '/id'],
    [{ command: 'lock', id: 'x', organization: 'acme', principal: 'pipeline' }, '422', '/workspace'],
    [{ command: 'lock', id: 'a b', ...{ organization: 'acme', principal: 'pipeline', workspace: 'w' } }, '422', '/id'],
    [
      { command: 'lock', id: 'x', ...{ organization: 'acme', principal: 'pipeline', workspace: 'w', why: 1 } },
      '422',
      '/why',
    ],
    [
      { command: 'lock', id: 'x', ...{ organization: 'acme', principal: 'pipeline', workspace: 'w', reason: 1 } },
      '422',
      '/reason',
    ],
  ])('rejects the event %j with status %s and pointer %s', async (event, status, pointer) => {
    const response = await api.automate(event as never);
    expect(response.errors[0]).toMatchObject({ status, source: { pointer } });
  });

  it('rejects invalid parameters of a command with the validation error of the HTTP request', async () => {
    expect(await command('create', { attributes: { name: 'a b' } })).toMatchObject({
      errors: [{ status: '422', source: { pointer: '/data/attributes/name' } }],
    });
  });
});

describe('rejected automation command with "refusals": "throw"', () => {
  const throwing = (name: string, parameters: object = {}) => command(name, { ...parameters, refusals: 'throw' });

  it('ends the invocation with an error that has a name, the status and the detail', async () => {
    const { id, name: workspace } = await createWorkspace();
    await api.request('POST', `/workspaces/${id}/actions/lock`, { token: owner });
    await expect(throwing('lock', { workspace })).rejects.toMatchObject({
      name: 'CommandRefused',
      message: expect.stringMatching(/^409 conflict: .*locked/),
    });
    await expect(throwing('show', { workspace: 'absent' })).rejects.toMatchObject({ message: '404 not found' });
    await expect(throwing('lock')).rejects.toMatchObject({
      name: 'CommandRefused',
      message: expect.stringMatching(/^422 .*\(\/workspace\)$/),
    });
    await expect(throwing('explode')).rejects.toMatchObject({ message: expect.stringMatching(/^400 bad request/) });
  });

  it('a rejected command is rejected again when it is repeated, whether or not it throws', async () => {
    const { id, name: workspace } = await createWorkspace();
    await api.request('POST', `/workspaces/${id}/actions/lock`, { token: owner });
    const repeated = { command: 'lock', id: `t-${++count}`, ...by, workspace };
    await expect(api.automate({ ...repeated, refusals: 'throw' })).rejects.toThrow(/^409/);
    expect(await api.automate(repeated)).toMatchObject(conflict);
    await api.request('POST', `/workspaces/${id}/actions/unlock`, { token: owner });
    await expect(api.automate({ ...repeated, refusals: 'throw' })).rejects.toThrow(/^409/);
  });

  it('returns the response of a command that succeeds', async () => {
    const { name: workspace } = await createWorkspace();
    expect((await throwing('lock', { workspace })).data.attributes.locked).toBe(true);
  });

  it('accepts no other value', async () => {
    expect(await command('lock', { workspace: 'w', refusals: 'ignore' })).toMatchObject({
      errors: [{ status: '422', source: { pointer: '/refusals' } }],
    });
  });
});

describe('automation command on the bus', () => {
  const onBus = (detail: object) => ({ source: 'holdfast.commands', 'detail-type': 'command', id: 'event', detail });

  it('a command on the bus is executed, and its rejection fails no invocation', async () => {
    const { id, name: workspace } = await createWorkspace();
    const lock = { command: 'lock', ...by, workspace };
    await api.automate(onBus({ ...lock, id: `b-${++count}` }));
    expect((await show(id)).body.data.attributes.locked).toBe(true);
    expect(await api.automate(onBus({ ...lock, id: `b-${++count}` }))).toMatchObject(conflict);
    expect(api.deadLetters.received()).toEqual([]);
  });

  it.each([
    ['without id', { command: 'lock', ...by, workspace: 'w' }, /\(\/id\)$/],
    [
      'with "refusals"',
      { command: 'lock', id: 'r', ...by, workspace: 'w', refusals: 'throw' },
      /refusals .*synchronous/,
    ],
    ['with an unknown name', { command: 'explode', id: 'u', ...by }, /command must be one of/],
  ])('goes to the dead-letter queue with a reason when it comes %s', async (_, detail, reason) => {
    const event = onBus(detail);
    const before = api.deadLetters.received().length;
    expect(await api.automate(event)).toHaveProperty('errors');
    expect(api.deadLetters.received().slice(before)).toEqual([{ reason: expect.stringMatching(reason), event }]);
  });

  it.each([
    ['value', { command: 'set-variable', workspace: 'w', key: 'k', value: 'in-no-queue' }],
    ['values', { command: 'set-variable', id: 'v', workspace: 'w', key: 'k', values: 'in-no-queue' }],
    ['key', { command: 'set-variable', id: 'k', workspace: 'w', key: { text: 'in-no-queue' }, value: '1' }],
    ['path, body', { command: 'request', method: 'POST', path: '/x?y=in-no-queue', body: ['in-no-queue'] }],
  ])('goes to the dead-letter queue without the content of %s', async (names, given) => {
    const before = api.deadLetters.received().length;
    expect(await api.automate(onBus({ ...by, ...given }))).toHaveProperty('errors');
    const [letter] = api.deadLetters.received().slice(before);
    expect(letter).toMatchObject({
      reason: expect.stringContaining(names),
      event: { source: 'holdfast.commands', detail: { ...by, command: given.command } },
    });
    expect(JSON.stringify(letter)).not.toContain('in-no-queue');
  });
});

describe('repeated automation command', () => {
  const again = (name: string, parameters: object) => {
    const repeated = { command: name, id: `r-${++count}`, ...by, ...parameters };
    return () => api.automate(repeated);
  };

  it('runs once and returns the first response again', async () => {
    const { name: workspace } = await createWorkspace();
    const lock = again('lock', { workspace });
    const first = await lock();
    expect(first.data.attributes.locked).toBe(true);
    await command('unlock', { workspace });
    expect(await lock()).toEqual(first);
    expect((await command('show', { workspace })).data.attributes.locked).toBe(false);
    const create = again('create', { attributes: { name: 'once' } });
    expect(await create()).toEqual(await create());
  });

  it('shows the workspace as it is now when show or a GET request is repeated', async () => {
    const { id, name: workspace } = await createWorkspace();
    const reads = [again('show', { workspace }), again('request', { method: 'GET', path: `/workspaces/${id}` })];
    for (const read of reads) expect((await read()).data.attributes.locked).toBe(false);
    await command('lock', { workspace });
    for (const read of reads) expect((await read()).data.attributes.locked).toBe(true);
  });

  it('runs once when it is sent several times concurrently', async () => {
    const { id, name: workspace } = await createWorkspace();
    const before = (await api.engine.database.get(keys.workspace(id), true))?.['fence'] as number;
    const lock = again('lock', { workspace });
    const responses = await Promise.all([lock(), lock(), lock(), lock()]);
    for (const response of responses) expect(response).toEqual(responses[0]);
    expect(responses[0].data.attributes.locked).toBe(true);
    expect((await api.engine.database.get(keys.workspace(id), true))?.['fence']).toBe(before + 1);
  });

  it('stores a command with a keyed fingerprint', async () => {
    const { name: workspace } = await createWorkspace();
    const id = `hashed-${++count}`;
    await api.automate({ command: 'lock', id, ...by, workspace });
    const item = await api.engine.database.get(keys.command(principal, id), true);
    expect(item?.['fingerprint']).toMatch(/^[0-9a-f]{8}\.[\w-]{43}$/);
  });

  it('rejects a command whose id was sent before with a different command', async () => {
    const { name: workspace } = await createWorkspace();
    const id = `same-${++count}`;
    await api.automate({ command: 'lock', id, ...by, workspace });
    const mismatched = await api.automate({ command: 'unlock', id, ...by, workspace });
    expect(mismatched).toMatchObject({ errors: [{ status: '422', source: { pointer: '/id' } }] });
    const reordered = await api.automate({ workspace, ...by, id, command: 'lock' });
    expect(reordered.data.attributes.locked).toBe(true);
  });

  it('executes a command with a known id again after the stored result of the earlier one has expired', async () => {
    const { name: workspace } = await createWorkspace();
    const send = (name: string, parameters: object = {}) =>
      api.automate({ command: name, id: `nightly-${name}`, ...by, workspace, ...parameters });
    const create = (name: string) =>
      api.automate({ command: 'create', id: 'nightly-create', ...by, attributes: { name } });
    const created = [];
    for (const night of [1, 2]) {
      expect((await send('lock')).data.attributes.locked).toBe(true);
      expect((await send('unlock')).data.attributes.locked).toBe(false);
      const updated = await send('update', { attributes: { description: `night ${night}` } });
      expect(updated.data.attributes.description).toBe(`night ${night}`);
      created.push(await create(`night-${night}`));
      for (const name of ['lock', 'unlock', 'update', 'create']) {
        const change = { set: { ttl: 1 } };
        await api.engine.database.write(update(keys.command(principal, `nightly-${name}`), change, exists('pk')));
      }
    }
    expect(created.map(({ data }) => data.attributes.name)).toEqual(['night-1', 'night-2']);
    // An unlock that takes an earlier one for its own would leave the lock.
    await command('lock', { workspace });
    expect((await send('unlock')).data.attributes.locked).toBe(false);
  });

  describe.each(['before', 'after'] as const)('after an invocation that was cut off %s it ran', (when) => {
    const cutOff = async (name: string, parameters: object, invocation = 0) => {
      const attempt = again(name, parameters);
      api.lambda.failNext(invocation, when);
      await expect(attempt()).rejects.toThrow('cut off');
      return attempt();
    };

    it('runs and returns the response of an uninterrupted command', async () => {
      const created = await cutOff('create', { attributes: { name: `cut-${when}` } });
      expect(created.data.attributes.name).toBe(`cut-${when}`);
      const workspace = `cut-${when}`;
      expect((await cutOff('lock', { workspace })).data.attributes.locked).toBe(true);
      expect((await cutOff('unlock', { workspace })).data.attributes.locked).toBe(false);
      await command('lock', { workspace });
      expect((await cutOff('force-unlock', { workspace })).data.attributes.locked).toBe(false);
      const { data: variable } = await cutOff('set-variable', { workspace, key: 'k', value: 'v' });
      const path = `/workspaces/${created.data.id}/vars`;
      expect((await command('request', { method: 'GET', path })).data).toEqual([variable]);
      // The second value is set by a creation that is rejected, a list and an update.
      const { data: changed } = await cutOff('set-variable', { workspace, key: 'k', value: 'w' }, 2);
      expect((await command('request', { method: 'GET', path })).data).toEqual([changed]);
      expect(await cutOff('add-tags', { workspace, tags: ['t'] })).toEqual({ data: null });
      expect(await cutOff('safe-delete', { workspace })).toEqual({ data: null });
      expect(await command('show', { workspace })).toMatchObject({ errors: [{ status: '404' }] });
    });

    it('finishes a deletion or restoration that was sent as a request', async () => {
      const { id, name: workspace } = await createWorkspace();
      const request = (method: string, path: string) => cutOff('request', { method, path });
      const deleted = { data: null };
      const { data: variable } = await command('set-variable', { workspace, key: 'k', value: 'v' });
      expect(await request('DELETE', `/workspaces/${id}/vars/${variable.id}`)).toEqual(deleted);
      await command('set-variable', { workspace, key: 'k', value: 'v' });
      // The variable is listed before it is deleted.
      expect(await cutOff('delete-variable', { workspace, key: 'k' }, 1)).toEqual(deleted);
      expect(await request('POST', `/workspaces/${id}/actions/safe-delete`)).toEqual(deleted);
      const restored = await request('POST', `/deleted-workspaces/${id}/actions/restore`);
      expect(restored.data).toEqual((await command('show', { workspace })).data);
      const { change, sequence } = workspaceOf((await api.engine.database.get(keys.workspace(id), true)) ?? {});
      // Creation, variable created and deleted twice, deletion, restoration.
      expect([change.type, sequence]).toEqual(['workspace.restored', 7]);
      expect(await request('POST', '/deleted-workspaces/ws-1111111111111111/actions/restore')).toMatchObject({
        errors: [{ status: '404' }],
      });
    });
  });
});
