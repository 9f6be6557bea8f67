import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { prefixes } from '../../../shared/domain/ids.ts';
import { forceDelete } from '../../../shared/domain/transitions/delete-workspace.ts';
import { lock } from '../../../shared/domain/transitions/lock.ts';
import type { RequestContext } from '../../../shared/domain/transitions/transition.ts';
import { unlock } from '../../../shared/domain/transitions/unlock.ts';
import { update } from '../../../shared/domain/transitions/update-workspace.ts';
import { type Content, newVariable, type Variable } from '../../../shared/domain/workspace/variable.ts';
import type { Workspace } from '../../../shared/domain/workspace/workspace-record.ts';
import { base58, versionId } from '../../../shared/lib/random.ts';
import { checkTable } from '../../../shared/store/consistency-check/check-table.ts';
import { put } from '../../../shared/store/directory/record-items.ts';
import type { Database } from '../../../shared/store/dynamodb/database.ts';
import type { Item } from '../../../shared/store/dynamodb/item.ts';
import { type Key, keys } from '../../../shared/store/dynamodb/keys.ts';
import { chunkOf } from '../../../shared/store/remote-state-consumers/consumer-items.ts';
import { openConsumers } from '../../../shared/store/remote-state-consumers/consumer-store.ts';
import { openVariables } from '../../../shared/store/variables/variable-store.ts';
import { accessIdKey } from '../../../shared/store/workspaces/workspace-items.ts';
import { openAdmin } from '../../support/api/admin.ts';
import { configurationContext, newWorkspace } from '../../support/api/new-workspace.ts';
import { storeSshKey } from '../../support/api/ssh-key.ts';
import { startEngine, type TestEngine } from '../../support/engine/engine.ts';

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
  | 'token'
  | 'variable'
  | 'deleted',
  string
>;

const spell = ({ pk, sk }: Key): string => `${pk} ${sk}`;
const organization = 'acme';

const collect = async (database: Database): Promise<Map<string, Item>> => {
  const items = new Map<string, Item>();
  for await (const item of database.scan()) items.set(spell(item as unknown as Key), item);
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
  await admin('create-vcs-connection', {
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
    await variables.createVariable(await whole(), made, { ...request, id });
    return made;
  };
  const plain = await variable('plain', { value: 'v' });
  await variable('secret', { sealed: new Uint8Array([1]) });
  const relocated = { ...(await variable('before', { value: 'v' })), category: 'infra', key: 'after' } as const;
  await variables.updateVariable(await whole(), { ...relocated, category: 'env', key: 'before' }, relocated, request);
  const deleted = await variable('deleted', { value: 'v' });
  await variables.deleteVariable(await whole(), deleted, request);
  // Replaced consumers: the old chunk still exists and is queued for cleanup through the new one.
  const consumers = openConsumers(engine.database, workspaces, Date.now);
  const imageOf = async () => (await workspaces.find(workspace.id)) as Workspace;
  await consumers.addConsumers(await imageOf(), [moved.id, gone.id], request);
  const { generation: replaced = '' } = (await imageOf()).consumers ?? {};
  await consumers.replaceConsumers(await imageOf(), [moved.id, renamed.id, gone.id], request);

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
    token,
    variable: plain.id,
    deleted: deleted.id,
  };
});
afterAll(() => engine.stop());

