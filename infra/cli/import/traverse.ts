import type { RecordOf } from '../../../shared/bundle/types.ts';
import { forEachOf } from '../../../shared/lib/concurrency.ts';
import { describeKey, keyOf } from '../bundle/canonical.ts';
import type { Io } from '../io.ts';
import { planVersions, type VersionPlan } from './copy-states.ts';
import { type Evaluation, evaluate, type Item, type Knowledge, PERMISSION } from './evaluate.ts';
import type { ImportFolder } from './folder.ts';
import {
  type DirectoryType,
  directoryTypes,
  type InventoryType,
  readRecords,
  readUnits,
  type Unit,
} from './inventory.ts';
import { DELETED } from './items.ts';
import { openSettled, readSettled, type Settled, subjectKey } from './journal.ts';
import { exceededByUnit } from './limits.ts';
import { isGiven, type Secrets } from './secrets.ts';
import type { Source } from './source.ts';
import type { PresentWorkspace, Target } from './target.ts';

/**
 * Types of the records of the organization, in the order in which they are written. Those that refer to later ones follow again, and
 * the settings of the organization itself come first and last.
 */
export const writingOrder: readonly DirectoryType[] = [
  'teams',
  'ssh-keys',
  'projects',
  'agent-pools',
  'vcs-connections',
  'project-access',
  'memberships',
  'variable-sets',
  'variable-set-variables',
  'workload-identities',
  'reserved-tag-keys',
];

/** The ids of what the target has, by type and name. */
export interface KnownIds {
  readonly get: (type: InventoryType, name: string) => string | undefined;
  readonly set: (type: InventoryType, name: string, id: string) => void;
}

/** Collects the ids of the target. */
export const collectIds = ({ directory, workspaceIds }: Target): KnownIds => {
  const ids = new Map<string, string>();
  const set = (type: InventoryType, name: string, id: string): void => {
    ids.set(`${type} ${name}`, id);
  };
  for (const [type, records] of Object.entries(directory) as [DirectoryType, Target['directory'][DirectoryType]][]) {
    for (const record of records.values()) {
      const { origin } = record as {
        readonly origin?: { readonly id?: string; readonly 'oauth-token-id'?: string | null };
      };
      const id = type === 'vcs-connections' ? origin?.['oauth-token-id'] : origin?.id;
      if (id) set(type, describeKey(type, record as never), id);
    }
  }
  // Workspaces, of which there can be many, are found by their names alone.
  const workspaces = new Map(workspaceIds);
  return {
    get: (type, name) => (type === 'workspaces' ? workspaces.get(name) : ids.get(`${type} ${name}`)),
    set: (type, name, id) => {
      if (type === 'workspaces') workspaces.set(name, id);
      else set(type, name, id);
    },
  };
};

/**
 * Collects the names that the target has or will have, so that a plan sees references as they will be.
 * @returns whether a record exists.
 */
export const collectNames = async (
  folder: ImportFolder,
  ids: KnownIds,
  secrets: Secrets,
): Promise<Knowledge['exists']> => {
  const names = new Set<string>();
  for (const type of [
    'projects',
    'teams',
    'agent-pools',
    'ssh-keys',
    'vcs-connections',
    'variable-sets',
    'workspaces',
  ] as const) {
    for await (const record of readRecords(folder, type)) {
      const isMissing = 'needs' in record && !isGiven(secrets, `${type}/${record.name}`);
      if (!isMissing && ids.get(type, record.name) === undefined) names.add(`${type} ${record.name}`);
    }
  }
  return (type, name) => names.has(`${type} ${name}`) || ids.get(type, name) !== undefined;
};

/** Finds the record of the target that a record of the source stands for. */
const findPresent = <T extends DirectoryType>(
  type: T,
  record: RecordOf<T>,
  { directory, organization }: Target,
): RecordOf<T> | undefined => {
  const named = type === 'organization' ? { name: organization.attributes.name } : record;
  return directory[type].get(keyOf(type, named as never)) as RecordOf<T> | undefined;
};

