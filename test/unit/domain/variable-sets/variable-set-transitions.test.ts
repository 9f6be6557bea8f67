import { describe, expect, it } from 'vitest';
import { type Condition, satisfies } from '../../../../shared/domain/changes/conditions.ts';
import { entityTag } from '../../../../shared/domain/changes/entity-tags.ts';
import { DomainError } from '../../../../shared/domain/errors.ts';
import { limits } from '../../../../shared/domain/limits.ts';
import { GlobalKeyTaken, type GlobalVariables } from '../../../../shared/domain/variable-sets/global-variables.ts';
import { changeAssignments } from '../../../../shared/domain/variable-sets/transitions/assignments.ts';
import type { Attempt, Effect, Plan } from '../../../../shared/domain/variable-sets/transitions/plan.ts';
import {
  changesGlobal,
  createVariableSet,
  deleteVariableSet,
  updateVariableSet,
} from '../../../../shared/domain/variable-sets/transitions/settings.ts';
import {
  createSetVariable,
  deleteSetVariable,
  recordVerification,
  updateSetVariable,
} from '../../../../shared/domain/variable-sets/transitions/variables.ts';
import type { VariableSet } from '../../../../shared/domain/variable-sets/variable-set.ts';
import { type Variable, VariableChanged } from '../../../../shared/domain/workspace/variable.ts';
import { requestFrom } from '../../../support/models/planned-transitions.ts';

/** Transitions of variable sets as values: what they reject, what they write, and what repetitions find. */

const attempt = (more: Partial<Attempt['request']> = {}, isInDoubt = false): Attempt => ({
  request: { ...requestFrom('ada'), ...more },
  at: 2_000,
  isInDoubt,
  revision: 'new-revision',
  changeId: 'evt-2',
});
const resumed = attempt({ attempt: 'resumed' });
const settings = { name: 'shared', description: '', global: false, priority: false };
const draft = { ...settings, id: 'varset-1', organization: 'acme', project: undefined };
const image: VariableSet = {
  ...createVariableSet({ ...attempt(), at: 1_000, request: requestFrom('bob') }, undefined, draft, undefined).result,
  revision: 'old-revision',
};
const global: VariableSet = { ...image, global: true };
const deleted: VariableSet = { ...image, deletedAt: 1_500 };
const globals: GlobalVariables = { sets: ['varset-1'], keys: {}, revision: 3 };
const variable = (key: string, version = 'v1'): Variable => ({
  id: 'var-1',
  variableSet: 'varset-1',
  category: 'env',
  key,
  content: { value: 'x' },
  description: null,
  hcl: false,
  createdAt: 1,
  version,
});
const many = (count: number, prefix = 'ws'): string[] =>
  Array.from({ length: count }, (_, index) => `${prefix}-${index}`);

const rejectionOf = (plan: () => Plan): DomainError | undefined => {
  try {
    plan();
    return undefined;
  } catch (error) {
    if (error instanceof DomainError) return error;
    throw error;
  }
};
const kindsIn = ({ effects }: Plan): readonly string[] => effects.map(({ kind }) => kind);
const effectIn = <K extends Effect['kind']>({ effects }: Plan, kind: K) =>
  effects.find((effect) => effect.kind === kind) as Extract<Effect, { readonly kind: K }>;
/** Tells whether the change of the variable set is written if it has become `stored`. */
const isWritten = (plan: Plan, stored: VariableSet): boolean =>
  satisfies(effectIn(plan, 'change').condition as Condition, { pk: 'x', ...stored });

