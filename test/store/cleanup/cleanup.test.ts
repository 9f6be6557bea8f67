import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { cleanupDue } from '../../../functions/cleanup/cleanup.ts';
import { prefixes } from '../../../shared/domain/ids.ts';
import type { Transition } from '../../../shared/domain/transitions/transition.ts';
import { forceDelete, safeDelete } from '../../../shared/domain/transitions/workspaces/delete-workspace.ts';
import { newVariable } from '../../../shared/domain/workspace/variable.ts';
import type { Workspace } from '../../../shared/domain/workspace/workspace-record.ts';
import { base58, versionId } from '../../../shared/lib/random.ts';
import { createLogger } from '../../../shared/logging/log.ts';
import { openCleanup } from '../../../shared/store/cleanup/cleanup-queue.ts';
import { openDirectoryWriter } from '../../../shared/store/directory/directory-writer.ts';
import { openRemoval } from '../../../shared/store/directory/removal/open-removal.ts';
import type { Database } from '../../../shared/store/dynamodb/database.ts';
import { type Item, keys, WORKSPACE } from '../../../shared/store/dynamodb/keys.ts';
import { openActivityCounter } from '../../../shared/store/history/activity-counter.ts';
import { openVariableSets } from '../../../shared/store/variable-sets/variable-set-store.ts';
import { openVariables } from '../../../shared/store/variables/variable-store.ts';
import { openAutoDestroy } from '../../../shared/store/workspaces/auto-destroy.ts';
import { serviceRequest } from '../../../shared/store/workspaces/service-request.ts';
import { openWorkspaces } from '../../../shared/store/workspaces/workspace-store.ts';
import { openAdmin } from '../../support/api/admin.ts';
import { storeSshKey } from '../../support/api/create-ssh-key.ts';
import { newWorkspace } from '../../support/api/new-workspace.ts';
import { noBlobs } from '../../support/api/no-blob-storage.ts';
import { startEngine, type TestEngine } from '../../support/engine/engine.ts';
import { scanItems } from '../../support/engine/scan-items.ts';

const SETTLING = 30_000;
const MINUTE = 60_000;

let engine: TestEngine;
let opened: ReturnType<typeof openAdmin>;
/** The fake clock of the cleanup, so that deletions become due without waiting. */
let later = 0;
const clock = () => Date.now() + later;

const openRemovals = (database: Database) =>
  openRemoval(openDirectoryWriter(database, clock), openWorkspaces(database, clock), SETTLING);

const destroying = (database: Database) =>
  openAutoDestroy(database, openWorkspaces(database, clock), clock, () => serviceRequest('cleanup'));

const cleanup = (database: Database = engine.database, remaining = 60_000) =>
  cleanupDue(
    openCleanup(database, openRemovals(database), destroying(database), noBlobs),
    destroying(database),
    openActivityCounter(database, clock, 400),
    clock,
    createLogger('cleanup'),
  )(undefined, {
    getRemainingTimeInMillis: () => remaining,
  });

beforeAll(async () => {
  process.env['POWERTOOLS_LOG_LEVEL'] = 'SILENT';
  engine = await startEngine();
  opened = openAdmin(engine.database, clock);
});
afterAll(() => engine.stop());

const anOrganization = async () => {
  const name = `o-${base58(8)}`;
  const { organization } = await opened.admin('create-organization', { name, email: `${name}@example.com` });
  return { name, project: String(organization.defaultProject) };
};

const request = () => ({ id: base58(8), principal: { kind: 'user', id: 'user-x', name: 'x' } as const });

const aWorkspace = async (): Promise<Workspace> => {
  const { name: organization, project } = await anOrganization();
  const workspace = newWorkspace({ organization, project }, { name: `w-${base58(8)}` });
  await opened.workspaces.create(workspace, 4);
  return workspace;
};

const apply = async ({ id }: Workspace, transition: (by: ReturnType<typeof request>) => Transition): Promise<void> => {
  const by = request();
  await opened.workspaces.apply((await opened.workspaces.find(id)) as Workspace, transition(by), by);
};

/** Variables: each is one item in the workspace partition and one id pointer. */
const createDependants = async ({ id }: Workspace, count: number): Promise<void> => {
  const variables = openVariables(engine.database, opened.workspaces, clock);
  for (let index = 0; index < count; index++) {
    const whose = { id: prefixes.variable + base58(16), workspace: id, createdAt: clock(), version: versionId() };
    const draft = newVariable(whose, { key: `key-${index}`, category: 'env' });
    const workspace = (await opened.workspaces.find(id)) as Workspace;
    await variables.create(workspace, { ...draft, content: { value: 'v' } }, request());
  }
};

