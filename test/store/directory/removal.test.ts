import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { openAdminDependencies } from '../../../functions/admin/dependencies.ts';
import type { NamedKind } from '../../../shared/domain/directory/records.ts';
import type { Stored } from '../../../shared/domain/directory/transitions/plan.ts';
import { prefixes } from '../../../shared/domain/ids.ts';
import { grantAccess } from '../../../shared/domain/transitions/relationships/change-team-access.ts';
import { forceDelete } from '../../../shared/domain/transitions/workspaces/delete-workspace.ts';
import { newVariable } from '../../../shared/domain/workspace/variable.ts';
import type { Workspace } from '../../../shared/domain/workspace/workspace-record.ts';
import { base58, versionId } from '../../../shared/lib/random.ts';
import { openDirectory } from '../../../shared/store/directory/directory-reader.ts';
import { openClosing } from '../../../shared/store/directory/removal/close.ts';
import type { Database } from '../../../shared/store/dynamodb/database.ts';
import { type Item, keys } from '../../../shared/store/dynamodb/keys.ts';
import { recordKey } from '../../../shared/store/items/record-items.ts';
import { openListIndexes } from '../../../shared/store/list-index/list-index-store.ts';
import { openVariables } from '../../../shared/store/variables/variable-store.ts';
import { serviceRequest } from '../../../shared/store/workspaces/service-request.ts';
import { openAdmin } from '../../support/api/admin.ts';
import { storeSshKey } from '../../support/api/create-ssh-key.ts';
import { newWorkspace } from '../../support/api/new-workspace.ts';
import { startEngine, type TestEngine } from '../../support/engine/engine.ts';
import { scanItems } from '../../support/engine/scan-items.ts';
import { followStream } from '../../support/engine/table-stream.ts';
import { createSeededRandom } from '../../support/models/seeded-random.ts';

/** The protocol by which records are deleted, whose names are free at once (REMOVE-1 to REMOVE-4). */
const SETTLING = 30_000;
let engine: TestEngine;
let opened: ReturnType<typeof openAdmin>;
let stream: Awaited<ReturnType<typeof followStream>>;
/** Advance of the clock, so that nothing waits. */
let later = 0;
const clock = () => Date.now() + later;

let organization: string;
let defaultProject: string;

beforeAll(async () => {
  engine = await startEngine();
  opened = openAdmin(engine.database, clock);
  stream = await followStream(engine);
  organization = `o-${base58(8)}`;
  const made = await opened.admin('create-organization', { name: organization, email: 'ada@example.com' });
  defaultProject = made['organization'].defaultProject;
});
afterAll(() => engine.stop());

/** Deletions as in a deployment, where the second step waits. */
const openRemovals = (database: Database = engine.database) =>
  openAdminDependencies(database, clock, { settling: SETTLING }).removal;

const request = () => ({ id: base58(8), principal: { kind: 'user', id: 'user-x', name: 'x' } as const });

/** Creates a workspace as a request would that read the project and other records before they were deleted. */
const createWorkspace = async (
  project = defaultProject,
  attributes: object = {},
  known: Parameters<typeof newWorkspace>[2] = {},
): Promise<Workspace> => {
  const workspace = newWorkspace({ organization, project }, { name: `w-${base58(8)}`, ...attributes }, known);
  await opened.workspaces.create(workspace, 4);
  return workspace;
};
const find = async ({ id }: Workspace) => (await opened.workspaces.find(id)) as Workspace;

interface DeletedKind {
  readonly kind: NamedKind;
  /** Creates a record of that name. @returns its id. */
  readonly create: (name: string) => Promise<string>;
  /** Uses the record in a workspace, as a request does that has read it before its deletion. */
  readonly use: (id: string) => Promise<Workspace>;
  /** Whether a record in use cannot be deleted. */
  readonly isKept: boolean;
  /** Type and keys of the event, and the attributes of the workspace that used a deleted record. */
  readonly repaired: () => { readonly type: string; readonly keys?: readonly string[]; readonly attributes: object };
}

