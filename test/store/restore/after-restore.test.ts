import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { mintToken, newToken } from '../../../shared/access/credentials.ts';
import { lock } from '../../../shared/domain/transitions/locks/lock.ts';
import { forceUnlock } from '../../../shared/domain/transitions/locks/unlock.ts';
import type { RequestContext, Transition } from '../../../shared/domain/transitions/transition.ts';
import { requestDestroy } from '../../../shared/domain/transitions/workspaces/destroy-runs.ts';
import type { Workspace } from '../../../shared/domain/workspace/workspace-record.ts';
import { newId } from '../../../shared/lib/random.ts';
import { openDirectoryWriter } from '../../../shared/store/directory/directory-writer.ts';
import { openLinkIdentities } from '../../../shared/store/directory/sign-in/link-identities.ts';
import { openSessionWriter } from '../../../shared/store/directory/sign-in/session-writer.ts';
import type { Database } from '../../../shared/store/dynamodb/database.ts';
import { keys, sortableTime } from '../../../shared/store/dynamodb/keys.ts';
import { type StateObject, sequenceDistance } from '../../../shared/store/restore/after-restore.ts';
import { openStateVersionChanges } from '../../../shared/store/state-versions/state-version-changes.ts';
import { openStateVersions } from '../../../shared/store/state-versions/state-version-reader.ts';
import { openAdmin } from '../../support/api/admin.ts';
import { newWorkspace } from '../../support/api/new-workspace.ts';
import { startEngine, type TestEngine } from '../../support/engine/engine.ts';
import { scanItems } from '../../support/engine/scan-items.ts';

/** A table from the middle of a day, next to the table that it replaces as it was at the end of that day. */
let replaced: TestEngine;
let restored: TestEngine;
let people: Record<'ann' | 'bob' | 'carol' | 'dora', string>;
let tokens: Record<'revoked' | 'kept' | 'ofDeleted', string>;
let sessions: Record<'ended' | 'kept', string>;
let workspaces: Record<'network' | 'held' | 'busy' | 'due' | 'requested', Workspace>;
const organization = 'acme';
const request = (): RequestContext => ({ id: `r-${Math.random()}`, principal: { kind: 'user', id: 'u', name: 'ann' } });
const hold = (id: string) => ({ id, reason: '', at: 1 });

beforeAll(async () => {
  replaced = await startEngine();
  const { admin, workspaces: store } = openAdmin(replaced.database);
  const created = await admin('create-organization', { name: organization, email: 'ann@example.com' });
  await admin('create-team', { organization, name: 'devs' });
  const join = async (username: string): Promise<string> => {
    const { user } = await admin('create-user', { username, email: `${username}@example.com` });
    await admin('add-member', { organization, team: 'devs', username });
    return user.id;
  };
  people = { ann: created['user'].id, bob: await join('bob'), carol: await join('carol'), dora: await join('dora') };
  const createToken = async (username: string) => (await admin('create-token', { kind: 'user', username }))['id'];
  tokens = { revoked: await createToken('bob'), kept: await createToken('bob'), ofDeleted: await createToken('carol') };
  const create = async (name: string, changes: Partial<Workspace> = {}): Promise<Workspace> => {
    const project = created['organization'].defaultProject;
    const workspace = { ...newWorkspace({ organization, project }, { name }), ...changes };
    await store.create(workspace, 4);
    return workspace;
  };
  const createDue = async (name: string): Promise<Workspace> => {
    const { settings } = newWorkspace({ organization, project: '' }, { name });
    return create(name, { settings: { ...settings, autoDestroyAt: 1_000 } });
  };
  const [network, held, busy] = [await create('network'), await create('held'), await create('busy')];
  for (const workspace of [held, busy]) await store.apply(workspace, lock(request(), hold(workspace.name)), request());
  const versions = openStateVersions(replaced.database);
  const changes = openStateVersionChanges(replaced.database, store, versions, Date.now);
  await store.apply(network, lock(request(), hold('network')), request());
  const find = async () => (await store.find(network.id)) as Workspace;
  const draft = {
    ...{ workspace: network.id, createdAt: 1_000, serial: 1, lineage: null, md5: '0'.repeat(32) },
    ...({ status: 'pending', intermediate: false, until: Date.now() + 60_000, run: null } as const),
    createdBy: { kind: 'user', id: people.ann } as const,
  };
  const version = await changes.createStateVersion(await find(), draft, request(), { force: false });
  const content = { size: 1, object: 'missing', resources: 1, format: 4, terraformVersion: null, outputs: [] };
  await changes.finalizeStateVersion(await find(), version, content, request());
  await store.apply(await find(), forceUnlock(request()), request());
  const [due, requested] = [await createDue('due'), await createDue('requested')];
  workspaces = { network: await find(), held, busy, due, requested };

  const { table, users } = openDirectoryWriter(replaced.database, Date.now);
  const { start, renew, end } = openSessionWriter(table, users);
  const identity = { provider: 'corporate', issuer: 'https://idp.example', subject: 'ann' };
  await openLinkIdentities(table, users).link(request(), { id: people.ann }, identity);
  const startSession = async (): Promise<string> => {
    const id = newId('session', request());
    const origin = { user: people.ann, ...identity, sid: id };
    await start(request(), { id, digest: id, ...origin }, { hours: 12, idleMinutes: 60 });
    const token = newToken(request(), mintToken('session'), { description: null });
    await renew(request(), { id, digest: id }, token);
    return id;
  };
  sessions = { ended: await startSession(), kept: await startSession() };

  restored = await replaced.copy();

  await end(request(), sessions.ended);
  await admin('suspend-user', { username: 'dora' });

  await admin('revoke-token', { id: tokens.revoked });
  await admin('remove-member', { organization, username: 'bob' });
  await admin('delete-user', { username: 'carol' });
  const change = async ({ id }: Workspace, transition: Transition) =>
    store.apply((await store.find(id)) as Workspace, transition, request());
  await change(held, forceUnlock(request()));
  await change(requested, requestDestroy(request(), Date.now()));
});
afterAll(async () => {
  await restored.stop();
  await replaced.stop();
});

