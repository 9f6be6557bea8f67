import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { addBindings, addTags, removeTags, type Tags, tagNames } from '../../../shared/domain/tags/tag.ts';
import { changeTags } from '../../../shared/domain/transitions/relationships/change-tags.ts';
import type { RequestContext } from '../../../shared/domain/transitions/transition.ts';
import { forceDelete } from '../../../shared/domain/transitions/workspaces/delete-workspace.ts';
import type { Workspace } from '../../../shared/domain/workspace/workspace-record.ts';
import { base58 } from '../../../shared/lib/random.ts';
import type { Database } from '../../../shared/store/dynamodb/database.ts';
import { NoResponse } from '../../../shared/store/dynamodb/errors.ts';
import { openWorkspaces, type Workspaces } from '../../../shared/store/workspaces/workspace-store.ts';
import { newWorkspace } from '../../support/api/new-workspace.ts';
import { startEngine, type TestEngine } from '../../support/engine/engine.ts';

/** Tag changes whose response is lost, or that compete with other changes. */
let engine: TestEngine;
let workspaces: Workspaces;
const clock = () => Date.now();

beforeAll(async () => {
  engine = await startEngine();
  workspaces = openWorkspaces(engine.database, clock);
});
afterAll(() => engine.stop());

const someone = (): RequestContext => ({ id: base58(8), principal: { kind: 'user', id: 'user-x', name: 'x' } });
const change = (image: Workspace, to: (tags: Tags) => Tags, by: Workspaces = workspaces) =>
  by.apply(image, changeTags(to), someone());
const adding =
  (...names: readonly string[]) =>
  (tags: Tags) =>
    addTags(tags, names, 1);
const removing =
  (...names: readonly string[]) =>
  (tags: Tags) =>
    removeTags(tags, names);
const create = async (...names: readonly string[]): Promise<Workspace> => {
  const workspace = newWorkspace({ organization: 'acme', project: 'prj-x' }, { name: `w-${base58(8)}` });
  await workspaces.create(workspace, 4);
  const image = await find(workspace.id);
  return names.length === 0 ? image : change(image, adding(...names));
};
const find = async (id: string): Promise<Workspace> => (await workspaces.find(id)) as Workspace;
const many = (count: number) => Array.from({ length: count }, (_, index) => `t-${index}`);

/** A database that replaces the next write. */
const withNext = (deal: (write: () => Promise<unknown>) => Promise<unknown>): Workspaces => {
  let dealt = false;
  const database: Database = {
    ...engine.database,
    write: async (...of) => {
      const write = () => engine.database.write(...of);
      if (dealt) return write();
      dealt = true;
      await deal(write);
      return write();
    },
  };
  return openWorkspaces(database, clock);
};
const lost = () => {
  throw new NoResponse('The response is lost');
};

describe('a tag change whose response is lost', () => {
  test('is recognized as applied, and applied once', async () => {
    const before = await create('a');
    const lossy = withNext(async (write) => {
      await write();
      lost();
    });
    const after = await change(before, adding('b'), lossy);
    expect(tagNames(after.tags)).toEqual(['a', 'b']);
    expect(after.sequence).toBe(before.sequence + 1);
    expect(await find(before.id)).toEqual(after);
  });

  test('is applied on retry when the first write did not arrive', async () => {
    const before = await create('a');
    const after = await change(before, removing('a'), withNext(lost));
    expect(tagNames(after.tags)).toEqual([]);
    expect(after.sequence).toBe(before.sequence + 1);
  });

  test('is not applied again when another change has undone it meanwhile', async () => {
    const before = await create();
    const lossy = withNext(async (write) => {
      await write();
      await change(await find(before.id), removing('b'));
      lost();
    });
    await expect(change(before, adding('b'), lossy)).rejects.toMatchObject({ code: 'unavailable' });
    expect(tagNames((await find(before.id)).tags)).toEqual([]);
  });

  test('is applied on top of a concurrent change when the first write did not arrive', async () => {
    const before = await create();
    const lossy = withNext(async () => {
      await change(await find(before.id), adding('c'));
      lost();
    });
    const after = await change(before, adding('b'), lossy);
    expect(tagNames(after.tags)).toEqual(['c', 'b']);
  });
});

describe('a tag change that loses a race', () => {
  /** Runs a competing change immediately before the write. */
  const behind = (id: string, other: (tags: Tags) => Tags) =>
    withNext(async () => {
      await change(await find(id), other);
    });

  test('keeps both changes, and reverts neither', async () => {
    const before = await create('a', 'b');
    const other = (tags: Tags) => addBindings(removeTags(tags, ['a']), [{ key: 'env', value: 'prod' }], 1);
    const after = await change(before, adding('c'), behind(before.id, other));
    expect(after.tags.map(({ key, value }) => [key, value])).toEqual([
      ['b', undefined],
      ['env', 'prod'],
      ['c', undefined],
    ]);
  });

  test('never exceeds the tag limit of a workspace', async () => {
    const before = await create(...many(39));
    const late = change(before, adding('late'), behind(before.id, adding('early')));
    await expect(late).rejects.toMatchObject({ code: 'unprocessable' });
    expect(tagNames((await find(before.id)).tags)).toEqual([...many(39), 'early']);
  });

  test('writes nothing when the other change did the same', async () => {
    const before = await create();
    const after = await change(before, adding('a'), behind(before.id, adding('a')));
    expect(after.sequence).toBe(before.sequence + 1);
  });

  test('reports a workspace that was deleted meanwhile as not found', async () => {
    const before = await create();
    const gone = withNext(async () => {
      await workspaces.apply(await find(before.id), forceDelete(someone(), clock()), someone());
    });
    await expect(change(before, adding('a'), gone)).rejects.toMatchObject({ code: 'not-found' });
    expect((await find(before.id)).tags).toEqual([]);
  });
});