/** The database with a scan that returns the given items. */
const holding = (items: ReadonlyMap<string, Item>): Database => ({
  ...engine.database,
  scan: async function* () {
    yield* items.values();
  },
});

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
  const accessId = () => accessIdKey(ids.workspace, ids.team);
  const pool = () => keys.record('agentPool', ids.pool);
  const tag = (key: string, value?: string) => ({ key, ...(value && { value }), at: 1 });
  const plain = () => keys.variable(ids.workspace, 'env', 'plain');
  const secret = () => keys.variable(ids.workspace, 'env', 'secret');
  const pointer = () => keys.pointer(ids.variable);
  const claim = (name: string) => () => keys.claim(organization, 'workspace', name);

  test.each<[string, Damage, RegExp]>([
    ['an unknown type', add(() => ({ pk: 'X', sk: 'X' }), 'mystery', {}), /type, mystery, is not known/],
    ['no type', (items) => items.set('X X', { pk: 'X', sk: 'X' }), /type, undefined, is not known/],
    ['a version of the future', change(workspace, { v: 99 }), /version, 99, is not known/],
    [
      'a key that is not its own',
      copy(workspace, { pk: 'WS#ws-other', sk: 'W' }),
      /key is not what its content spells/,
    ],
    ['an organization under another name', change(acme, { name: 'other' }), /key is not what its content spells/],
    ['no sequence', change(workspace, { seq: 0 }), /sequence number/],
    ['no revision', change(workspace, { rev: undefined }), /revision/],
    ['no change record', change(workspace, { chg: undefined }), /happened to it last/],
    ['no fence', change(workspace, { fence: -1 }), /fence is no count/],
    ['a lock without a fence', change(locked, { fence: 0 }), /locked, and its fence/],
    ['a lock of nobody', nested(locked, 'lock', { by: '' }), /lock does not say who/],
    ['a lock of an unknown kind', nested(locked, 'lock', { kind: 'Ghost' }), /lock does not say who/],
    ['overwrites without a mode', nested(workspace, 'set', { executionMode: null }), /overwrites the execution mode/],
    ['a pool without overwrites', nested(workspace, 'ow', { agentPool: false }), /pool without overwriting/],
    ['a policy without days', change(workspace, { pol: { ...policy, deleteOlderThanDays: null } }), /retention policy/],
    ['a policy without an id', change(workspace, { pol: { ...policy, id: 'x' } }), /retention policy/],
    ['a policy of no kind', change(acme, { retentionPolicy: { ...policy, type: 'x' } }), /retention policy/],
    ['consumers nowhere', nested(workspace, 'cons', { generation: 'x' }), /does not say where its consumers are/],
    ['consumers in three chunks', nested(workspace, 'cons', { chunks: 3 }), /does not say where its consumers are/],
    ['consumers in a chunk that is lost', drop(chunk), /chunk of its consumers is not there/],
    [
      'consumers in half of the chunks',
      nested(workspace, 'cons', { chunks: 2 }),
      /chunk of its consumers is not there/,
    ],
    ['more consumers than there can be', nested(workspace, 'cons', { atMost: 2 }), /more consumers than it says/],
    ['a chunk that is no set', change(chunk, { ids: ['x'] }), /no chunk of consumers/],
    ['a chunk of what is no id', change(chunk, { ids: new Set(['x']) }), /no chunk of consumers/],
    ['a chunk of the future', change(chunk, { n: 99 }), /seen changes that the set has not/],
    [
      'a chunk too many',
      (items) => add(() => keys.consumers(ids.workspace, ids.generation, 1), 'consumers', { n: 0 })(items),
      /no such chunk/,
    ],
    [
      'an id in the wrong chunk',
      (items) => {
        // A fixed id: the ids of the table are random, and all of them may belong to chunk 0.
        const wrong =
          [1, 2, 3, 4].map((last) => `ws-${'1'.repeat(15)}${last}`).find((id) => chunkOf(id, 2) === 1) ?? '';
        nested(workspace, 'cons', { chunks: 2 })(items);
        add(() => keys.consumers(ids.workspace, ids.generation, 1), 'consumers', { n: 0 })(items);
        change(chunk, { ids: new Set([bare(wrong)]) })(items);
      },
      /belongs into another chunk/,
    ],
    [
      'a consumer of itself',
      (items) => change(chunk, { ids: new Set([bare(ids.workspace)]) })(items),
      /names the workspace itself/,
    ],
    [
      'a foreign consumer',
      (items) => change(() => keys.workspace(ids.consumer), { org: 'other' })(items),
      /another organization/,
    ],
    ['a chunk of nothing', add(() => keys.consumers('ws-1', '1'.repeat(12), 0), 'consumers', { n: 0 }), /not in force/],
    [
      'a chunk of a tombstone',
      add(() => keys.consumers(ids.gone, '1'.repeat(12), 0), 'consumers', { n: 0 }),
      /not in force/,
    ],
    ['a chunk that nothing will remove', change(chunk, { d: undefined, dk: undefined }), /not in force, and nothing/],
    ['a chunk that is due for something else', change(chunk, { d: 'DUE#1' }), /due index, where it does not/],
    ['a due time in the settings only', change(due, { d: undefined, dk: undefined }), /due index are not/],
    ['a due time in the index only', nested(due, 'set', { autoDestroyAt: null }), /due index are not/],
    ['another due time', change(due, { dk: '0000000000001' }), /due index are not/],
    ['a due tombstone', change(gone, { d: 'DUE#1', dk: '1' }), /deleted, but due/],
    ['a tombstone for ever', change(gone, { ttl: undefined }), /deleted, but not for a time/],
    ['a workspace that expires', change(workspace, { ttl: 1 }), /alive, but would expire/],
    ['no list time', change(workspace, { lk: '12' }), /no partition and time/],
    ['another shard', change(workspace, { l: 'ORG#acme#W#9' }), /partition of the list index is not/],
    [
      'tags of before there were any, with something in them',
      change(workspace, { tags: { a: {} } }),
      /no list of tags/,
    ],
    ['a tag that is no tag', change(workspace, { tags: ['a'] }), /no list of tags/],
    ['a tag without a key', change(workspace, { tags: [{ at: 1 }] }), /lacks its key/],
    ['a tag with an empty value', change(workspace, { tags: [{ key: 'a', value: '', at: 1 }] }), /an empty value/],
    ['a tag that is there twice', change(workspace, { tags: [tag('a'), tag('a', 'b')] }), /a tag twice/],
    ['41 tags', change(workspace, { tags: Array.from({ length: 41 }, (_, n) => tag(`t${n}`)) }), /more tags than/],
    [
      '11 bindings',
      change(project, { tags: Array.from({ length: 11 }, (_, n) => tag(`t${n}`, 'v')) }),
      /more tags than/,
    ],
    ['a flat tag of a project', change(project, { tags: [tag('a')] }), /only workspaces have/],
    ['a project in another shard', change(project, { l: 'ORG#acme#NP' }), /partition of the list index is not/],
    ['a record listed under another name', change(pool, { lk: 'other' }), /list index are not its organization's/],
    ['a stranger in the list', change(() => keys.user(ids.user), { l: 'a', lk: 'b' }), /does not belong/],

    ['a workspace without a claim', drop(claim('plain')), /name has no claim/],
    ['a workspace renamed without its claim', change(workspace, { name: 'renamed' }), /name has no claim/],
    ['a claim left after a rename', change(workspace, { name: 'renamed' }), /has another name/],
    [
      'two claims of one workspace',
      add(claim('twice'), 'workspace-name', () => ({ workspace: ids.workspace })),
      /another name/,
    ],
    [
      "a claim for another's workspace",
      change(claim('plain'), { workspace: 'ws-1' }),
      /claim on its name says something/,
    ],
    ['a claim of another project', change(claim('plain'), { project: 'prj-1' }), /claim on its name says something/],
    ['a claim of nothing', add(claim('orphan'), 'workspace-name', { workspace: 'ws-1' }), /no living workspace/],
    [
      'a claim of a tombstone',
      add(claim('dead'), 'workspace-name', () => ({ workspace: ids.gone })),
      /no living workspace/,
    ],
    ['a deleted project', drop(project), /its project prj-.* is not there/],
    ["another organization's project", change(project, { org: 'other' }), /its project .* is not there/],
    ['a deleted organization', drop(acme), /its organization is not there/],
    ['a deleted pool', drop(pool), /its agentPool .* is not there/],
    [
      'a pool that the organization defaults to',
      change(acme, { defaultAgentPool: 'apool-1' }),
      /agentPool apool-1 is not/,
    ],
    ['a key that is not there', change(workspace, { ssh: 'sshkey-1' }), /sshKey sshkey-1 is not there/],
    ['long text that is lost', drop(() => keys.workspaceText(ids.long)), /long text is not there/],
    ['long text of before', change(() => keys.workspaceText(ids.long), { rev: 7 }), /of another revision/],
    [
      'long text of nothing',
      add(() => keys.workspaceText('ws-1'), 'workspace-text', { txt: {}, rev: 1 }),
      /workspace is not there/,
    ],
    [
      'long text of a tombstone',
      add(() => keys.workspaceText(ids.gone), 'workspace-text', { txt: {}, rev: 1 }),
      /its long text is not/,
    ],
    [
      'long text of a short one',
      add(() => keys.workspaceText(ids.due), 'workspace-text', { txt: {}, rev: 1 }),
      /another revision/,
    ],
    ['two texts', change(() => keys.workspace(ids.long), { txt: {} }), /neither in it nor beside it, or in both/],
    ['a grant to nobody', nested(workspace, 'acc', { 'team-1': 'read' }), /team team-1 is not there/],
    ['a project grant to nobody', nested(project, 'acc', { 'team-1': 'read' }), /team team-1 is not there/],
    ['access that no id leads to', drop(accessId), /no id leads to the access of team-/],
    ['an id of no access', change(workspace, { acc: {} }), /leads to access that is not there/],
    ['an id of access elsewhere', change(accessId, { organization: 'other' }), /leads to access that is not there/],
    ["an id with another's key", change(accessId, { team: 'team-1' }), /key is not what its content spells/],
    [
      'an id of access to a tombstone, for ever',
      change(() => keys.workspace(ids.left), { d: undefined, dk: undefined }),
      /its workspace is deleted, and nothing/,
    ],
    ['permissions of nobody', nested(acme, 'acc', { 'team-1': 4 }), /team team-1 is not there/],

    ['a team without a claim', drop(() => keys.claim(organization, 'team', 'devs')), /name has no claim/],
    [
      'a claim of no team',
      add(() => keys.claim(organization, 'team', 'x'), 'name', { kind: 'team', id: 'team-1' }),
      /nothing that has it/,
    ],
    [
      'a claim of another name',
      add(
        () => keys.claim(organization, 'team', 'x'),
        'name',
        () => ({ kind: 'team', id: ids.team }),
      ),
      /nothing that has it/,
    ],
    [
      'a team that the organization forgot',
      (items) => nested(acme, 'acc', { [ids.team]: 0 })(items),
      /permissions are not those/,
    ],
    ['a deleted team', drop(team), /its team .* is not there/],
    ['a user without a username', drop(() => keys.username('ann')), /username has no claim/],
    ['a username of nobody', add(() => keys.username('ghost'), 'username', { id: 'user-1' }), /no user who has it/],
    ['a deleted user', drop(() => keys.user(ids.user)), /user is not there/],
    ['a membership that the team forgot', drop(() => keys.member(ids.team, ids.user)), /team does not know/],
    [
      'a membership that the user forgot',
      drop(() => keys.membership(ids.user, organization, ids.team)),
      /user does not know/,
    ],

    [
      'a membership of a team without that of its organization',
      drop(() => keys.organizationMembership(ids.user, organization)),
      /user does not belong to the organization/,
    ],
    [
      'a membership that the organization forgot',
      drop(() => keys.organizationMember(organization, ids.user)),
      /do not all lead to the same membership/,
    ],
    [
      'a membership of another id',
      change(() => keys.organizationMember(organization, ids.user), { id: 'ou-1' }),
      /do not all lead to the same membership/,
    ],
    ['an e-mail address that leads nowhere', drop(() => keys.email('ann@example.com', ids.user)), /not found by its/],
    [
      "another's e-mail address",
      change(() => keys.user(ids.user), { email: 'eve@example.com' }),
      /address of no user who has it/,
    ],

    [
      'a token without its mirror',
      drop(() => keys.tokenOf({ kind: 'team', id: ids.team }, ids.token)),
      /not all there/,
    ],
    ['a token without its pointer', drop(() => keys.pointer(ids.token)), /id leads to no token/],
    ['a mirror without its token', (items) => drop(() => keys.token(digestOf(items)))(items), /not all there/],
    [
      'a token of another subject',
      (items) => change(() => keys.token(digestOf(items)), { subject: 'team-1' })(items),
      /not all there|subject is not there/,
    ],
    [
      'a token that lasts longer',
      (items) => change(() => keys.token(digestOf(items)), { expiresAt: 1 })(items),
      /do not agree/,
    ],
    [
      'a token of a damaged kind',
      (items) => change(() => keys.token(digestOf(items)), { kind: 'god' })(items),
      /subject is not there/,
    ],
    ["a team's token that is not there", change(team, { token: 'at-1' }), /its token is not there/],
    [
      "a team's token as the organization's",
      (items) => change(acme, { token: ids.token })(items),
      /its token is not there, or another's/,
    ],
    ["an organization's token that is not there", change(acme, { token: 'at-1' }), /its token is not there/],
    ['no default project', change(acme, { defaultProject: 'prj-1' }), /project prj-1 is not there/],
    ['no owners', change(acme, { ownersTeam: 'team-1' }), /team team-1 is not there/],
    ['owners who own nothing', change(acme, { acc: {} }), /owners team does not own it/],
    ['releases that are no set', change(() => keys.releases(), { added: ['1.0.0'] }), /versions are no sets/],
    ['a variable that is not counted', change(workspace, { vn: 2 }), /another number of variables than it counts/],
    ['a count without a mark', change(workspace, { hv: undefined }), /does not count its variables/],
    ['a mark without a count', change(workspace, { vn: undefined }), /does not count its variables/],
    ['a variable under another key', change(plain, { key: 'other' }), /key is not what its content spells/],
    ['a variable of no category', change(plain, { category: 'x' }), /no id, category or key/],
    ['a variable without a value', change(plain, { value: undefined }), /neither a value nor a sealed one/],
    ['a secret with its value', change(secret, { value: 'v' }), /neither a value nor a sealed one, or both/],
    ['a secret that was never sealed', change(secret, { sealed: 'v' }), /neither a value nor a sealed one/],
    ['a variable without a version', change(plain, { version: undefined }), /no time, or no version/],
    ['a variable without flags', change(plain, { hcl: undefined }), /its flags or its description are missing/],
    ['an id that leads elsewhere', change(pointer, { key: 'secret' }), /leads nowhere, or elsewhere/],
    ['an id that leads to another variable', change(pointer, { key: 'secret' }), /not there, or another one/],
    ['an id that leads nowhere', change(pointer, { key: undefined }), /neither leads to a variable nor says/],
    ['an id that is dead and alive', change(pointer, { gone: 1, ttl: 1, request: 'r' }), /neither leads .* nor says/],
    ['an id of no workspace', change(pointer, { workspace: undefined }), /does not say whose variable/],
    ['an id of another organization', change(pointer, { organization: 'other' }), /names another organization/],
    ['a variable of no workspace', drop(workspace), /its workspace is not there/],
    [
      'a variable left of a deleted workspace',
      change(workspace, { gone: 1, ttl: 1, d: undefined, dk: undefined }),
      /its workspace is deleted, and nothing would delete it/,
    ],
  ])('reports %s', async (_, damage, problem) => {
    const items = new Map(healthy);
    damage(items);
    const { findings, findingCount } = await checkTable(holding(items));
    expect(findings.map((finding) => finding.problem)).toContainEqual(expect.stringMatching(problem));
    expect(findingCount).toBe(findings.length);
  });

  test('reports the removal of any item that others depend on', async () => {
    // The releases item is created by the first change. Without it, the default releases apply.
    const unmissed = new Set(['releases', 'project-tombstone']);
    const unneeded = [
      spell(keys.pointer(ids.deleted)),
      spell(gone()),
      spell(accessIdKey(ids.left, ids.team)),
      spell(keys.consumers(ids.workspace, ids.replaced, 0)),
    ];
    for (const [key, item] of healthy) {
      const items = new Map(healthy);
      items.delete(key);
      const { findingCount } = await checkTable(holding(items));
      expect(findingCount === 0, `${item['ty']} at ${key}`).toBe(
        unmissed.has(String(item['ty'])) || unneeded.includes(key),
      );
    }
  });

  test('lists at most 100 findings, but counts all of them', async () => {
    const items = new Map(healthy);
    for (let index = 0; index < 150; index++) items.set(`X ${index}`, { pk: 'X', sk: String(index), ty: 'x', v: 1 });
    const { findings, findingCount } = await checkTable(holding(items));
    expect(findingCount).toBe(150);
    expect(findings).toHaveLength(100);
  });

  test('reports no finding that a second scan does not confirm', async () => {
    const damaged = new Map(healthy);
    drop(claim('plain'))(damaged);
    const scans = [damaged, healthy];
    const database: Database = {
      ...engine.database,
      scan: async function* () {
        yield* scans.shift()?.values() ?? [];
      },
    };
    expect(await checkTable(database)).toMatchObject({ findingCount: 0 });
    expect(scans).toEqual([]);
  });

  test('reports a finding in the stored table', async () => {
    const key = keys.claim(organization, 'workspace', 'planted');
    const write = put(key, 'workspace-name', { workspace: ids.workspace, project: ids.project });
    await engine.database.write(write);
    expect(await checkTable(engine.database)).toMatchObject({
      findingCount: 1,
      findings: [{ key: spell(key), problem: 'the workspace that it names has another name' }],
    });
    await engine.database.write({ kind: 'delete', key });
    expect(await checkTable(engine.database)).toMatchObject({ findingCount: 0 });
  });
});
