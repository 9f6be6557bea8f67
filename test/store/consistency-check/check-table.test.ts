import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { prefixes } from '../../../shared/domain/ids.ts';
import { lock } from '../../../shared/domain/transitions/locks/lock.ts';
import { unlock } from '../../../shared/domain/transitions/locks/unlock.ts';
import type { RequestContext } from '../../../shared/domain/transitions/transition.ts';
import { forceDelete } from '../../../shared/domain/transitions/workspaces/delete-workspace.ts';
import { update } from '../../../shared/domain/transitions/workspaces/update-workspace.ts';
import { type Content, newVariable, type Variable } from '../../../shared/domain/workspace/variable.ts';
import type { Workspace } from '../../../shared/domain/workspace/workspace-record.ts';
import { base58, versionId } from '../../../shared/lib/random.ts';
import { checkTable } from '../../../shared/store/consistency-check/check-table.ts';
import type { Database } from '../../../shared/store/dynamodb/database.ts';
import { type Item, type Key, keys } from '../../../shared/store/dynamodb/keys.ts';
import { chunkOf } from '../../../shared/store/items/consumer-items.ts';
import { put } from '../../../shared/store/items/item-write.ts';
import { openConsumers } from '../../../shared/store/remote-state-consumers/consumer-store.ts';
import { openVariables } from '../../../shared/store/variables/variable-store.ts';
import { openAdmin } from '../../support/api/admin.ts';
import { storeSshKey } from '../../support/api/create-ssh-key.ts';
import { configurationContext, newWorkspace } from '../../support/api/new-workspace.ts';
import { startEngine, type TestEngine } from '../../support/engine/engine.ts';
import { scanItems } from '../../support/engine/scan-items.ts';
import { storedIn } from '../../support/engine/stored-in.ts';

/**
 * A table with at least one item of every type, created by commands and transitions. Each test damages a copy of it in
 * memory and expects a finding.
 */
let engine: TestEngine;
let healthy: ReadonlyMap<string, Item>;
let ids: Record<
  | 'workspace'
  | 'locked'
  | 'consumer'
  | 'generation'
  | 'replaced'
  | 'long'
  | 'due'
  | 'gone'
  | 'left'
  | 'project'
  | 'team'
  | 'user'
  | 'pool'
  | 'connection'
  | 'token'
  | 'variable'
  | 'deleted',
  string
>;

const spell = ({ pk, sk }: Key): string => `${pk} ${sk}`;
const organization = 'acme';

const collect = async (database: Database): Promise<Map<string, Item>> => {
  const items = new Map<string, Item>();
  for await (const item of scanItems(database)) items.set(spell(item as unknown as Key), item);
  return items;
};

