import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { lock } from '../../../shared/domain/transitions/locks/lock.ts';
import { unlock } from '../../../shared/domain/transitions/locks/unlock.ts';
import type { RequestContext } from '../../../shared/domain/transitions/transition.ts';
import { newVariable } from '../../../shared/domain/workspace/variable.ts';
import type { Workspace } from '../../../shared/domain/workspace/workspace-record.ts';
import { base58 } from '../../../shared/lib/random.ts';
import { type CheckOptions, checkTable } from '../../../shared/store/consistency-check/check-table.ts';
import type { Database } from '../../../shared/store/dynamodb/database.ts';
import { keys } from '../../../shared/store/dynamodb/keys.ts';
import { openStoredItems, type StoredItems } from '../../../shared/store/dynamodb/stored-items.ts';
import { put } from '../../../shared/store/items/item-write.ts';
import { openVariables } from '../../../shared/store/variables/variable-store.ts';
import { openAdmin } from '../../support/api/admin.ts';
import { newWorkspace } from '../../support/api/new-workspace.ts';
import { startEngine, type TestEngine } from '../../support/engine/engine.ts';

/** The consistency check over many invocations, each of which has time for very few items. */
let engine: TestEngine;
let database: Database;
let names: readonly Workspace[];
let total: number;
const request: RequestContext = { id: 'r1', principal: { kind: 'user', id: 'user-1', name: 'ann' } };
const job = keys.job('check-table');
const variableId = (number: number): string => `var-${'123456789'.charAt(number).repeat(16)}`;

beforeAll(async () => {
  engine = await startEngine();
  database = engine.database;
  const { admin, workspaces } = openAdmin(database);
  const { organization } = await admin('create-organization', { name: 'acme', email: 'ann@example.com' });
  const variables = openVariables(database, workspaces, Date.now);
  const created: Workspace[] = [];
  for (let index = 0; index < 3; index++) {
    const workspace = newWorkspace(
      { organization: 'acme', project: organization.defaultProject },
      { name: `w-${index}` },
    );
    await workspaces.create(workspace, 4);
    for (const [number, key] of ['a', 'b'].entries()) {
      const id = variableId(index * 2 + number);
      const origin = { id, workspace: workspace.id, createdAt: 1, version: 'v1' };
      const image = (await workspaces.find(workspace.id)) as Workspace;
      await variables.create(
        image,
        { ...newVariable(origin, { key, category: 'env' }), content: { value: 'v' } },
        { ...request, id },
      );
    }
    created.push(workspace);
  }
  names = created;
  total = (await checkTable(database)).items;
});
afterAll(() => engine.stop());
beforeEach(async () => {
  await database.write({ kind: 'delete', key: job });
});

/** Each call ends after one round of pages with few items, as if its time were up. */
const tiny: CheckOptions = { segments: 2, pageSize: 4, remaining: () => 0, pause: 1 };

/** Reads of the table during which the function crashes after so many pages. */
const crashAfter = (most: number): StoredItems => {
  const stored = openStoredItems(database);
  let pages = 0;
  return {
    ...stored,
    page: async (...page) => {
      if (++pages > most) throw new Error('The function crashed');
      return stored.page(...page);
    },
  };
};

const checkToTheEnd = async (options: CheckOptions = tiny, between: () => Promise<unknown> = async () => {}) => {
  const calls = [];
  do {
    calls.push(await checkTable(database, options));
    await between();
  } while (calls.at(-1)?.left !== 0);
  return calls;
};