describe('every change of a variable set', () => {
  it.each([
    ['settings', (read?: VariableSet) => updateVariableSet(attempt(), read, { priority: true }, undefined, [])],
    ['deletion', (read?: VariableSet) => deleteVariableSet(attempt(), read, undefined)],
    [
      'assignments',
      (read?: VariableSet) => changeAssignments(attempt(), read, 'projects', () => ({ added: ['prj-1'], removed: [] })),
    ],
    ['new variable', (read?: VariableSet) => createSetVariable(attempt(), read, variable('A'), undefined, undefined)],
    [
      'changed variable',
      (read?: VariableSet) =>
        updateSetVariable(attempt(), read, [variable('A'), variable('B', 'v2')], undefined, undefined),
    ],
    [
      'deleted variable',
      (read?: VariableSet) => deleteSetVariable(attempt(), read, variable('A'), undefined, undefined),
    ],
    ['verification', (read?: VariableSet) => recordVerification(attempt(), read, variable('A'), true)],
  ])('is counted and recorded, and 404 if the variable set is deleted: %s', (_, plan) => {
    const { result } = plan(image);
    expect(result).toMatchObject({ sequence: 2, updatedAt: 2_000, change: { id: 'evt-2', request: 'ada', at: 2_000 } });
    expect(isWritten(plan(image), image)).toBe(true);
    expect(isWritten(plan(image), deleted)).toBe(false);
    expect(rejectionOf(() => plan(undefined))?.code).toBe('not-found');
    expect(rejectionOf(() => plan(deleted))?.code).toBe('not-found');
  });
});

describe('the creation of a variable set', () => {
  it('takes the name and requires the organization and the project that owns it (VARSET-2)', () => {
    const plan = createVariableSet(attempt(), undefined, { ...draft, project: 'prj-1' }, undefined);
    expect(kindsIn(plan)).toEqual(['create', 'require-organization', 'join-project', 'take-name']);
    expect(plan.effects.map(({ rejection }) => rejection?.().code)).toEqual([
      undefined,
      'not-found',
      'invalid-attribute',
      'invalid-attribute',
    ]);
    expect(effectIn(plan, 'take-name').rejection?.().detail).toBe('Name has already been taken');
    expect(plan.result).toMatchObject({ ...draft, project: 'prj-1', variables: [], sequence: 1 });
  });

  it('adds a global one to the global variable sets of the organization', () => {
    const before: GlobalVariables = { sets: ['varset-0'], keys: { 'env#A': 'varset-0' }, revision: 3 };
    const plan = createVariableSet(attempt(), undefined, { ...draft, global: true }, before);
    expect(effectIn(plan, 'replace-global-variables').to).toEqual({ ...before, sets: ['varset-0', 'varset-1'] });
  });

  it('returns the variable set that an earlier attempt created', () => {
    expect(createVariableSet(attempt(), image, draft, undefined)).toEqual({ effects: [], result: image });
    expect(createVariableSet(attempt(), deleted, draft, undefined).effects).not.toEqual([]);
  });
});