const lost: StateObject = { id: 'sv-1', createdAt: 2_000, key: 'states/lost', version: 'v2' };
const removedSnapshots: string[] = [];
/** Runs the command on a copy of the restored table. */
const afterRestore = async (
  parameters: object,
  options: { readonly withoutReplaced?: true; readonly clock?: () => number } = {},
) => {
  const copy = await restored.copy();
  const { database } = copy;
  const admin = openAdmin(database, options.clock ?? Date.now, {
    ...(!options.withoutReplaced && { replaced: replaced.database }),
    listStates: async (workspace) => (workspace === workspaces.network.id ? [lost] : []),
    removeSnapshot: async (name) => {
      removedSnapshots.push(name);
    },
  });
  const report = await admin.admin('after-restore', parameters);
  return { database, report, check: admin.check };
};
const compare = { tokens: 'compare', memberships: 'compare', locks: 'compare', destroyRuns: 'compare' };
const hasToken = async (database: Database, id: string): Promise<boolean> =>
  (await database.get(keys.pointer(id), true)) !== undefined;
const hasSession = async (database: Database, id: string): Promise<boolean> =>
  (await database.get(keys.session(id), true)) !== undefined;
const isMember = async (database: Database, user: string): Promise<boolean> =>
  (await database.get(keys.organizationMembership(user, organization), true)) !== undefined;
const lockOf = async (database: Database, { id }: Workspace) =>
  (await database.get(keys.workspace(id), true))?.['lock'];