const createOf =
  (kind: NamedKind, command: string, more: object = {}) =>
  async (name: string): Promise<string> => {
    const { [kind]: created, errors } = await opened.admin(command, { organization, name, ...more });
    if (created === undefined) throw new Error(errors[0].detail);
    return String(created.id);
  };

const kinds: readonly DeletedKind[] = [
  {
    kind: 'project',
    create: createOf('project', 'create-project'),
    use: (id) => createWorkspace(id),
    isKept: true,
    repaired: () => ({ type: 'workspace.moved', keys: ['project'], attributes: { project: defaultProject } }),
  },
  {
    kind: 'team',
    create: createOf('team', 'create-team', { permissions: 'read-workspaces' }),
    use: async (id) => {
      const workspace = await createWorkspace();
      await opened.workspaces.apply(workspace, grantAccess(id, 'write'), request());
      return workspace;
    },
    isKept: false,
    repaired: () => ({ type: 'workspace.access-changed', attributes: { access: {} } }),
  },
  {
    kind: 'agentPool',
    create: createOf('agentPool', 'create-agent-pool'),
    use: (id) => {
      const agentPool = { id, organization, name: 'pool', createdAt: 1 };
      return createWorkspace(undefined, { executionMode: 'agent', agentPool: id }, { agentPool });
    },
    isKept: true,
    repaired: () => ({
      type: 'workspace.updated',
      keys: ['executionMode', 'agentPool', 'overwrites'],
      attributes: {
        settings: expect.objectContaining({ executionMode: null, agentPool: null }),
        overwrites: { executionMode: false, agentPool: false },
      },
    }),
  },
  {
    kind: 'sshKey',
    create: async (name) => (await storeSshKey(opened.directory, organization, name)).id,
    use: async (id) => {
      const workspace = { ...newWorkspace({ organization, project: defaultProject }, { name: base58(8) }), sshKey: id };
      await opened.workspaces.create(workspace, 4);
      return workspace;
    },
    isKept: false,
    repaired: () => ({ type: 'workspace.updated', keys: ['ssh-key'], attributes: { sshKey: null } }),
  },
  {
    kind: 'vcsConnection',
    create: createOf('vcsConnection', 'create-vcs-connection', {
      serviceProvider: 'github',
      httpUrl: 'https://github.com',
    }),
    use: async (id) => {
      const found = await openDirectory(engine.database, clock).records.find([{ kind: 'vcsConnection', id }], true);
      const vcsConnection = found('vcsConnection', id) ?? {
        ...{ id, organization, name: 'hub', serviceProvider: 'github', httpUrl: 'https://github.com', createdAt: 1 },
        apiUrl: 'https://api.github.com',
      };
      const vcsRepo = { identifier: 'org/repo', oauthTokenId: id };
      return createWorkspace(undefined, { vcsRepo }, { vcsConnection: vcsConnection as never });
    },
    isKept: true,
    repaired: () => ({ type: 'workspace.updated', keys: ['vcsRepo'], attributes: { vcsRepo: null } }),
  },
  {
    kind: 'appInstallation',
    create: createOf('appInstallation', 'create-app-installation'),
    use: (id) => {
      const vcsRepo = { identifier: 'org/repo', appInstallationId: id };
      const connected = newWorkspace({ organization, project: defaultProject }, { name: base58(8) });
      const provider = {
        oauthTokenId: null,
        serviceProvider: 'github_app',
        httpUrl: 'https://github.com',
        clientName: null,
      };
      const repository = { branch: '', ingressSubmodules: false, tagsRegex: null, ...provider, ...vcsRepo };
      const workspace = { ...connected, vcsRepo: repository } as Workspace;
      return opened.workspaces.create(workspace, 4).then(() => workspace);
    },
    isKept: true,
    repaired: () => ({ type: 'workspace.updated', keys: ['vcsRepo'], attributes: { vcsRepo: null } }),
  },
];