describe('a change of the settings of a variable set', () => {
  const update = (
    given: Parameters<typeof updateVariableSet>[2],
    {
      read = image,
      by = attempt(),
      before,
      variables = [],
    }: {
      readonly read?: VariableSet;
      readonly by?: Attempt;
      readonly before?: GlobalVariables;
      readonly variables?: readonly Variable[];
    } = {},
  ) => updateVariableSet(by, read, given, before, variables);

  it('writes what differs, under the condition that nobody else has changed the variable set (VARSET-4)', () => {
    const plan = update({ description: 'new', priority: false });
    expect(plan.result).toMatchObject({
      description: 'new',
      revision: 'new-revision',
      change: { keys: ['description'] },
    });
    expect(isWritten(plan, { ...image, sequence: 2 })).toBe(false);
    expect(update({ priority: false })).toEqual({ effects: [], result: image });
  });

  it('gives up the old name and takes the new one', () => {
    expect(update({ name: 'other' }).effects.slice(1)).toMatchObject([
      { kind: 'give-up-name', name: 'shared' },
      { kind: 'take-name', name: 'other' },
    ]);
  });

  it('is rejected if the variable set has changed since it was read (EDIT-4)', () => {
    const by = (tag: string, isInDoubt = false) => ({ by: attempt({ precondition: [tag] }, isInDoubt) });
    expect(rejectionOf(() => update({ priority: true }, by(entityTag(image))))).toBeUndefined();
    expect(rejectionOf(() => update({ priority: true }, by('"old"')))?.code).toBe('precondition-failed');
    expect(rejectionOf(() => update({ priority: true }, by('"old"', true)))?.code).toBe('unavailable');
  });

  it('finds what an earlier attempt has written, whatever the precondition', () => {
    const by = attempt({ precondition: ['"old"'] });
    const written = { ...image, revision: 'new-revision' };
    expect(update({ priority: true }, { read: written, by }).effects).toEqual([]);
    const { result } = update({ priority: true });
    expect(update({ description: 'x' }, { read: { ...result, revision: 'x' }, by: resumed }).effects).toEqual([]);
    expect(update({ description: 'x' }, { read: image, by: resumed }).effects).not.toEqual([]);
  });

  it('adds all variables to the global ones, or removes them (VARSET-9)', () => {
    const variables = [variable('A'), variable('B')];
    const before: GlobalVariables = { sets: ['varset-0'], keys: { 'env#C': 'varset-0' }, revision: 3 };
    const added = update({ global: true }, { before, variables });
    const both = { 'env#A': 'varset-1', 'env#B': 'varset-1', 'env#C': 'varset-0' };
    const { to } = effectIn(added, 'replace-global-variables');
    expect(to).toEqual({ sets: ['varset-0', 'varset-1'], keys: both, revision: 3 });
    const removed = update({ global: false }, { read: global, before: to });
    expect(effectIn(removed, 'replace-global-variables').to).toEqual(before);
    expect([changesGlobal(image, { global: true }), changesGlobal(global, { global: true })]).toEqual([true, false]);
    expect(changesGlobal(image, { name: 'x' })).toBe(false);
  });

  it('is rejected if another global variable set has one of the keys (VARSET-9)', () => {
    const before: GlobalVariables = { sets: ['varset-0'], keys: { 'env#A': 'varset-0' }, revision: 3 };
    const plan = () => update({ global: true }, { before, variables: [variable('A')] });
    expect(plan).toThrow(GlobalKeyTaken);
    expect(explained(plan)).toEqual({
      set: 'varset-0',
      detail: 'Global cannot be true: the global variable set base has the key A',
    });
  });

  it('does not make a variable set of a project global (VARSET-2)', () => {
    const read = { ...image, project: 'prj-1' };
    expect(rejectionOf(() => update({ global: true }, { read, before: globals }))?.detail).toContain('a project owns');
  });
});

/** Returns the other variable set of a conflict of global keys, and the error that names it. */
const explained = (plan: () => Plan) => {
  try {
    plan();
  } catch (error) {
    if (error instanceof GlobalKeyTaken) return { set: error.set, detail: error.explain('base').detail };
  }
  return undefined;
};

describe('the deletion of a variable set', () => {
  it('gives up its name, its project and its global variables (VARSET-7)', () => {
    const before: GlobalVariables = { ...globals, keys: { 'env#A': 'varset-1', 'env#B': 'varset-0' } };
    const plan = deleteVariableSet(attempt(), { ...global, project: 'prj-1' }, before);
    expect(kindsIn(plan)).toEqual(['change', 'give-up-name', 'leave-project', 'replace-global-variables']);
    expect(effectIn(plan, 'replace-global-variables').to).toEqual({
      sets: [],
      keys: { 'env#B': 'varset-0' },
      revision: 3,
    });
    expect(plan.result.deletedAt).toBe(2_000);
    expect(isWritten(plan, { ...global, sequence: 2 })).toBe(false);
  });

  it('is recognized by its request, and rejected for an old entity tag', () => {
    const { result } = deleteVariableSet(attempt(), image, undefined);
    expect(deleteVariableSet(attempt(), result, undefined).effects).toEqual([]);
    expect(rejectionOf(() => deleteVariableSet(attempt({ id: 'next' }), result, undefined))?.code).toBe('not-found');
    const by = attempt({ precondition: ['"old"'] });
    expect(rejectionOf(() => deleteVariableSet(by, image, undefined))?.code).toBe('precondition-failed');
  });
});