const itemsAt = async (test: (item: Item) => boolean): Promise<Item[]> => {
  const found: Item[] = [];
  for await (const item of scanItems(engine.database)) if (test(item)) found.push(item);
  return found;
};
/** Returns the days until an item expires. */
const daysLeft = (item: Item = {}): number => (Number(item['ttl']) - clock() / 1_000) / 86_400;
const itemsOf = ({ id }: Workspace) =>
  itemsAt((item) => item['pk'] === keys.workspace(id).pk || item['workspace'] === id);

describe('the dependants of a deleted workspace', () => {
  test.each([
    ['forced', forceDelete],
    ['safe', safeDelete],
  ])('are deleted, with the pointers to them, after a %s deletion', async (_, deletion) => {
    const workspace = await aWorkspace();
    await createDependants(workspace, 60);
    await apply(workspace, (by) => deletion(by, clock()));
    const deleted = await itemsOf(workspace);
    expect(deleted).toHaveLength(121);
    // The queue does not lose the tombstone, even if the cleanup does not run for months.
    expect(daysLeft(deleted.find(({ sk }) => sk === WORKSPACE))).toBeCloseTo(365, 0);
    expect(await cleanup()).toEqual({ requested: 0, finished: 1, failed: 0 });
    const [tombstone, ...others] = await itemsOf(workspace);
    expect(others).toEqual([]);
    expect(tombstone).toMatchObject({ sk: WORKSPACE, gone: expect.any(Number) });
    expect(tombstone).not.toHaveProperty('d');
    expect(daysLeft(tombstone)).toBeCloseTo(7, 0);
    expect(await cleanup()).toEqual({ requested: 0, finished: 0, failed: 0 });
  });

  test('are deleted when they are only id pointers to team access', async () => {
    const workspace = await aWorkspace();
    const { organization } = workspace;
    for (const name of ['one', 'two']) {
      await opened.admin('create-team', { organization, name });
      await opened.admin('grant-access', { organization, team: name, workspace: workspace.id, access: 'read' });
    }
    await apply(workspace, (by) => forceDelete(by, clock()));
    expect((await itemsOf(workspace)).filter(({ ty }) => ty === 'workspace-access-id')).toHaveLength(2);
    expect((await opened.check()).findings).toEqual([]);
    expect(await cleanup()).toEqual({ requested: 0, finished: 1, failed: 0 });
    expect(await itemsOf(workspace)).toHaveLength(1);
    expect((await opened.check()).findings).toEqual([]);
  });

  test('cost no calls when there are none', async () => {
    const workspace = await aWorkspace();
    await apply(workspace, (by) => forceDelete(by, clock()));
    expect((await itemsOf(workspace))[0]).not.toHaveProperty('d');
    expect(await cleanup()).toEqual({ requested: 0, finished: 0, failed: 0 });
  });

  test('are found even when they were created while the deletion was in progress', async () => {
    const workspace = await aWorkspace();
    const image = (await opened.workspaces.find(workspace.id)) as Workspace;
    await createDependants(workspace, 1);
    const by = request();
    await opened.workspaces.apply(image, forceDelete(by, clock()), by);
    expect(await cleanup()).toEqual({ requested: 0, finished: 1, failed: 0 });
    expect(await itemsOf(workspace)).toHaveLength(1);
  });

  test('are deleted in the end, after whichever write a cleanup is interrupted', async () => {
    const workspace = await aWorkspace();
    await createDependants(workspace, 3);
    await apply(workspace, (by) => forceDelete(by, clock()));
    let runs = 0;
    for (let left = 0; (await itemsOf(workspace)).some(({ d }) => d !== undefined); left++, runs++) {
      let writes = 0;
      const cut: Database = {
        ...engine.database,
        write: async (write, remaining) => {
          if (writes++ >= left) throw new Error('killed');
          return engine.database.write(write, remaining);
        },
      };
      await cleanup(cut).catch(() => undefined);
      expect(runs, 'runs').toBeLessThan(20);
    }
    expect(runs).toBeGreaterThan(2);
    expect(await itemsOf(workspace)).toHaveLength(1);
  });

  test('are left to the next run when the time limit is reached', async () => {
    const workspace = await aWorkspace();
    await createDependants(workspace, 1);
    await apply(workspace, (by) => forceDelete(by, clock()));
    expect(await cleanup(engine.database, 1_000)).toEqual({ requested: 0, finished: 0, failed: 0 });
    expect(await cleanup()).toEqual({ requested: 0, finished: 1, failed: 0 });
  });
});