describe('a consistency check with a short time limit', () => {
  it('continues over many calls, visits every item once, and forgets the job at the end', async () => {
    const calls = await checkToTheEnd();
    expect(calls.length).toBeGreaterThan(total / 8 - 1);
    expect(calls.map(({ items }) => items)).toEqual(
      calls.map(({ items }) => items).toSorted((one, other) => one - other),
    );
    expect(calls.at(-1)).toMatchObject({ findings: [], findingCount: 0, left: 0 });
    // The progress of the job is an item of the table itself.
    expect(calls.at(-1)?.items).toBeLessThanOrEqual(total + 1);
    expect(calls.at(-1)?.items).toBeGreaterThanOrEqual(total);
    expect(calls.at(-1)?.byType).toMatchObject({ workspace: 3, variable: 6, 'variable-id': 6 });
    expect(await database.get(job, true)).toBeUndefined();
  });

  it('finds on any page what contradicts items of another page', async () => {
    const [first] = names as [Workspace];
    const claim = keys.claim('acme', 'workspace', 'planted');
    await database.write(put(claim, 'workspace-name', { workspace: first.id, project: first.project }));
    const pointer = keys.pointer(variableId(0));
    const stored = await database.get(pointer, true);
    await database.write({ kind: 'delete', key: pointer });
    const { findings = [] } = (await checkToTheEnd()).at(-1) ?? {};
    await database.write({ kind: 'put', key: pointer, item: stored ?? {} });
    await database.write({ kind: 'delete', key: claim });
    expect(findings.map(({ problem }) => problem).toSorted()).toEqual([
      'its id pointer does not exist or leads elsewhere',
      'the claimed workspace has another name',
    ]);
  });

  it('continues at the last stored progress after a crash', async () => {
    const [before] = [await checkTable(database, tiny)];
    const crashing = crashAfter(2);
    await expect(checkTable(database, { ...tiny, stored: crashing, remaining: () => 60_000 })).rejects.toThrow(
      'The function crashed',
    );
    const after = await checkTable(database, tiny);
    expect(after.items).toBeGreaterThan(before.items);
    expect((await checkToTheEnd()).at(-1)).toMatchObject({ findings: [], left: 0 });
  });

  it('stores its progress while it runs, so that a crash repeats little', async () => {
    const crashing = crashAfter(7);
    const unlimited = { ...tiny, remaining: () => 60_000, saveEvery: 0 };
    await expect(checkTable(database, { ...unlimited, stored: crashing })).rejects.toThrow('The function crashed');
    expect((await database.get(job, true))?.['progress']).toMatchObject({
      begun: 2,
      // More than the first pages of both segments. A page is shorter at the end of a segment, or if it has the progress itself.
      report: { items: expect.toSatisfy((items) => items > 8) },
    });
  });

  it('reports nothing about workspaces that change during the check', async () => {
    const { workspaces } = openAdmin(database);
    const variables = openVariables(database, workspaces, Date.now);
    let writes = 0;
    const change = async () => {
      const [workspace] = names as [Workspace];
      const id = `var-${base58(16)}`;
      writes++;
      const image = (await workspaces.find(workspace.id)) as Workspace;
      const origin = { id, workspace: workspace.id, createdAt: 1, version: 'v1' };
      const variable = { ...newVariable(origin, { key: id, category: 'env' }), content: { value: 'v' } };
      await variables.create(image, variable, { ...request, id });
      const find = async () => (await workspaces.find(workspace.id)) as Workspace;
      const byLock = { ...request, id: `lock-${writes}` };
      const locked = await workspaces.apply(await find(), lock(byLock, { id: byLock.id, reason: '', at: 1 }), byLock);
      const byUnlock = { ...request, id: `unlock-${writes}` };
      await workspaces.apply(locked, unlock(byUnlock, 2), byUnlock);
      await variables.delete(await find(), variable, { ...request, id: `delete-${writes}` });
    };
    let isOver = false;
    const writer = (async () => {
      while (!isOver) await change();
    })();
    const calls = await checkToTheEnd({ ...tiny, pause: 20 }).finally(() => {
      isOver = true;
    });
    await writer;
    expect(writes).toBeGreaterThan(1);
    expect(calls.at(-1)).toMatchObject({ findings: [], left: 0 });
  });

  it('starts again on request, and after the job has expired', async () => {
    await checkTable(database, tiny);
    const two = await checkTable(database, tiny);
    const again = await checkTable(database, { ...tiny, restart: true });
    expect(again.items).toBeLessThan(two.items);
    const later = () => Date.now() + 25 * 3_600_000;
    expect((await checkTable(database, { ...tiny, clock: later })).items).toBe(again.items);
  });

  it('rejects the slower of two concurrent calls with 409', async () => {
    await checkTable(database, tiny);
    const calls = await Promise.allSettled([checkTable(database, tiny), checkTable(database, tiny)]);
    expect(calls.map(({ status }) => status).toSorted()).toEqual(['fulfilled', 'rejected']);
    const { reason } = calls.find(({ status }) => status === 'rejected') as PromiseRejectedResult;
    expect(reason).toMatchObject({ code: 'conflict', detail: expect.stringContaining('another call') });
  });
});