/** Decides what happens with each record of a type of the organization. */
export async function* evaluateType<T extends DirectoryType>(
  { folder, target, knowledge }: Traversal,
  type: T,
  settled: Settled,
): AsyncGenerator<Evaluation<T>> {
  for await (const record of readRecords(folder, type)) {
    const source = record as RecordOf<T>;
    yield evaluate(type, source, findPresent(type, source, target), settled, knowledge);
  }
}

/** An inventory, and the target with which it is compared. */
export interface Traversal {
  readonly io: Io;
  readonly folder: ImportFolder;
  readonly source: Pick<Source, 'origin'>;
  readonly target: Target;
  readonly knowledge: Knowledge;
}

/** Decisions about a workspace and everything that belongs to it. */
export interface UnitPlan {
  readonly unit: Unit;
  readonly present: PresentWorkspace | undefined;
  readonly workspace: Evaluation<'workspaces'>;
  readonly variables: readonly Evaluation<'variables'>[];
  readonly access: readonly Evaluation<'workspace-access'>[];
  readonly consumers: readonly Evaluation<'remote-state-consumers'>[];
  readonly versions: VersionPlan;
  /** Objects of the target that this import has written, and that the source does not have any more. */
  readonly deleted: readonly Item[];
}

/** Finds the records of the target that this import has written, and that the source does not have any more. */
const findDeleted = <T extends InventoryType>(
  type: T,
  isListed: (name: string) => boolean,
  found: Iterable<RecordOf<T>> = [],
  { written }: Pick<Settled, 'written'>,
): readonly Item[] =>
  [...found].flatMap((record) => {
    const name = describeKey(type, record);
    if (isListed(name) || !written.has(subjectKey({ type, name }))) return [];
    const detail = 'The source does not have it any more since this import wrote it. It stays at the target.';
    const { workspace } = record as { readonly workspace?: string };
    const owner = workspace === undefined ? {} : { workspace };
    return [{ type, name, ...owner, result: 'conflict', reason: DELETED, detail, source: '', target: null }];
  });

/**
 * Decides what happens with each record of the organization, and finds what the source has deleted: of its records, and of its workspaces.
 * @param includes decides which workspaces belong to the import.
 */
export async function* evaluateDirectory(
  traversal: Traversal,
  includes: (workspace: string) => boolean,
): AsyncGenerator<Item> {
  const { folder, target } = traversal;
  const { directory, workspaces } = await readSettled(folder);
  for (const type of directoryTypes) {
    const listed = new Set<string>();
    for await (const { item } of evaluateType(traversal, type, directory)) {
      listed.add(item.name);
      yield item;
    }
    // The settings of the organization always exist.
    if (type === 'organization') continue;
    yield* findDeleted(type, (name) => listed.has(name), target.directory[type].values() as never, directory);
  }
  const left = new Set([...workspaces].filter((name) => includes(name) && target.workspaceIds.has(name)));
  for await (const { name } of readRecords(folder, 'workspaces')) left.delete(name);
  const written = new Set([...left].map((name) => subjectKey({ type: 'workspaces', name })));
  for (const name of left) {
    const [item] = findDeleted('workspaces', () => false, [{ name } as RecordOf<'workspaces'>], { written });
    if (item !== undefined) yield { ...item, workspace: name };
  }
}

const indexed = <T extends 'variables' | 'workspace-access' | 'remote-state-consumers'>(
  type: T,
  records: readonly RecordOf<T>[] = [],
) => {
  const byKey = new Map(records.map((record) => [keyOf(type, record), record]));
  return (record: RecordOf<T>): RecordOf<T> | undefined => byKey.get(keyOf(type, record));
};

/** Reason of what belongs to a workspace that the target does not accept. It is accepted with the workspace. */
export const OWNER = 'owner';

/** Leaves out the state versions that the token may not write. */
const withoutRights = (plan: VersionPlan): VersionPlan => ({
  ...plan,
  missing: [],
  items: plan.items.map((item) =>
    item.result === 'create'
      ? { ...item, result: 'cannot', reason: PERMISSION, detail: 'The token may not lock the workspace and write it.' }
      : item,
  ),
});