describe('after a restore', () => {
  it('ends the tokens, memberships and locks that have ended in the replaced table, and no others', async () => {
    const { database, report, check } = await afterRestore(compare);
    expect(report).toMatchObject({
      endedTokens: {
        count: 2,
        first: expect.arrayContaining([{ id: tokens.revoked, kind: 'user', subject: people.bob }]),
      },
      releasedLocks: { count: 1, first: [{ workspace: workspaces.held.id, name: 'held', organization }] },
      left: 0,
    });
    expect(report['endedMemberships'].first).toContainEqual({ organization, user: people.bob });
    expect(await Promise.all([tokens.revoked, tokens.kept].map((id) => hasToken(database, id)))).toEqual([false, true]);
    expect(await Promise.all([people.ann, people.bob].map((id) => isMember(database, id)))).toEqual([true, false]);
    expect(await lockOf(database, workspaces.held)).toBeUndefined();
    expect(await lockOf(database, workspaces.busy)).toBeDefined();
    expect(await check()).toMatchObject({ findings: [] });
  });

  it('ends a session that has ended in the replaced table with its token, and no other', async () => {
    const { database, report, check } = await afterRestore(compare);
    expect(report['endedSessions']).toEqual({ count: 1, first: [{ id: sessions.ended, user: people.ann }] });
    expect(await Promise.all([sessions.ended, sessions.kept].map((id) => hasSession(database, id)))).toEqual([
      false,
      true,
    ]);
    expect(await check()).toMatchObject({ findings: [] });
  });

  it('suspends a user who is suspended in the replaced table, with all tokens', async () => {
    const { database, report, check } = await afterRestore(compare);
    expect(report['suspendedUsers']).toEqual({ count: 1, first: [{ id: people.dora, username: 'dora' }] });
    expect(await database.get(keys.user(people.dora), true)).toHaveProperty('suspendedAt');
    expect(await check()).toMatchObject({ findings: [] });
  });

  it('keeps the rights of a user who was deleted since, because the restore brings the user back', async () => {
    const { database } = await afterRestore(compare);
    expect(await isMember(database, people.carol)).toBe(true);
    expect(await hasToken(database, tokens.ofDeleted)).toBe(true);
  });

  it('raises sequence numbers and fencing tokens further at each restore of the same table', async () => {
    const first = Date.now();
    const { seq = 0, fence = 0 } = (await restored.database.get(keys.workspace(workspaces.busy.id), true)) ?? {};
    for (const now of [first, first + 3_600_000]) {
      const { database, report } = await afterRestore(compare, { clock: () => now });
      expect(await database.get(keys.workspace(workspaces.busy.id), true)).toMatchObject({
        seq: Number(seq) + sequenceDistance(now),
        fence: Number(fence) + sequenceDistance(now),
      });
      expect(report['raisedSequences']).toBeGreaterThan(10);
    }
  });

  it('skips a due destroy run that the replaced table has requested, and keeps one that is due there too', async () => {
    const { database, report, check } = await afterRestore(compare);
    expect(report['skippedDestroyRuns']).toEqual({
      count: 1,
      first: [{ workspace: workspaces.requested.id, name: 'requested', organization }],
    });
    const dueOf = async ({ id }: Workspace) => (await database.get(keys.workspace(id), true))?.['dk'];
    expect(await Promise.all([workspaces.due, workspaces.requested].map(dueOf))).toEqual([
      sortableTime(1_000),
      undefined,
    ]);
    expect(await check()).toMatchObject({ findings: [] });
  });

  it('reports states without a state version, and state versions without a state', async () => {
    const { report } = await afterRestore(compare);
    expect(report['statesWithoutVersion']).toEqual({
      count: 1,
      first: [{ workspace: workspaces.network.id, ...lost }],
    });
    expect(report['versionsWithoutState']).toEqual({
      count: 1,
      first: [{ workspace: workspaces.network.id, id: expect.any(String), serial: 1 }],
    });
    expect(removedSnapshots).toContain(organization);
  });

  it('ends all tokens and locks on request, without the replaced table', async () => {
    const choices = { tokens: 'end', memberships: 'keep', locks: 'end', destroyRuns: 'end' };
    const { database, report, check } = await afterRestore(choices, { withoutReplaced: true });
    expect(report).toMatchObject({
      endedTokens: { count: 6 },
      endedSessions: { count: 2 },
      endedMemberships: { count: 0 },
      releasedLocks: { count: 2 },
      skippedDestroyRuns: { count: 2 },
    });
    expect(await Promise.all(Object.values(tokens).map((id) => hasToken(database, id)))).toEqual([false, false, false]);
    expect(await lockOf(database, workspaces.busy)).toBeUndefined();
    expect(await check()).toMatchObject({ findings: [] });
  });

  it('rejects a comparison without the replaced table with 422 that names the parameter', async () => {
    const { report } = await afterRestore(compare, { withoutReplaced: true });
    expect(report['errors']).toMatchObject([{ status: '422', source: { pointer: '/tokens' } }]);
  });

  it('reports in a dry run what it would do, and changes nothing', async () => {
    const { database, report } = await afterRestore({ ...compare, dryRun: true });
    const { report: real } = await afterRestore(compare);
    expect(report).toEqual(real);
    expect(await hasToken(database, tokens.revoked)).toBe(true);
    const items = async (table: Database) => {
      const found = [];
      for await (const item of scanItems(table)) found.push(item);
      return found;
    };
    expect(await items(database)).toEqual(await items(restored.database));
  });
});