describe('a record whose deletion has begun', () => {
  test('disappears from reads at once, and is removed when no request can use it any more', async () => {
    const { name: organization } = await anOrganization();
    const { project } = await opened.admin('create-project', { organization, name: 'Old' });
    const removal = openRemovals(engine.database);
    await removal.beginRecord(serviceRequest('cleanup'), 'project', organization, 'Old');
    expect(await opened.directory.records.find('project', organization, project.id)).toBeUndefined();
    expect(await cleanup()).toEqual({ requested: 0, finished: 0, failed: 0 });
    expect(await engine.database.get(keys.project(project.id), true)).toMatchObject({ ty: 'project' });
    later += SETTLING;
    expect(await cleanup()).toEqual({ requested: 0, finished: 1, failed: 0 });
    expect(await engine.database.get(keys.project(project.id), true)).toMatchObject({ ty: 'project-tombstone' });
    await expect(removal.findRecord('project', organization, project.id)).rejects.toThrow(/no project/);
    expect((await opened.check()).findings).toEqual([]);
  });

  test('does not block other deletions when it cannot be removed yet', async () => {
    const { name: organization } = await anOrganization();
    const removal = openRemovals(engine.database);
    const { id: stuck } = await storeSshKey(opened.directory, organization, 'one');
    const { id: other } = await storeSshKey(opened.directory, organization, 'two');
    for (const id of [stuck, other]) await removal.beginRecord(serviceRequest('cleanup'), 'sshKey', organization, id);
    later += SETTLING;
    const broken: Database = {
      ...engine.database,
      get: async (key, consistent) => {
        if (key.pk.endsWith(stuck)) throw new Error('unreadable');
        return engine.database.get(key, consistent);
      },
    };
    expect(await cleanup(broken)).toEqual({ requested: 0, finished: 1, failed: 1 });
    expect(await cleanup()).toEqual({ requested: 0, finished: 0, failed: 0 });
    later += 15 * MINUTE;
    expect(await cleanup()).toEqual({ requested: 0, finished: 1, failed: 0 });
    expect((await opened.check()).findings).toEqual([]);
  });

  test('takes the variable sets of the organization and of its projects with it, and their variables', async () => {
    const { name: organization, project: assigned } = await anOrganization();
    const { project: owner } = await opened.admin('create-project', { organization, name: 'Owner' });
    const sets = openVariableSets(engine.database, clock);
    const draft = { organization, project: undefined, description: '', global: false, priority: false };
    const createSet = async (more: Partial<typeof draft> | { readonly project: string }): Promise<string> => {
      const id = prefixes.variableSet + base58(16);
      await sets.create(request(), { ...draft, id, name: id, ...more });
      const origin = { id: prefixes.variable + base58(16), variableSet: id, createdAt: 1, version: versionId() };
      const variable = { ...newVariable(origin, { key: 'KEY', category: 'env' }), content: { value: 'v' } };
      await sets.createVariable(id, variable, request());
      return id;
    };
    const ids = [await createSet({ global: true }), await createSet({ project: owner.id }), await createSet({})];
    const assignment = { added: [assigned], removed: [] };
    await sets.changeAssignments(String(ids[2]), request(), 'projects', () => assignment);
    expect((await opened.check()).findings).toEqual([]);

    await opened.admin('delete-organization', { name: organization });
    for (let round = 0; round < 3; round++) {
      later += SETTLING;
      expect((await cleanup()).failed).toBe(0);
    }
    const names = [`ORG#${organization}`, ...ids];
    const left = await itemsAt(({ pk, sk, variableSet }) =>
      names.some((name) => [pk, sk, variableSet].some((text) => String(text).includes(name))),
    );
    expect(left.filter(({ gone }) => gone === undefined)).toEqual([]);
    expect((await opened.check()).findings).toEqual([]);
  });

  test('is deleted by the cleanup when the deleting request was interrupted', async () => {
    const { name } = await anOrganization();
    const broken = openAdmin(
      {
        ...engine.database,
        transact: async (writes, remaining) => {
          if (writes.some(({ key }) => key.pk.startsWith('PRJ#'))) throw new Error('killed');
          return engine.database.transact(writes, remaining);
        },
      },
      clock,
    );
    await expect(broken.admin('delete-organization', { name })).rejects.toThrow('killed');
    later += SETTLING;
    // The organization, and the team that was being deleted at the time.
    expect((await cleanup()).failed).toBe(0);
    expect(await itemsAt(({ pk }) => String(pk).startsWith(`ORG#${name}`))).toEqual([]);
    expect((await opened.check()).findings).toEqual([]);
  });
});