/** Decides what happens with a workspace. */
const evaluateUnit = (
  unit: Unit,
  present: PresentWorkspace | undefined,
  origin: Source['origin'],
  settled: Settled,
  knowledge: Knowledge,
): UnitPlan => {
  const known: Knowledge = { ...knowledge, mayWrite: present?.mayWrite ?? knowledge.mayWrite };
  const own: Knowledge = {
    ...known,
    exists: (type, name) => (type === 'workspaces' && name === unit.workspace.name) || knowledge.exists(type, name),
  };
  const each = <T extends 'variables' | 'workspace-access' | 'remote-state-consumers'>(
    type: T,
    records: readonly RecordOf<T>[],
    found: readonly RecordOf<T>[] | undefined,
  ): readonly Evaluation<T>[] => {
    const find = indexed(type, found);
    return records.map((record) => evaluate(type, record, find(record), settled, own));
  };
  const evaluated = evaluate('workspaces', unit.workspace, present?.workspace, settled, known);
  const exceeded = exceededByUnit(unit);
  const workspace: typeof evaluated =
    exceeded.length === 0
      ? evaluated
      : {
          ...evaluated,
          item: { ...evaluated.item, result: 'cannot', reason: 'limit', detail: exceeded.join(' ') },
        };
  // Nothing can belong to a workspace that is not created.
  const isLeftOut = present === undefined && workspace.item.result === 'cannot';
  const leaveOut = (item: Item): Item => (isLeftOut ? { ...item, result: 'cannot', reason: OWNER } : item);
  const owned = <E extends { readonly item: Item }>(evaluations: readonly E[]): readonly E[] =>
    evaluations.map((evaluation) => ({ ...evaluation, item: leaveOut(evaluation.item) }));
  const deleted = <T extends 'variables' | 'workspace-access' | 'remote-state-consumers'>(
    type: T,
    records: readonly RecordOf<T>[],
    found: readonly RecordOf<T>[] | undefined,
  ): readonly Item[] => {
    const names = new Set(records.map((record) => describeKey(type, record)));
    return findDeleted(type, (name) => names.has(name), found, settled);
  };
  const planned = planVersions(unit.versions, present?.versions ?? [], origin, settled);
  const versions = present?.mayWrite('state-versions') === false ? withoutRights(planned) : planned;
  return {
    unit,
    present,
    workspace,
    variables: owned(each('variables', unit.variables, present?.variables)),
    access: owned(each('workspace-access', unit.access, present?.access)),
    consumers: owned(each('remote-state-consumers', unit.consumers, present?.consumers)),
    versions: isLeftOut ? { ...versions, items: versions.items.map(leaveOut), missing: [] } : versions,
    deleted: [
      ...deleted('variables', unit.variables, present?.variables),
      ...deleted('workspace-access', unit.access, present?.access),
      ...deleted('remote-state-consumers', unit.consumers, present?.consumers),
    ],
  };
};

/** Returns all items of a workspace. */
export const itemsOf = ({ workspace, variables, access, consumers, versions, deleted }: UnitPlan): readonly Item[] => [
  ...[workspace, ...variables, ...access, ...consumers].map(({ item }) => item),
  ...versions.items,
  ...deleted,
];

/** Workspaces under way at once. */
const CONCURRENCY = 8;

/**
 * Decides what happens with each workspace, and does something with it, in constant memory.
 * @param includes decides which workspaces are looked at.
 */
export const forEachUnit = async (
  { folder, target, source, knowledge, io }: Traversal,
  includes: (workspace: string) => boolean,
  run: (plan: UnitPlan, settled: Settled) => Promise<void>,
): Promise<void> => {
  const settledWorkspaces = await openSettled(folder);
  const units = (async function* () {
    for await (const unit of readUnits(folder)) {
      io.signal.throwIfAborted();
      const settled = await settledWorkspaces.workspace(unit.workspace.name);
      if (includes(unit.workspace.name)) yield { unit, settled };
    }
  })();
  try {
    await forEachOf(units, CONCURRENCY, async ({ unit, settled }) => {
      const present = await target.workspace(unit.workspace.name);
      await run(evaluateUnit(unit, present, source.origin, settled, knowledge), settled);
    });
  } finally {
    await settledWorkspaces.close();
  }
};