const drop = async (workspace: Workspace) => {
  const by = request();
  await opened.workspaces.apply(await find(workspace), forceDelete(by, clock()), by);
};

const findings = async () => (await opened.check()).findings;

const finishLater = async (key: ReturnType<typeof recordKey>) => {
  later += SETTLING;
  await openRemovals().finish(serviceRequest('cleanup'), key);
};

/** Returns the keys of unfinished deletions among the records with these ids. */
const closingAmong = async (...ids: readonly string[]) =>
  (await opened.check()).closing.filter((key) => ids.some((id) => key.includes(id)));

const isOpen = async (kind: NamedKind, id: string) =>
  (await opened.directory.records.find(kind, organization, id)) !== undefined;

const beginDeletion = async (kind: NamedKind, id: string, database?: Database) => {
  const removal = openRemovals(database);
  return removal.begin(serviceRequest('cleanup'), await removal.findRecord(kind, organization, id));
};

describe.each(kinds)('the deletion of a record of kind $kind', ({ kind, create, use, repaired }) => {
  const begin = (id: string, database?: Database) => beginDeletion(kind, id, database);

  test('frees the name at once, and never removes the next record of that name', async () => {
    const name = `n-${base58(8)}`;
    const first = await create(name);
    await begin(first);
    const second = await create(name);
    expect(second).not.toBe(first);
    expect(await isOpen(kind, first)).toBe(false);
    expect(await findings()).toEqual([]);
    await begin(second);
    const third = await create(name);
    await finishLater(recordKey(kind, first));
    await openRemovals().finish(serviceRequest('cleanup'), recordKey(kind, second));
    expect(await opened.directory.records.find(kind, organization, name)).toMatchObject({ id: third });
    expect(await closingAmong(first, second)).toEqual([]);
    expect(await findings()).toEqual([]);
  });

  test('is final: a workspace that a late request wrote is repaired, with one event', async () => {
    const id = await create(`n-${base58(8)}`);
    await begin(id);
    const workspace = await use(id);
    const { sequence, revision } = await find(workspace);
    expect(await findings()).toEqual([]);
    await finishLater(recordKey(kind, id));
    const { type, keys: changed, attributes } = repaired();
    const after = await find(workspace);
    expect(after).toMatchObject({
      ...attributes,
      sequence: sequence + 1,
      change: { type, actor: { kind: 'service' }, ...(changed && { keys: changed }) },
    });
    expect(after.revision).toBeGreaterThanOrEqual(revision);
    expect(await isOpen(kind, id)).toBe(false);
    expect(await findings()).toEqual([]);
    await openRemovals().finish(serviceRequest('cleanup'), recordKey(kind, id));
    expect((await find(workspace)).sequence).toBe(sequence + 1);
  });

  test('is completed by the cleanup after a crash before any of its writes', async () => {
    for (let survives = 0; ; survives++) {
      const name = `n-${base58(8)}`;
      const id = await create(name);
      let left = survives;
      const guarded = <R>(write: () => R): R => {
        if (left-- === 0) throw new Error('killed');
        return write();
      };
      const killed: Database = {
        ...engine.database,
        write: async (write, remaining) => guarded(() => engine.database.write(write, remaining)),
        transact: async (writes, remaining) => guarded(() => engine.database.transact(writes, remaining)),
      };
      const isKilled = await begin(id, killed).then(
        () => false,
        () => true,
      );
      expect(await findings(), `after ${survives} writes`).toEqual([]);
      await finishLater(recordKey(kind, id));
      expect(await findings(), `after ${survives} writes and the cleanup`).toEqual([]);
      // Before the first write, nothing has begun.
      expect(await isOpen(kind, id)).toBe(survives === 0 && isKilled);
      if (!isKilled) {
        expect(survives).toBeGreaterThanOrEqual(2);
        return;
      }
    }
  });

  test('leaves a consistent table and unique names when it races with uses and with creations of that name', async () => {
    const random = createSeededRandom(11);
    const name = `n-${base58(8)}`;
    const deleted = new Set<string>();
    const known = new Set<string>();
    const workspaces: Workspace[] = [];
    const outcomes: string[] = [];
    for (let round = 0; round < 3; round++) {
      known.add(await create(name));
      const [id = ''] = [...known].slice(-1);
      const pause = () => new Promise((resolve) => setTimeout(resolve, random() * 8));
      const calls = [
        ...Array.from({ length: 3 }, () => async () => {
          await begin(id);
          deleted.add(id);
        }),
        async () => void known.add(await create(name)),
        async () => {
          if (await isOpen(kind, id)) workspaces.push(await use(id));
        },
      ];
      const settled = await Promise.allSettled(calls.map((call) => pause().then(call)));
      outcomes.push(...settled.map((one) => (one.status === 'fulfilled' ? 'done' : one.reason.message)));
      // A final deletion is never undone.
      for (const one of deleted) expect(await isOpen(kind, one)).toBe(false);
      for (const workspace of workspaces.splice(0)) await drop(workspace);
    }
    expect(outcomes).toContain('done');
    const expected = /^done$|still|while it was being deleted|There is no|Name has already been taken/;
    expect(outcomes.filter((outcome) => !expected.test(outcome))).toEqual([]);
    expect(await findings()).toEqual([]);
    later += SETTLING;
    for (const id of known) await openRemovals().finish(serviceRequest('cleanup'), recordKey(kind, id));
    expect(await findings()).toEqual([]);
    expect(await closingAmong(...known)).toEqual([]);
  });

  test('cannot release the name of a record that another deletion has reopened', async () => {
    const id = await create(`n-${base58(8)}`);
    const closing = openClosing(opened.directory.table);
    const by = serviceRequest('cleanup');
    const read = async () => (await closing.read(recordKey(kind, id))) as Stored;
    const stored = await read();
    const close = async (one: Stored) => closing.close(by, one, await closing.findClaim(one), SETTLING);
    const first = await close(stored);
    const second = await close(stored);
    if (first === undefined || second === undefined) throw new Error('The record is not closing');
    expect(await closing.reopen(by, second)).toBe(true);
    expect(await closing.finalize(by, first)).toBe(false);
    // Closed again: the mark is another one, and the claim has another version.
    const third = await close(await read());
    expect(await closing.finalize(by, first)).toBe(false);
    if (third === undefined) throw new Error('The record is not closing');
    expect(await closing.finalize(by, third)).toBe(true);
    expect(await closing.reopen(by, third)).toBe(false);
    expect(await isOpen(kind, id)).toBe(false);
    await finishLater(recordKey(kind, id));
    expect(await findings()).toEqual([]);
  });
});