beforeAll(async () => {
  engine = await startEngine();
  const { admin, directory, workspaces } = openAdmin(engine.database);
  const made = await admin('create-organization', { name: organization, email: 'ann@example.com' });
  const project = made['organization'].defaultProject;
  const { project: other } = await admin('create-project', { organization, name: 'Other project' });
  const { team } = await admin('create-team', { organization, name: 'devs', permissions: 'read-workspaces' });
  await admin('add-member', { organization, team: 'devs', username: 'ann' });
  await admin('create-token', { kind: 'organization', organization });
  const { id: token } = await admin('create-token', { kind: 'team', organization, team: 'devs' });
  const { agentPool } = await admin('create-agent-pool', { organization, name: 'pool' });
  const { vcsConnection } = await admin('create-vcs-connection', {
    organization,
    name: 'hub',
    serviceProvider: 'github',
    httpUrl: 'https://github.com',
  });
  await admin('create-app-installation', { organization, name: 'app' });
  await storeSshKey(directory, organization, 'key');
  await admin('create-release', { version: '99.0.0' });
  await admin('create-organization', { name: 'doomed', email: 'ann@example.com' });
  await admin('delete-organization', { name: 'doomed' });

  const request: RequestContext = { id: 'r1', principal: { kind: 'user', id: made['user'].id, name: 'ann' } };
  const create = async (name: string, more: object = {}, known: object = {}): Promise<Workspace> => {
    const workspace = newWorkspace({ organization, project }, { name, ...more }, known);
    await workspaces.create(workspace, 4);
    return workspace;
  };
  const change = async (workspace: Workspace, configuration: object, into?: string) => {
    const { project: from } = (await workspaces.find(workspace.id)) as Workspace;
    const transition = update(request, { configuration, from, to: into ?? from }, configurationContext);
    return workspaces.apply((await workspaces.find(workspace.id)) as Workspace, transition, request);
  };
  const workspace = await create('plain', { executionMode: 'agent', agentPool: agentPool.id }, { agentPool });
  const renamed = await create('before');
  await change(renamed, { name: 'after' });
  await create('before');
  const moved = await create('moved');
  await change(moved, {}, other.id);
  const long = await create('long', { description: 'x'.repeat(900) });
  const shortened = await create('shortened', { description: 'x'.repeat(900) });
  await change(shortened, { description: 'short' });
  const lengthened = await create('lengthened');
  await change(lengthened, { description: 'y'.repeat(900) });
  const due = await create('due', { autoDestroyAt: configurationContext.now + 1_000 });
  const undue = await create('undue', { autoDestroyAt: configurationContext.now + 1_000 });
  await change(undue, { autoDestroyAt: null });
  const hold = { id: 'lock-1', reason: '', at: 1 };
  const locked = await create('locked');
  await workspaces.apply(locked, lock(request, hold), request);
  const released = await create('released');
  await workspaces.apply(await workspaces.apply(released, lock(request, hold), request), unlock(request, 1), request);
  const gone = await create('gone', { description: 'z'.repeat(900), autoDestroyAt: configurationContext.now + 1_000 });
  const image = (await workspaces.find(gone.id)) as Workspace;
  await workspaces.apply(image, forceDelete(request, Date.now()), request);
  await create('gone');
  const left = await create('left');
  await admin('grant-access', { organization, team: 'devs', workspace: 'left', access: 'read' });
  await workspaces.apply((await workspaces.find(left.id)) as Workspace, forceDelete(request, Date.now()), request);
  await admin('grant-access', { organization, team: 'devs', workspace: 'plain', access: 'write' });
  await admin('grant-access', { organization, team: 'devs', project: 'Other project', access: 'admin' });
  await admin('update-project', { organization, name: 'Other project', tagBindings: 'env=prod,owner=ann' });

  const variables = openVariables(engine.database, workspaces, () => configurationContext.now);
  const whole = async () => (await workspaces.find(workspace.id)) as Workspace;
  const variable = async (key: string, content: Content): Promise<Variable> => {
    const id = prefixes.variable + base58(16);
    const whose = { id, workspace: workspace.id, createdAt: 1, version: versionId() };
    const made = { ...newVariable(whose, { key, category: 'env' }), content };
    await variables.create(await whole(), made, { ...request, id });
    return made;
  };
  const plain = await variable('plain', { value: 'v' });
  await variable('secret', { encryptedValue: new Uint8Array([1]) });
  const relocated = { ...(await variable('before', { value: 'v' })), category: 'infra', key: 'after' } as const;
  await variables.update(await whole(), { ...relocated, category: 'env', key: 'before' }, relocated, request);
  const deleted = await variable('deleted', { value: 'v' });
  await variables.delete(await whole(), deleted, request);
  // Replaced consumers: the old chunk still exists and is queued for cleanup through the new one.
  const consumers = openConsumers(engine.database, workspaces, Date.now);
  const imageOf = async () => (await workspaces.find(workspace.id)) as Workspace;
  await consumers.add(await imageOf(), [moved.id, gone.id], request);
  const { generation: replaced = '' } = (await imageOf()).consumers ?? {};
  await consumers.replace(await imageOf(), [moved.id, renamed.id, gone.id], request);

  healthy = await collect(engine.database);
  ids = {
    workspace: workspace.id,
    locked: locked.id,
    consumer: renamed.id,
    generation: (await imageOf()).consumers?.generation ?? '',
    replaced,
    long: long.id,
    due: due.id,
    gone: gone.id,
    left: left.id,
    project: other.id,
    team: team.id,
    user: made['user'].id,
    pool: agentPool.id,
    connection: vcsConnection.id,
    token,
    variable: plain.id,
    deleted: deleted.id,
  };
});
afterAll(() => engine.stop());