describe('the assignment of a variable set', () => {
  const assign = (added: readonly string[], removed: readonly string[], read = image, by = attempt()) =>
    changeAssignments(by, read, 'workspaces', () => ({ added, removed }));

  it('requires each workspace, and gives the variable set another revision (VARSET-5)', () => {
    const plan = assign(['ws-1'], ['ws-2'], { ...image, workspaces: ['ws-2', 'ws-3'] });
    expect(plan.effects.slice(1)).toMatchObject([
      { kind: 'assign', target: 'workspaces', id: 'ws-1' },
      { kind: 'unassign', target: 'workspaces', id: 'ws-2' },
    ]);
    expect(plan.effects[1]?.rejection?.().detail).toBe('One of the workspaces does not exist');
    expect(plan.result).toMatchObject({ workspaces: ['ws-3', 'ws-1'], revision: 'new-revision' });
    expect(plan.result.change.assignments).toEqual({ target: 'workspaces', added: ['ws-1'], removed: ['ws-2'] });
    expect(plan.isPartial).toBe(false);
  });

  it('takes several steps for many workspaces', () => {
    const plan = assign(many(50), many(20, 'old'), { ...image, workspaces: many(20, 'old') });
    expect(plan.isPartial).toBe(true);
    expect(plan.effects).toHaveLength(41);
    expect(plan.result.workspaces).toEqual(many(20));
  });

  it('changes nothing if nothing differs', () => {
    expect(assign([], [])).toEqual({ effects: [], result: image });
  });

  it('is rejected while the variable set is global, also if it becomes global meanwhile', () => {
    expect(rejectionOf(() => assign(['ws-1'], [], global))?.detail).toContain('cannot be assigned');
    expect(rejectionOf(() => assign([], ['ws-1'], { ...global, workspaces: ['ws-1'] }))).toBeUndefined();
    expect(isWritten(assign(['ws-1'], []), global)).toBe(false);
  });

  it('is rejected above the maximum', () => {
    const full = { ...image, workspaces: many(limits.variableSetAssignments) };
    expect(rejectionOf(() => assign(['ws-x'], [], full))?.detail).toContain(`at most ${limits.variableSetAssignments}`);
    expect(rejectionOf(() => assign(['ws-x'], ['ws-0'], full))).toBeUndefined();
  });

  it('is conditional on the revision that the request accepts, except after its own write (EDIT-4)', () => {
    const by = attempt({ precondition: [entityTag(image)] });
    expect(isWritten(assign(['ws-1'], [], image, by), image)).toBe(true);
    expect(isWritten(assign(['ws-1'], [], image, by), { ...image, revision: 'other' })).toBe(false);
    const written = { ...image, revision: 'new-revision' };
    expect(rejectionOf(() => assign(['ws-1'], [], written, by))).toBeUndefined();
    expect(rejectionOf(() => assign(['ws-1'], [], { ...image, revision: 'x' }, by))?.code).toBe('precondition-failed');
  });
});