describe.each(kinds.filter(({ isKept }) => isKept))('the deletion of a $kind in use', ({ kind, create, use }) => {
  const begin = (id: string, database?: Database) => beginDeletion(kind, id, database);

  test('is rejected while the record is in use, which keeps its name', async () => {
    const name = `n-${base58(8)}`;
    const id = await create(name);
    const workspace = await use(id);
    await expect(begin(id)).rejects.toMatchObject({ code: 'conflict' });
    expect(await create(name)).toBe(id);
    await drop(workspace);
    await begin(id);
    expect(await isOpen(kind, id)).toBe(false);
  });

  test('is reverted if a use is found after the mark, and can then be repeated', async () => {
    const id = await create(`n-${base58(8)}`);
    const key = recordKey(kind, id);
    let late: Workspace | undefined;
    const racing: Database = {
      ...engine.database,
      write: async (write, remaining) => {
        const item = await engine.database.write(write, remaining);
        if (write.key.pk === key.pk) late ??= await use(id);
        return item;
      },
    };
    await expect(begin(id, racing)).rejects.toMatchObject({ code: 'conflict' });
    expect(await isOpen(kind, id)).toBe(true);
    expect(await findings()).toEqual([]);
    expect(await closingAmong(id)).toEqual([]);
    await drop(late as Workspace);
    await begin(id);
    expect(await isOpen(kind, id)).toBe(false);
  });
});

