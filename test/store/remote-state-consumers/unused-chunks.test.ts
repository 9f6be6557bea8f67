import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { forceDelete } from '../../../shared/domain/transitions/workspaces/delete-workspace.ts';
import type { Workspace } from '../../../shared/domain/workspace/workspace-record.ts';
import type { Database } from '../../../shared/store/dynamodb/database.ts';
import {
  type ConsumersFixture,
  createConsumersFixture,
  createRequestContext,
  createWorkspaceIds,
  HOUR,
} from '../../support/api/consumers-fixture.ts';

/** A table of its own: it is checked after each interruption, which takes long while it contains large sets. */
let fixture: ConsumersFixture;
beforeAll(async () => {
  fixture = await createConsumersFixture();
});
afterAll(() => fixture.engine.stop());

const forget = async ({ id }: Workspace): Promise<void> => {
  const by = createRequestContext();
  const image = (await fixture.workspaces.find(id)) as Workspace;
  await fixture.workspaces.apply(image, forceDelete(by, Date.now()), by);
};

describe('unused chunks of remote state consumers', () => {
  it('unused chunks are deleted by the cleanup, whether they were replaced or never came into force', async () => {
    const workspace = await fixture.aWorkspace();
    const set = fixture.consumersOf(workspace);
    await set.add(createWorkspaceIds(3));
    const killed = fixture.consumersOf(workspace, {
      ...fixture.engine.database,
      write: async (write, remaining) => {
        if (write.kind === 'update') throw new Error('killed');
        return fixture.engine.database.write(write, remaining);
      },
    });
    const before = await set.read();
    await expect(killed.replace(createWorkspaceIds(5_000))).rejects.toThrow('killed');
    expect(await set.read()).toEqual(before);
    expect(await fixture.chunksOf(workspace)).toHaveLength(1 + 4);
    await fixture.expectHealthy();
    // Too early: the writer may still switch to these chunks.
    await fixture.cleanup(60_000);
    expect(await fixture.chunksOf(workspace)).toHaveLength(1 + 4);
    const ids = createWorkspaceIds(3_000);
    await set.replace(ids);
    expect(await fixture.chunksOf(workspace)).toHaveLength(1 + 4 + 2);
    await fixture.expectCleanedUp(workspace);
    expect(await set.read()).toEqual(ids.toSorted());
  });

  it('unused chunks are deleted after whichever write a change is interrupted', async () => {
    const workspace = await fixture.aWorkspace();
    const sizing = { room: 2, chunksAtOnce: 2 };
    const set = fixture.consumersOf(workspace, fixture.engine.database, sizing);
    const first = createWorkspaceIds(12);
    await set.replace(first);
    const cut = (left: number): Database => {
      let writes = 0;
      const check = () => {
        if (writes++ >= left) throw new Error('killed');
      };
      return {
        ...fixture.engine.database,
        write: async (write, remaining) => {
          check();
          return fixture.engine.database.write(write, remaining);
        },
        transact: async (writes, remaining) => {
          check();
          return fixture.engine.database.transact(writes, remaining);
        },
      };
    };
    const second = createWorkspaceIds(10);
    let isDone = false;
    for (let left = 0; !isDone; left++) {
      const outcome = await fixture
        .consumersOf(workspace, cut(left), sizing)
        .replace(second)
        .then(
          () => true,
          () => false,
        );
      isDone = outcome;
      expect(await set.read()).toEqual((outcome ? second : first).toSorted());
      await fixture.expectHealthy();
      expect(left).toBeLessThan(30);
    }
    await fixture.expectCleanedUp(workspace);
  });

  it('unused chunks are deleted with the workspace', async () => {
    const [cleanedUp, late] = [await fixture.aWorkspace(), await fixture.aWorkspace()];
    await fixture.consumersOf(cleanedUp).add(createWorkspaceIds(10));
    const slow = fixture.consumersOf(late, {
      ...fixture.engine.database,
      // The workspace is deleted after the chunks were written and before the switch to them.
      write: async (write, remaining) => {
        if (write.kind === 'update') await forget(late);
        return fixture.engine.database.write(write, remaining);
      },
    });
    await expect(slow.replace(createWorkspaceIds(10))).rejects.toMatchObject({ code: 'not-found' });
    await forget(cleanedUp);
    await fixture.expectHealthy();
    await fixture.cleanup(HOUR);
    for (const workspace of [cleanedUp, late]) expect(await fixture.chunksOf(workspace)).toEqual([]);
    await fixture.expectHealthy();
  });
});
