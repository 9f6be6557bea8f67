import { afterAll, beforeAll, expect, test } from 'vitest';
import type { RequestContext } from '../../../shared/domain/transitions/transition.ts';
import { forceDelete } from '../../../shared/domain/transitions/workspaces/delete-workspace.ts';
import { update } from '../../../shared/domain/transitions/workspaces/update-workspace.ts';
import type { Workspace } from '../../../shared/domain/workspace/workspace-record.ts';
import { now } from '../../../shared/lib/clock.ts';
import { base58 } from '../../../shared/lib/random.ts';
import type { Database } from '../../../shared/store/dynamodb/database.ts';
import { NoResponse } from '../../../shared/store/dynamodb/errors.ts';
import { openWorkspaces } from '../../../shared/store/workspaces/workspace-store.ts';
import { configurationContext, newWorkspace } from '../../support/api/new-workspace.ts';
import { startEngine, type TestEngine } from '../../support/engine/engine.ts';

let engine: TestEngine;
beforeAll(async () => {
  engine = await startEngine();
});
afterAll(() => engine.stop());

const request = (): RequestContext => ({ id: base58(8), principal: { kind: 'user', id: 'user-x', name: 'x' } });

/** Renames a workspace that is deleted before the retry. `lands`: whether the first write was applied. */
const renameWhileItIsDeleted = async (lands: boolean): Promise<unknown> => {
  const workspaces = openWorkspaces(engine.database, now);
  const workspace: Workspace = newWorkspace({ organization: 'acme', project: 'prj-x' }, { name: `w-${base58(8)}` });
  await workspaces.create(workspace, 4);
  let tries = 0;
  const lossy: Database = {
    ...engine.database,
    transact: async (writes, remaining) => {
      tries += 1;
      if (tries > 1) return engine.database.transact(writes, remaining);
      if (lands) await engine.database.transact(writes, remaining);
      const deletion = request();
      const current = (await workspaces.find(workspace.id)) as Workspace;
      await workspaces.apply(current, forceDelete(deletion, now()), deletion);
      throw new NoResponse('lost');
    },
  };
  const image = (await workspaces.find(workspace.id)) as Workspace;
  const renaming = request();
  const to = { configuration: { name: `r-${base58(8)}` }, from: workspace.project, to: workspace.project };
  return openWorkspaces(lossy, now).apply(image, update(renaming, to, configurationContext), renaming);
};

test('does not report a rename as not found when its response is lost and the workspace is deleted afterwards', async () => {
  await expect(renameWhileItIsDeleted(true)).rejects.toMatchObject({ code: 'unavailable' });
});

test('reports the workspace as not found when the rename was never applied', async () => {
  await expect(renameWhileItIsDeleted(false)).rejects.toMatchObject({ code: 'not-found' });
});
