import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { SIZING } from '../../../shared/domain/workspace/consumer-set.ts';
import { ConditionFailed, NoResponse } from '../../../shared/store/dynamodb/errors.ts';
import type { Write } from '../../../shared/store/dynamodb/requests.ts';
import {
  type ConsumersFixture,
  createConsumersFixture,
  createWorkspaceIds,
  HOUR,
} from '../../support/api/consumers-fixture.ts';

/** Sets of remote state consumers in the table: chunks, generations and unused chunks. */
let fixture: ConsumersFixture;
beforeAll(async () => {
  fixture = await createConsumersFixture();
});
afterAll(() => fixture.engine.stop());

describe('a set of remote state consumers', () => {
  it('adds, removes and replaces ids', async () => {
    const set = fixture.consumersOf(await fixture.aWorkspace());
    const [a, b, c] = createWorkspaceIds(3).toSorted() as [string, string, string];
    expect(await set.read()).toEqual([]);
    await set.remove([a]);
    expect(await set.read()).toEqual([]);
    await set.add([a, b]);
    await set.add([b, c]);
    expect(await set.read()).toEqual([a, b, c]);
    await set.remove([a, 'ws-1111111111111111']);
    expect(await set.read()).toEqual([b, c]);
    await set.remove([b, c]);
    expect(await set.read()).toEqual([]);
    await set.add([a]);
    await set.replace([b, c]);
    expect(await set.read()).toEqual([b, c]);
    await set.replace([]);
    expect(await set.read()).toEqual([]);
    await set.add([c]);
    expect(await set.read()).toEqual([c]);
  });

  it.each([1, 1_999, 2_000, 2_001, 8_000, 21_400])(
    'stores %i ids completely, whether they are added or replaced',
    async (count) => {
      const [one, other] = [await fixture.aWorkspace(), await fixture.aWorkspace()];
      const ids = createWorkspaceIds(count);
      await fixture.consumersOf(one).add(ids);
      await fixture.consumersOf(other).replace(ids);
      for (const workspace of [one, other]) {
        expect(await fixture.consumersOf(workspace).read()).toEqual(ids.toSorted());
        const chunks = await fixture.chunksOf(workspace);
        expect(Number.isInteger(Math.log2(chunks.length))).toBe(true);
        for (const { ids: of } of chunks) expect((of as Set<string>).size).toBeLessThanOrEqual(SIZING.room * 1.2);
      }
      await fixture.consumersOf(one).remove(ids.slice(1));
      expect(await fixture.consumersOf(one).read()).toEqual(ids.slice(0, 1));
      await fixture.expectHealthy();
    },
  );

  it('grows without limit while the size of its chunks stays bounded', async () => {
    const workspace = await fixture.aWorkspace();
    const set = fixture.consumersOf(workspace);
    const ids = new Set<string>();
    const counts = new Set<number>();
    for (let step = 0; step < 8; step++) {
      const more = createWorkspaceIds(step === 5 ? 20_000 : 1_500);
      for (const id of more) ids.add(id);
      await set.add(more);
      const { consumers } = await set.image();
      counts.add(consumers?.chunks ?? 0);
    }
    expect(await set.read()).toEqual([...ids].toSorted());
    expect([...counts]).toEqual([1, 4, 16]);
    await fixture.expectHealthy();
    await fixture.expectCleanedUp(workspace);
  });

  it('may be larger than one transaction can change', async () => {
    const workspace = await fixture.aWorkspace();
    const set = fixture.consumersOf(workspace, fixture.engine.database, { ...SIZING, room: 20 });
    const ids = createWorkspaceIds(1_000);
    await set.replace(ids);
    expect((await set.image()).consumers?.chunks).toBe(64);
    const more = createWorkspaceIds(200);
    await set.add(more);
    await set.remove(ids.slice(0, 200));
    expect(await set.read()).toEqual([...ids.slice(200), ...more].toSorted());
    await fixture.expectCleanedUp(workspace);
  });

  it('is not rewritten when existing ids are added again', async () => {
    const workspace = await fixture.aWorkspace();
    const set = fixture.consumersOf(workspace, fixture.engine.database, { room: 4, chunksAtOnce: 40 });
    const ids = createWorkspaceIds(4);
    for (let round = 0; round < 20; round++) await set.add(ids);
    expect(await set.read()).toEqual(ids.toSorted());
    const generations = new Set((await fixture.chunksOf(workspace)).map(({ sk }) => String(sk).split('#')[1]));
    // A rewritten set has room to double in size.
    expect(generations.size).toBeLessThanOrEqual(11);
  });

  it('changes only the change record and the consumers of the workspace item', async () => {
    const set = fixture.consumersOf(await fixture.aWorkspace());
    const { change: _, sequence: before, ...unchanged } = await set.image();
    await set.add(createWorkspaceIds(2));
    await set.replace(createWorkspaceIds(2));
    const { consumers, change, sequence, ...rest } = await set.image();
    expect(rest).toEqual({ ...unchanged, listedAt: rest.listedAt });
    expect(sequence).toBe(before + 2);
    expect(change).toMatchObject({ type: 'workspace.consumers-changed', consumers: { change: 'replaced' } });
    expect(consumers).toMatchObject({ chunks: 1, changes: 2 });
  });

  it('rejects changes while the state is shared with every workspace of the organization', async () => {
    const set = fixture.consumersOf(await fixture.aWorkspace({ globalRemoteState: true }));
    for (const change of [set.add, set.remove, set.replace]) {
      for (const ids of [[], createWorkspaceIds(1)])
        await expect(change(ids)).rejects.toMatchObject({ code: 'unprocessable' });
    }
  });
});

