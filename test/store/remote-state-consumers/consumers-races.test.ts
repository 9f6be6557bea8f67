import * as fc from 'fast-check';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { DomainError } from '../../../shared/domain/errors.ts';
import type { Database } from '../../../shared/store/dynamodb/database.ts';
import { NoResponse } from '../../../shared/store/dynamodb/errors.ts';
import {
  type ConsumersFixture,
  createConsumersFixture,
  createWorkspaceIds,
} from '../../support/api/consumers-fixture.ts';
import { type Call, isLinearizable } from '../../support/models/locks/linearizable.ts';
import { bounded } from '../../support/setup/run-budget.ts';

/** Several clients change and read one set concurrently over a database that loses responses and reports conflicts. */
let fixture: ConsumersFixture;
beforeAll(async () => {
  fixture = await createConsumersFixture();
});
afterAll(() => fixture.engine.stop());

/** Possible fates of a write. */
type Fate = 'none' | 'slow' | 'conflict' | 'throttled' | 'lost' | 'late' | 'killed';
class Killed extends Error {}

/** Applies one drawn fate to each write in turn. A late write arrives long after its client gave up. */
const faulty = (fates: readonly Fate[], late: Promise<unknown>[]): Database => {
  let count = 0;
  const pass = async <T>(send: () => Promise<T>): Promise<T> => {
    const fate = fates[count++ % fates.length];
    await new Promise((resolve) => setImmediate(resolve));
    switch (fate) {
      case 'slow':
        await new Promise((resolve) => setTimeout(resolve, 4));
        return send();
      case 'conflict':
      case 'throttled':
        throw new NoResponse(fate, { mayBeApplied: false });
      case 'lost':
        await send();
        throw new NoResponse(fate);
      case 'late':
        late.push(new Promise((resolve) => setTimeout(() => send().then(resolve, resolve), 30)));
        throw new NoResponse(fate);
      case 'killed':
        throw new Killed();
      default:
        return send();
    }
  };
  const { database } = fixture.engine;
  return {
    ...database,
    write: (write, remaining) => pass(() => database.write(write, remaining)),
    transact: (writes, remaining) => pass(() => database.transact(writes, remaining)),
  };
};

const universe = createWorkspaceIds(9);
const subsets = fc.uniqueArray(fc.constantFrom(...universe), { maxLength: 6 });
const actions = fc.oneof(
  fc.record({ kind: fc.constantFrom('add' as const, 'remove' as const, 'replace' as const), ids: subsets }),
  fc.record({ kind: fc.constant('read' as const), ids: fc.constant([]) }),
);
const clients = fc.array(fc.array(actions, { minLength: 1, maxLength: 3 }), { minLength: 2, maxLength: 4 });
const fates = fc.array(
  fc.oneof(
    { weight: 5, arbitrary: fc.constant<Fate>('none') },
    { weight: 4, arbitrary: fc.constantFrom<Fate>('slow', 'conflict', 'throttled', 'lost', 'late', 'killed') },
  ),
  { minLength: 1, maxLength: 12 },
);

describe('concurrent changes of remote state consumers', () => {
  const models = {
    add: (ids: readonly string[]) => (state: readonly string[]) => [...new Set([...state, ...ids])].toSorted(),
    remove: (ids: readonly string[]) => (state: readonly string[]) => state.filter((id) => !ids.includes(id)),
    replace: (ids: readonly string[]) => () => ids.toSorted(),
  };

  const perform = async (
    set: ReturnType<ConsumersFixture['consumersOf']>,
    { kind, ids }: { kind: 'add' | 'remove' | 'replace' | 'read'; ids: readonly string[] },
    tick: () => number,
  ): Promise<Call<readonly string[]> | undefined> => {
    const begun = tick();
    try {
      if (kind === 'read') {
        const seen = await set.read();
        const act = (state: readonly string[]) => (String(state) === String(seen) ? state : undefined);
        return { begun, ended: tick(), act };
      }
      await set[kind](ids);
      return { begun, ended: tick(), act: models[kind](ids) };
    } catch (error) {
      const isUnknown = error instanceof Killed || (error instanceof DomainError && error.code === 'unavailable');
      if (!isUnknown) throw error;
      return kind === 'read' ? undefined : { begun, ended: undefined, act: models[kind](ids) };
    }
  };

  it.each([
    ['one chunk', { room: 100, chunksAtOnce: 40 }],
    ['several chunks', { room: 1, chunksAtOnce: 40 }],
    ['more chunks than one transaction can change', { room: 1, chunksAtOnce: 1 }],
  ])('are linearizable: %s', async (_, sizing) => {
    let checked = 0;
    await fc.assert(
      fc.asyncProperty(subsets, clients, fates, async (first, programs, drawn) => {
        const workspace = await fixture.aWorkspace();
        const calm = fixture.consumersOf(workspace, fixture.engine.database, sizing);
        if (first.length > 0) await calm.add(first);
        let moment = 0;
        const tick = () => ++moment;
        const late: Promise<unknown>[] = [];
        const database = faulty(drawn, late);
        const calls = await Promise.all(
          programs.map(async (program) => {
            const done: (Call<readonly string[]> | undefined)[] = [];
            const set = fixture.consumersOf(workspace, database, sizing);
            for (const action of program) done.push(await perform(set, action, tick));
            return done;
          }),
        );
        await Promise.all(late);
        const last = await perform(calm, { kind: 'read', ids: [] }, tick);
        const history = [...calls.flat(), last].filter((call) => call !== undefined);
        checked += history.length;
        expect(isLinearizable(history, first.toSorted(), String)).toBe(true);
        await fixture.expectCleanedUp(workspace);
      }),
      bounded(6),
    );
    await fixture.expectHealthy();
    console.info(`Consumers: ${checked} calls explained`);
  });
});