describe('the deletion of an organization', () => {
  const createOrganization = async (name: string) =>
    opened.admin('create-organization', { name, email: `${name}@example.com` });
  const begin = async (name: string) => openRemovals().beginOrganization(serviceRequest('cleanup'), name);

  test('is final: a workspace that a late request created is deleted, with an event', async () => {
    const name = `o-${base58(8)}`;
    const { organization: made } = await createOrganization(name);
    await begin(name);
    const workspace = newWorkspace({ organization: name, project: made.defaultProject }, { name: 'late' });
    await opened.workspaces.create(workspace, 4);
    expect(await findings()).toEqual([]);
    await stream.skip();
    await finishLater(keys.organization(name));
    const images = (await stream.sinceLast()).map(({ dynamodb }) => dynamodb?.NewImage);
    const changes = images
      .filter((image) => image?.['id']?.S === workspace.id)
      .map((image) => image?.['chg']?.M?.['type']?.S);
    expect(changes).toEqual(['workspace.deleted']);
    expect(await engine.database.get(keys.organization(name), true)).toBeUndefined();
    expect(await findings()).toEqual([]);
  });

  test('keeps the name taken until the dependants of its workspaces are removed', async () => {
    const name = `o-${base58(8)}`;
    const { organization: made } = await createOrganization(name);
    const workspace = newWorkspace({ organization: name, project: made.defaultProject }, { name: 'w' });
    await opened.workspaces.create(workspace, 4);
    const whose = {
      id: prefixes.variable + base58(16),
      workspace: workspace.id,
      createdAt: clock(),
      version: versionId(),
    };
    const draft = newVariable(whose, { key: 'key', category: 'env' });
    const variables = openVariables(engine.database, opened.workspaces, clock);
    await variables.create(await find(workspace), { ...draft, content: { value: 'v' } }, request());
    await drop(workspace);

    expect(await begin(name)).toBe(true);
    await finishLater(keys.organization(name));
    expect(await createOrganization(name)).toMatchObject({
      errors: [{ status: '422', detail: 'Name has already been taken' }],
    });
    // The cleanup has removed the variable with its pointer.
    for (const key of [keys.variable(workspace.id, 'env', 'key'), keys.pointer(whose.id)])
      await engine.database.write({ kind: 'delete', key });
    const mark = { UpdateExpression: 'REMOVE d, dk' };
    await engine.database.write({ kind: 'update', key: keys.workspace(workspace.id), ...mark });
    await openRemovals().finish(serviceRequest('cleanup'), keys.organization(name));
    expect((await createOrganization(name))['token']).toMatch(/^hfu_/);
    expect(await findings()).toEqual([]);
  });

  test('leaves nothing of its workspaces and projects to the next organization of that name', async () => {
    const name = `o-${base58(8)}`;
    const { organization: made } = await createOrganization(name);
    const workspace = newWorkspace({ organization: name, project: made.defaultProject }, { name: 'w' });
    await opened.workspaces.create(workspace, 4);
    await opened.admin('create-project', { organization: name, name: 'Old' });
    const listIndexes = openListIndexes(engine.database, clock);
    const directory = openDirectory(engine.database, clock);
    const list = async () => {
      const found = await directory.organizations.find(name, true);
      if (found === undefined) throw new Error('The organization does not exist');
      return (await listIndexes.open(found)).size();
    };
    expect(await list()).toBe(1);
    await opened.admin('delete-project', { organization: name, name: 'Old' });
    await drop(workspace);
    await begin(name);
    await finishLater(keys.organization(name));
    const left: Item[] = [];
    for await (const item of scanItems(engine.database))
      if (String(item['l']).startsWith(`ORG#${name}#`)) left.push(item);
    expect(left).toEqual([]);

    await createOrganization(name);
    // The instance still has the list index of the deleted organization in memory.
    expect(await list()).toBe(0);
  });
});