describe('a set of remote state consumers that changes during a read', () => {
  const sizing = { room: 2, chunksAtOnce: 40 };

  it('is never returned in part', async () => {
    const workspace = await fixture.aWorkspace();
    const set = fixture.consumersOf(workspace, fixture.engine.database, sizing);
    // Fixed ids, because a torn read shows only if they lie in different chunks.
    const [before, more] = [
      ['1', '2', '3', '4'],
      ['5', '6'],
    ].map((all) => all.map((one) => `ws-${one.padStart(16, '1')}`)) as [string[], string[]];
    await set.add(before);
    let queries = 0;
    const torn = fixture.consumersOf(workspace, {
      ...fixture.engine.database,
      // The first half is read before a change of both halves, the second after it.
      query: async (options) => {
        const first = await fixture.engine.database.query(options);
        if (!options.beginsWith?.startsWith('C#') || queries++ > 0) return first;
        await set.remove(before.slice(0, 3));
        await set.add(more);
        const second = await fixture.engine.database.query(options);
        return [...first.slice(0, 1), ...second.slice(1)];
      },
    });
    expect(await torn.read()).toEqual([...before.slice(3), ...more].toSorted());
    expect(queries).toBe(2);
  });

  it('is returned complete after it was replaced and the old chunks were deleted', async () => {
    const workspace = await fixture.aWorkspace();
    const set = fixture.consumersOf(workspace);
    const ids = createWorkspaceIds(3);
    await set.add(createWorkspaceIds(3));
    let queries = 0;
    const late = fixture.consumersOf(workspace, {
      ...fixture.engine.database,
      query: async (options) => {
        if (options.beginsWith?.startsWith('C#') && queries++ === 0) {
          await set.replace(ids);
          await fixture.cleanup(HOUR);
        }
        return fixture.engine.database.query(options);
      },
    });
    expect(await late.read()).toEqual(ids.toSorted());
  });
});

it('keeps ids that were added after a chunk write that arrives late', async () => {
  const workspace = await fixture.aWorkspace();
  const sent: Write[] = [];
  const slow = fixture.consumersOf(workspace, {
    ...fixture.engine.database,
    write: async (write, remaining) => {
      if (write.kind === 'put' && sent.length === 0) {
        sent.push(write);
        throw new NoResponse('no response');
      }
      return fixture.engine.database.write(write, remaining);
    },
  });
  const [first, second] = [createWorkspaceIds(3), createWorkspaceIds(3)];
  await slow.replace(first);
  await slow.add(second);
  for (const write of sent) await expect(fixture.engine.database.write(write)).rejects.toThrow(ConditionFailed);
  expect(sent).toHaveLength(1);
  expect(await slow.read()).toEqual([...first, ...second].toSorted());
});