describe('a variable of a variable set', () => {
  const create = (stored?: Parameters<typeof createSetVariable>[4], by = attempt(), read = image) =>
    createSetVariable(by, read, variable('A'), read.global ? globals : undefined, stored);

  it('is created with its variable set, whose count has a maximum (LIMIT-2)', () => {
    const plan = create();
    expect(plan.result.variables).toEqual(['var-1']);
    expect(plan.result.change).toMatchObject({
      type: 'variable-set.variable-created',
      variable: { id: 'var-1', category: 'env', key: 'A' },
      versions: { new: 'v1' },
    });
    expect(effectIn(plan, 'create-variable').rejection?.().detail).toBe('Key has already been taken');
    const full = { ...image, variables: many(limits.variablesOfSet, 'var') };
    expect(rejectionOf(() => create(undefined, attempt(), full))?.detail).toContain(`${limits.variablesOfSet}`);
  });

  it('is not created twice, and not again after its deletion', () => {
    expect(create({ variable: variable('A') }).effects).toEqual([]);
    expect(create({}).effects).not.toEqual([]);
    expect(rejectionOf(() => create({ deletedBy: 'other' }, resumed))?.code).toBe('not-found');
    expect(rejectionOf(() => create({}, resumed))).toBeUndefined();
  });

  it('has a key that no other global variable set has (VARSET-9)', () => {
    expect(effectIn(create(undefined, attempt(), global), 'replace-global-variables').to.keys).toEqual({
      'env#A': 'varset-1',
    });
    const before = { ...globals, keys: { 'env#A': 'varset-0' } };
    const plan = () => createSetVariable(attempt(), global, variable('A'), before, undefined);
    expect(explained(plan)).toEqual({
      set: 'varset-0',
      detail: 'Key is already used in another global variable set: base',
    });
    const full = Object.fromEntries(many(limits.globalVariables).map((key) => [`env#${key}`, 'varset-1']));
    expect(
      rejectionOf(() => createSetVariable(attempt(), global, variable('A'), { ...globals, keys: full }, undefined))
        ?.detail,
    ).toContain(`at most ${limits.globalVariables}`);
  });

  it.each([
    ['created', create()],
    ['changed', updateSetVariable(attempt(), image, [variable('A'), variable('B', 'v2')], undefined, undefined)],
    ['deleted', deleteSetVariable(attempt(), image, variable('A'), undefined, undefined)],
  ])('is not %s if its variable set becomes global meanwhile', (_, plan) => {
    expect(isWritten(plan, image)).toBe(true);
    expect(isWritten(plan, global)).toBe(false);
  });

  it('is replaced under the same key or moved to a free one', () => {
    const same = updateSetVariable(attempt(), image, [variable('A'), variable('A', 'v2')], undefined, undefined);
    expect(effectIn(same, 'change-variable').rejection).toBeUndefined();
    const before: GlobalVariables = { ...globals, keys: { 'env#A': 'varset-1' } };
    const moved = updateSetVariable(attempt(), global, [variable('A'), variable('B', 'v2')], before, undefined);
    expect(effectIn(moved, 'change-variable').rejection?.().detail).toBe('Key has already been taken');
    expect(effectIn(moved, 'replace-global-variables').to.keys).toEqual({ 'env#B': 'varset-1' });
    expect(moved.result.change).toMatchObject({ keys: ['key'], versions: { old: 'v1', new: 'v2' } });
  });

  it('is not replaced twice, nor over the change of another request', () => {
    const replace = (stored?: Parameters<typeof updateSetVariable>[4], by = attempt(), read = image) =>
      updateSetVariable(by, read, [variable('A'), variable('B', 'v2')], undefined, stored);
    expect(replace({ variable: variable('B', 'v2') }).effects).toEqual([]);
    expect(replace({ variable: variable('A') }).effects).not.toEqual([]);
    expect(() => replace({ variable: variable('A', 'v3') })).toThrow(VariableChanged);
    expect(() => replace({ deletedBy: 'other' })).toThrow(VariableChanged);
    expect(replace(undefined, resumed, replace().result).effects).toEqual([]);
  });

  it('is deleted once, and not over the change of another request', () => {
    const remove = (stored?: Parameters<typeof deleteSetVariable>[4]) =>
      deleteSetVariable(attempt(), { ...image, variables: ['var-1', 'var-2'] }, variable('A'), undefined, stored);
    expect(remove().result.variables).toEqual(['var-2']);
    expect(remove({ deletedBy: 'ada' }).effects).toEqual([]);
    expect(() => remove({ deletedBy: 'other' })).toThrow(VariableChanged);
    expect(() => remove({ variable: variable('A', 'v3') })).toThrow(VariableChanged);
    expect(remove({ variable: variable('A') }).effects).not.toEqual([]);
    const before: GlobalVariables = { ...globals, keys: { 'env#A': 'varset-1', 'env#B': 'varset-1' } };
    const plan = deleteSetVariable(attempt(), global, variable('A'), before, undefined);
    expect(effectIn(plan, 'replace-global-variables').to).toEqual({ ...globals, keys: { 'env#B': 'varset-1' } });
  });

  it('leaves a record of a verification, and nothing else', () => {
    const plan = recordVerification(attempt(), image, variable('A'), false);
    expect(kindsIn(plan)).toEqual(['change']);
    expect(plan.result.change).toMatchObject({ type: 'variable-set.variable-verified', matches: false });
  });
});