/** Checks a copy of the table in memory. */
const check = (items: ReadonlyMap<string, Item>) => checkTable(engine.database, { stored: storedIn(items), pause: 0 });

test('counts the items of a healthy table by type and reports no findings', async () => {
  expect(await checkTable(engine.database)).toEqual({
    items: healthy.size,
    byType: expect.objectContaining({
      organization: 1,
      project: 2,
      team: 2,
      user: 1,
      membership: 2,
      member: 2,
      token: 4,
      'token-of': 4,
      'token-id': 4,
      workspace: 14,
      'workspace-name': 12,
      'workspace-text': 2,
      consumers: 2,
      'workspace-access-id': 2,
      releases: 1,
      variable: 3,
      'variable-id': 4,
    }),
    findingCount: 0,
    findings: [],
    closing: [],
    left: 0,
  });
});

describe('the consistency check', () => {
  type Damage = (items: Map<string, Item>) => void;
  const change =
    (key: () => Key, by: Item): Damage =>
    (items) => {
      const changed = Object.entries({ ...items.get(spell(key())), ...by }).filter(([, value]) => value !== undefined);
      items.set(spell(key()), Object.fromEntries(changed));
    };
  const drop =
    (key: () => Key): Damage =>
    (items) => {
      if (!items.delete(spell(key()))) throw new Error(`There is no ${spell(key())}`);
    };
  const add =
    (key: () => Key, ty: string, item: Item | (() => Item)): Damage =>
    (items) => {
      const made = { ...(typeof item === 'function' ? item() : item), ...key(), ty, v: 1 };
      items.set(spell(key()), made);
    };
  const nested =
    (key: () => Key, attribute: string, by: Item): Damage =>
    (items) => {
      const item = items.get(spell(key())) as Item;
      items.set(spell(key()), { ...item, [attribute]: { ...(item[attribute] as Item), ...by } });
    };
  /** Copies an item to another key. */
  const copy =
    (from: () => Key, to: Key): Damage =>
    (items) => {
      items.set(spell(to), { ...items.get(spell(from())), ...to });
    };
  const digestOf = (items: ReadonlyMap<string, Item>) => String(items.get(spell(keys.pointer(ids.token)))?.['digest']);

  const workspace = () => keys.workspace(ids.workspace);
  const policy = { id: `drp-${'1'.repeat(16)}`, type: 'data-retention-policies', deleteOlderThanDays: 1 };
  const locked = () => keys.workspace(ids.locked);
  const due = () => keys.workspace(ids.due);
  const gone = () => keys.workspace(ids.gone);
  const project = () => keys.project(ids.project);
  const chunk = () => keys.consumers(ids.workspace, ids.generation, 0);
  const bare = (id: string) => id.slice('ws-'.length);
  const team = () => keys.team(ids.team);
  const acme = () => keys.organization(organization);
  const accessId = () => keys.workspaceAccessId(ids.workspace, ids.team);
  const pool = () => keys.record('agentPool', ids.pool);
  const connection = () => keys.record('vcsConnection', ids.connection);
  const tag = (key: string, value?: string) => ({ key, ...(value && { value }), at: 1 });
  const plain = () => keys.variable(ids.workspace, 'env', 'plain');
  const secret = () => keys.variable(ids.workspace, 'env', 'secret');
  const pointer = () => keys.pointer(ids.variable);
  const claim = (name: string) => () => keys.claim(organization, 'workspace', name);

  test.each<[string, Damage, RegExp]>([
    ['an unknown type', add(() => ({ pk: 'X', sk: 'X' }), 'mystery', {}), /type mystery is unknown/],
    ['no type', (items) => items.set('X X', { pk: 'X', sk: 'X' }), /type undefined is unknown/],
    ['an unknown schema version', change(workspace, { v: 99 }), /version 99 is unknown/],
    ['an item under another key', copy(workspace, { pk: 'WS#ws-other', sk: 'W' }), /key does not match its content/],
    ['an organization under another name', change(acme, { name: 'other' }), /key does not match its content/],
    ['a missing sequence number', change(workspace, { seq: 0 }), /sequence number/],
    ['a missing revision', change(workspace, { rev: undefined }), /revision/],
    ['a missing change record', change(workspace, { chg: undefined }), /last change record/],
    ['an invalid fencing token', change(workspace, { fence: -1 }), /fencing token is not/],
    ['a lock without a fencing token', change(locked, { fence: 0 }), /locked, but its fencing token/],
    ['a lock without a holder', nested(locked, 'lock', { by: '' }), /its lock is invalid/],
    ['a lock with an unknown kind of holder', nested(locked, 'lock', { kind: 'Ghost' }), /its lock is invalid/],
    [
      'an execution mode overwrite without an execution mode',
      nested(workspace, 'set', { executionMode: null }),
      /execution mode overwrite/,
    ],
    [
      'an agent pool without an overwrite',
      (items) => {
        nested(workspace, 'ow', { agentPool: false })(items);
        nested(workspace, 'set', { executionMode: 'remote' })(items);
      },
      /neither an agent pool overwrite/,
    ],
    ['a scope of an agent pool with another id', change(pool, { allowedProjects: ['ws-1'] }), /its scope is invalid/],
    [
      'a scope of an agent pool with the same id twice',
      change(pool, { excludedWorkspaces: ['ws-1111111111111111', 'ws-1111111111111111'] }),
      /its scope is invalid/,
    ],
    ['a scope of a VCS connection with another id', change(connection, { projects: ['ws-1'] }), /its scope is invalid/],
    [
      'a retention policy without days',
      change(workspace, { pol: { ...policy, deleteOlderThanDays: null } }),
      /retention policy/,
    ],
    ['a retention policy without a valid id', change(workspace, { pol: { ...policy, id: 'x' } }), /retention policy/],
    [
      'a retention policy of an unknown type',
      change(acme, { retentionPolicy: { ...policy, type: 'x' } }),
      /retention policy/,
    ],
    [
      'a consumer set without a valid generation',
      nested(workspace, 'cons', { generation: 'x' }),
      /set of remote state consumers is invalid/,
    ],
    [
      'a consumer set with three chunks',
      nested(workspace, 'cons', { chunks: 3 }),
      /set of remote state consumers is invalid/,
    ],
    ['a missing chunk of a consumer set', drop(chunk), /chunk of its remote state consumers does not exist/],
    [
      'a consumer set with only half of its chunks',
      nested(workspace, 'cons', { chunks: 2 }),
      /chunk of its remote state consumers does not exist/,
    ],
    [
      'more consumers than the recorded maximum',
      nested(workspace, 'cons', { atMost: 2 }),
      /more remote state consumers than its recorded maximum/,
    ],
    ['a chunk whose ids are not a set', change(chunk, { ids: ['x'] }), /not a valid chunk of remote state consumers/],
    [
      'a chunk with an invalid id',
      change(chunk, { ids: new Set(['x']) }),
      /not a valid chunk of remote state consumers/,
    ],
    [
      'a chunk with a change counter ahead of its set',
      change(chunk, { n: 99 }),
      /change counter is ahead of that of the set/,
    ],
    [
      'a chunk beyond the chunk count of its set',
      (items) => add(() => keys.consumers(ids.workspace, ids.generation, 1), 'consumers', { n: 0 })(items),
      /no such chunk/,
    ],
    [
      'a consumer id in the wrong chunk',
      (items) => {
        // A fixed id: the ids of the table are random, and all of them may belong to chunk 0.
        const wrong =
          [1, 2, 3, 4].map((last) => `ws-${'1'.repeat(15)}${last}`).find((id) => chunkOf(id, 2) === 1) ?? '';
        nested(workspace, 'cons', { chunks: 2 })(items);
        add(() => keys.consumers(ids.workspace, ids.generation, 1), 'consumers', { n: 0 })(items);
        change(chunk, { ids: new Set([bare(wrong)]) })(items);
      },
      /belongs in another chunk/,
    ],
    [
      'a workspace among its own consumers',
      (items) => change(chunk, { ids: new Set([bare(ids.workspace)]) })(items),
      /contains the workspace itself/,
    ],
    [
      'a consumer of another organization',
      (items) => change(() => keys.workspace(ids.consumer), { org: 'other' })(items),
      /another organization/,
    ],
    [
      'a chunk without a workspace',
      add(() => keys.consumers('ws-1', '1'.repeat(12), 0), 'consumers', { n: 0 }),
      /not in force/,
    ],
    [
      'a chunk of a deleted workspace',
      add(() => keys.consumers(ids.gone, '1'.repeat(12), 0), 'consumers', { n: 0 }),
      /not in force/,
    ],
    [
      'an unused chunk that is not queued for cleanup',
      change(chunk, { d: undefined, dk: undefined }),
      /not in force and not queued for cleanup/,
    ],
    [
      'a chunk in a foreign partition of the due index',
      change(chunk, { d: 'DUE#1' }),
      /in the due index but must not be/,
    ],
    ['a due time in the settings only', change(due, { d: undefined, dk: undefined }), /due index keys do not match/],
    ['a due time in the index only', nested(due, 'set', { autoDestroyAt: null }), /due index keys do not match/],
    ['a due index row with another time', change(due, { dk: '0000000000001' }), /due index keys do not match/],
    [
      'a tombstone that is due for automatic destruction',
      change(gone, { d: 'DUE#1', dk: '1' }),
      /deleted, but still due/,
    ],
    [
      'a tombstone without an expiry',
      change(gone, { ttl: undefined }),
      /deleted, but has no deletion time or no expiry/,
    ],
    ['a workspace with an expiry', change(workspace, { ttl: 1 }), /not deleted, but has an expiry/],
    ['an invalid list index time', change(workspace, { lk: '12' }), /not a partition and a time/],
    ['a workspace in the wrong shard', change(workspace, { l: 'ORG#acme#W#9' }), /wrong partition of the list index/],
    ['a non-empty tag map of the old form', change(workspace, { tags: { a: {} } }), /not a list of tags/],
    ['a tag that is not a map', change(workspace, { tags: ['a'] }), /not a list of tags/],
    ['a tag without a key', change(workspace, { tags: [{ at: 1 }] }), /has no key/],
    ['a tag with an empty value', change(workspace, { tags: [{ key: 'a', value: '', at: 1 }] }), /an empty value/],
    ['a duplicate tag', change(workspace, { tags: [tag('a'), tag('a', 'b')] }), /same tag twice/],
    ['41 tags', change(workspace, { tags: Array.from({ length: 41 }, (_, n) => tag(`t${n}`)) }), /more tags than/],
    [
      '11 bindings',
      change(project, { tags: Array.from({ length: 11 }, (_, n) => tag(`t${n}`, 'v')) }),
      /more tags than/,
    ],
    ['a project tag without a value', change(project, { tags: [tag('a')] }), /only a workspace may have/],
    ['a project in the wrong shard', change(project, { l: 'ORG#acme#NP' }), /wrong partition of the list index/],
    [
      'a record listed under a wrong name',
      change(pool, { lk: 'other' }),
      /list index keys do not match its organization/,
    ],
    [
      'a user in the list index',
      change(() => keys.user(ids.user), { l: 'a', lk: 'b' }),
      /in the list index but must not be/,
    ],

    ['a workspace without a claim', drop(claim('plain')), /name has no claim/],
    ['a workspace renamed without its claim', change(workspace, { name: 'renamed' }), /name has no claim/],
    ['a claim on the previous name after a rename', change(workspace, { name: 'renamed' }), /has another name/],
    [
      'two claims of one workspace',
      add(claim('twice'), 'workspace-name', () => ({ workspace: ids.workspace })),
      /another name/,
    ],
    [
      'a claim with another workspace id',
      change(claim('plain'), { workspace: 'ws-1' }),
      /claim on its name belongs to another item/,
    ],
    [
      'a claim with another project id',
      change(claim('plain'), { project: 'prj-1' }),
      /claim on its name belongs to another item/,
    ],
    [
      'a claim without a workspace',
      add(claim('orphan'), 'workspace-name', { workspace: 'ws-1' }),
      /a workspace that is deleted or does not exist/,
    ],
    [
      'a claim of a deleted workspace',
      add(claim('dead'), 'workspace-name', () => ({ workspace: ids.gone })),
      /a workspace that is deleted or does not exist/,
    ],
    ['a missing project', drop(project), /its project prj-.* does not exist/],
    ['a project of another organization', change(project, { org: 'other' }), /its project .* does not exist/],
    ['a missing organization', drop(acme), /its organization does not exist/],
    ['a missing agent pool', drop(pool), /its agentPool .* does not exist/],
    [
      'a missing default agent pool of the organization',
      change(acme, { defaultAgentPool: 'apool-1' }),
      /agentPool apool-1 does not exist/,
    ],
    ['a missing SSH key', change(workspace, { ssh: 'sshkey-1' }), /sshKey sshkey-1 does not exist/],
    ['a missing long text', drop(() => keys.workspaceText(ids.long)), /long text does not exist/],
    [
      'a long text of an earlier revision',
      change(() => keys.workspaceText(ids.long), { rev: 7 }),
      /has another revision/,
    ],
    [
      'a long text without a workspace',
      add(() => keys.workspaceText('ws-1'), 'workspace-text', { txt: {}, rev: 1 }),
      /workspace does not exist/,
    ],
    [
      'a long text of a deleted workspace',
      add(() => keys.workspaceText(ids.gone), 'workspace-text', { txt: {}, rev: 1 }),
      /its long text is not/,
    ],
    [
      'a long text of a workspace with short text',
      add(() => keys.workspaceText(ids.due), 'workspace-text', { txt: {}, rev: 1 }),
      /another revision/,
    ],
    [
      'a text stored in two places',
      change(() => keys.workspace(ids.long), { txt: {} }),
      /stored either in it or in its text item/,
    ],
    [
      'workspace access of a missing team',
      nested(workspace, 'acc', { 'team-1': 'read' }),
      /team team-1 does not exist/,
    ],
    ['project access of a missing team', nested(project, 'acc', { 'team-1': 'read' }), /team team-1 does not exist/],
    ['access without an id pointer', drop(accessId), /id pointer of the access of team-.* does not exist/],
    ['an id pointer without access', change(workspace, { acc: {} }), /access that it leads to does not exist/],
    [
      'an access id pointer of another organization',
      change(accessId, { organization: 'other' }),
      /access that it leads to does not exist/,
    ],
    ['an access id pointer under another key', change(accessId, { team: 'team-1' }), /key does not match its content/],
    [
      'access to a deleted workspace that is not queued for cleanup',
      change(() => keys.workspace(ids.left), { d: undefined, dk: undefined }),
      /its workspace is deleted, but not queued/,
    ],
    ['organization permissions of a missing team', nested(acme, 'acc', { 'team-1': 4 }), /team team-1 does not exist/],

    ['a team without a claim', drop(() => keys.claim(organization, 'team', 'devs')), /name has no claim/],
    [
      'a claim of a missing team',
      add(() => keys.claim(organization, 'team', 'x'), 'name', { kind: 'team', id: 'team-1' }),
      /no item has the claimed name/,
    ],
    [
      'a claim on a name that its team does not have',
      add(
        () => keys.claim(organization, 'team', 'x'),
        'name',
        () => ({ kind: 'team', id: ids.team }),
      ),
      /no item has the claimed name/,
    ],
    [
      'a team without permissions on its organization',
      (items) => nested(acme, 'acc', { [ids.team]: 0 })(items),
      /permissions do not match/,
    ],
    ['a missing team', drop(team), /its team .* does not exist/],
    ['a user without a username', drop(() => keys.username('ann')), /username has no claim/],
    [
      'a username without a user',
      add(() => keys.username('ghost'), 'username', { id: 'user-1' }),
      /no user has the claimed username/,
    ],
    ['a missing user', drop(() => keys.user(ids.user)), /user does not exist/],
    [
      'a membership without its team item',
      drop(() => keys.member(ids.team, ids.user)),
      /item of the team does not exist/,
    ],
    [
      'a membership without its user item',
      drop(() => keys.membership(ids.user, organization, ids.team)),
      /item of the user does not exist/,
    ],

    [
      'a team membership without an organization membership',
      drop(() => keys.organizationMembership(ids.user, organization)),
      /user is not a member of the organization/,
    ],
    [
      'an organization membership without its organization item',
      drop(() => keys.organizationMember(organization, ids.user)),
      /do not lead to the same membership/,
    ],
    [
      'an organization membership with another id',
      change(() => keys.organizationMember(organization, ids.user), { id: 'ou-1' }),
      /do not lead to the same membership/,
    ],
    [
      'a missing e-mail address item',
      drop(() => keys.email('ann@example.com', ids.user)),
      /e-mail address item does not exist/,
    ],
    [
      'an e-mail address that its user does not have',
      change(() => keys.user(ids.user), { email: 'eve@example.com' }),
      /no user has this e-mail address/,
    ],

    [
      'a token without its mirror',
      drop(() => keys.tokenOf({ kind: 'team', id: ids.team }, ids.token)),
      /its mirror or its id pointer is missing/,
    ],
    ['a token without its pointer', drop(() => keys.pointer(ids.token)), /id pointer does not lead to it/],
    [
      'a mirror without its token',
      (items) => drop(() => keys.token(digestOf(items)))(items),
      /its mirror or its id pointer is missing/,
    ],
    [
      'a token of another subject',
      (items) => change(() => keys.token(digestOf(items)), { subject: 'team-1' })(items),
      /id pointer is missing|subject does not exist/,
    ],
    [
      'a token with another expiry than its mirror',
      (items) => change(() => keys.token(digestOf(items)), { expiresAt: 1 })(items),
      /do not match/,
    ],
    [
      'a token with an unknown kind of subject',
      (items) => change(() => keys.token(digestOf(items)), { kind: 'god' })(items),
      /subject does not exist/,
    ],
    ['a missing token of a team', change(team, { token: 'at-1' }), /its token does not exist/],
    [
      'a team token recorded as the token of an organization',
      (items) => change(acme, { token: ids.token })(items),
      /its token does not exist or belongs to another subject/,
    ],
    ['a missing token of an organization', change(acme, { token: 'at-1' }), /its token does not exist/],
    ['a missing default project', change(acme, { defaultProject: 'prj-1' }), /project prj-1 does not exist/],
    ['a missing owners team', change(acme, { ownersTeam: 'team-1' }), /team team-1 does not exist/],
    ['an owners team without owner access', change(acme, { acc: {} }), /owners team does not have owner access/],
    ['releases that are not a set', change(() => keys.releases(), { added: ['1.0.0'] }), /versions are not sets/],
    ['a variable count that does not match', change(workspace, { vn: 2 }), /variable count does not match/],
    [
      'a variable count without a variables flag',
      change(workspace, { hv: undefined }),
      /variable count is missing or invalid/,
    ],
    [
      'a variables flag without a variable count',
      change(workspace, { vn: undefined }),
      /variable count is missing or invalid/,
    ],
    ['a variable under another key', change(plain, { key: 'other' }), /key does not match its content/],
    ['a variable with an unknown category', change(plain, { category: 'x' }), /id, category or key is not valid/],
    ['a variable without a value', change(plain, { value: undefined }), /either a value or an encrypted value/],
    ['a sensitive variable with a plain value', change(secret, { value: 'v' }), /either a value or an encrypted value/],
    [
      'a sensitive variable that is not encrypted',
      change(secret, { sealed: 'v' }),
      /either a value or an encrypted value/,
    ],
    ['a variable without a version', change(plain, { version: undefined }), /creation time or its version is missing/],
    ['a variable without flags', change(plain, { hcl: undefined }), /its hcl flag or its description is missing/],
    [
      'a variable whose id pointer leads elsewhere',
      change(pointer, { key: 'secret' }),
      /does not exist or leads elsewhere/,
    ],
    [
      'a variable id pointer to another variable',
      change(pointer, { key: 'secret' }),
      /does not lead to a variable with its id/,
    ],
    [
      'a variable id pointer without a key',
      change(pointer, { key: undefined }),
      /neither a pointer to a variable nor a tombstone/,
    ],
    [
      'a variable id pointer that is also a tombstone',
      change(pointer, { gone: 1, ttl: 1, request: 'r' }),
      /neither a pointer .* nor a tombstone/,
    ],
    [
      'a variable id pointer without a workspace',
      change(pointer, { workspace: undefined }),
      /no organization, workspace or project/,
    ],
    [
      'a variable id pointer of another organization',
      change(pointer, { organization: 'other' }),
      /organization is not that of its workspace/,
    ],
    ['a variable without a workspace', drop(workspace), /its workspace does not exist/],
    [
      'a variable of a deleted workspace that is not queued for cleanup',
      change(workspace, { gone: 1, ttl: 1, d: undefined, dk: undefined }),
      /its workspace is deleted, but not queued for cleanup/,
    ],
  ])('reports %s', async (_, damage, problem) => {
    const items = new Map(healthy);
    damage(items);
    const { findings, findingCount } = await check(items);
    expect(findings.map((finding) => finding.problem)).toContainEqual(expect.stringMatching(problem));
    expect(findingCount).toBe(findings.length);
  });

  test('reports the removal of any item that others depend on', async () => {
    // The releases item is created by the first change. Without it, the default releases apply.
    const unmissed = new Set(['releases', 'project-tombstone']);
    const unneeded = [
      spell(keys.pointer(ids.deleted)),
      spell(gone()),
      spell(keys.workspaceAccessId(ids.left, ids.team)),
      spell(keys.consumers(ids.workspace, ids.replaced, 0)),
    ];
    for (const [key, item] of healthy) {
      const items = new Map(healthy);
      items.delete(key);
      const { findingCount } = await check(items);
      expect(findingCount === 0, `${item['ty']} at ${key}`).toBe(
        unmissed.has(String(item['ty'])) || unneeded.includes(key),
      );
    }
  });

  test('lists at most 100 findings, but counts all of them', async () => {
    const items = new Map(healthy);
    for (let index = 0; index < 150; index++) items.set(`X ${index}`, { pk: 'X', sk: String(index), ty: 'x', v: 1 });
    const { findings, findingCount } = await check(items);
    expect(findingCount).toBe(150);
    expect(findings).toHaveLength(100);
  });

  test('reports no finding that a second read does not confirm', async () => {
    const damaged = new Map(healthy);
    drop(claim('plain'))(damaged);
    const [before, after] = [storedIn(damaged), storedIn(healthy)];
    const stored = { ...after, page: before.page };
    expect(await checkTable(engine.database, { stored, pause: 0 })).toMatchObject({ findingCount: 0 });
  });

  test('reports a finding in the stored table', async () => {
    const key = keys.claim(organization, 'workspace', 'planted');
    const write = put(key, 'workspace-name', { workspace: ids.workspace, project: ids.project });
    await engine.database.write(write);
    expect(await checkTable(engine.database)).toMatchObject({
      findingCount: 1,
      findings: [{ key: spell(key), problem: 'the claimed workspace has another name' }],
    });
    await engine.database.write({ kind: 'delete', key });
    expect(await checkTable(engine.database)).toMatchObject({ findingCount: 0 });
  });
});
