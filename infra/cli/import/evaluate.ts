import { type RecordOf, types } from '../../../shared/bundle/types.ts';
import { now } from '../../../shared/lib/clock.ts';
import { describeKey } from '../bundle/canonical.ts';
import { compareRecords, type Digests } from './compare.ts';
import type { InventoryType } from './inventory.ts';
import { type Settled, subjectKey } from './journal.ts';
import { exceededLimits } from './limits.ts';
import { isGiven, type Secrets } from './secrets.ts';
import type { MayWrite } from './target.ts';

/** Decision of an import about an object of the source. */
export type ItemResult =
  | 'same'
  | 'create'
  | 'update'
  /** The target has other content that this import has not written. */
  | 'conflict'
  /** The target does not accept it. */
  | 'cannot'
  /** It needs a secret, or something else that is not there. */
  | 'waiting';

/** An object of the source in a plan or a proof. */
export interface Item {
  readonly type: InventoryType;
  /** Name of the object, with that of its owner before it. */
  readonly name: string;
  readonly workspace?: string;
  readonly result: ItemResult;
  /** Code of the reason, such as `limit`, `exists`, `secret`. */
  readonly reason?: string;
  /** The reason as sentences for people. */
  readonly detail?: string;
  /** Members that differ. */
  readonly members?: readonly string[];
  /** SHA-256 of what the source says of it, and of the same members at the target. */
  readonly source: string;
  readonly target: string | null;
}

/** Reason of what the token may not write. Another token could. */
export const PERMISSION = 'permission';

/** Facts with which objects are compared. */
export interface Knowledge {
  /** Name of the organization at the target. */
  readonly organization: string;
  readonly secrets: Secrets;
  /** Returns whether the target has a record, or will have it. */
  readonly exists: (type: InventoryType, name: string) => boolean;
  readonly mayWrite: MayWrite;
}

/** A record as it can be written, with what is missing for the rest of it. */
interface Prepared<T extends InventoryType> {
  readonly record: RecordOf<T>;
  readonly missing: readonly string[];
  /** Whether it cannot be written at all, because its owner is missing. */
  readonly isOrphan: boolean;
}

/** Adapts a record to the target. */
const adapt = <T extends InventoryType>(type: T, record: RecordOf<T>, { organization }: Knowledge): RecordOf<T> => {
  const members: Record<string, unknown> = { ...record };
  if (type === 'organization') {
    members['name'] = organization;
    // The API cannot change it.
    delete members['default-project'];
  }
  // Every organization has a team of owners, which has all rights.
  if (type === 'teams' && members['name'] === 'owners') return { name: 'owners' } as RecordOf<T>;
  if (type === 'workspaces') {
    // The source has no projects, or the caller could not read this one.
    if (members['project'] === null) delete members['project'];
    const due = members['auto-destroy-at'];
    if (typeof due === 'string' && Date.parse(due) <= now()) delete members['auto-destroy-at'];
    // Without the connection, a repository cannot be set.
    const repository = members['vcs-repo'] as { readonly 'app-installation-id'?: string } | null | undefined;
    if (repository && !members['vcs-connection'] && !repository['app-installation-id']) delete members['vcs-repo'];
  }
  return members as RecordOf<T>;
};

/** Leaves out what names something that the target does not have. */
const prepare = <T extends InventoryType>(type: T, source: RecordOf<T>, knowledge: Knowledge): Prepared<T> => {
  const record = { ...adapt(type, source, knowledge) } as Record<string, unknown>;
  const missing: string[] = [];
  let isOrphan = false;
  for (const [member, target] of Object.entries(types[type].references ?? {}) as [string, InventoryType][]) {
    const value = record[member];
    const names: readonly string[] = Array.isArray(value) ? value : typeof value === 'string' ? [value] : [];
    const absent = names.filter((name) => !knowledge.exists(target, name));
    if (absent.length === 0) continue;
    missing.push(`${member}: ${absent.join(', ')} ${absent.length === 1 ? 'is' : 'are'} not there yet.`);
    // A scope that is cut could be empty, which no identity may have.
    const isWhole = type === 'workload-identities' || (types[type].identity as readonly string[]).includes(member);
    if (isWhole) isOrphan = true;
    else if (Array.isArray(value)) record[member] = names.filter((name) => !absent.includes(name));
    else {
      delete record[member];
      if (member === 'vcs-connection') delete record['vcs-repo'];
      if (member === 'agent-pool' && record['execution-mode'] === 'agent') delete record['execution-mode'];
    }
  }
  return { record: record as RecordOf<T>, missing, isOrphan };
};

/** Members that each type has in its name, or that no update can change. */
const unchangeable: { readonly [T in InventoryType]?: readonly string[] } = {
  'variable-sets': ['owner-project'],
  'vcs-connections': ['service-provider'],
  workspaces: ['source-name', 'source-url'],
};

/** Types whose records cannot be created without a secret that no source gives. */
const secretTypes: readonly InventoryType[] = ['variables', 'variable-set-variables', 'ssh-keys', 'vcs-connections'];

/** An item with what is to be written. */
export interface Evaluation<T extends InventoryType> {
  readonly item: Item;
  readonly record: RecordOf<T>;
  readonly present: RecordOf<T> | undefined;
  /** Members to write. */
  readonly members: readonly string[];
  /** References to records that the target does not have yet, as sentences. */
  readonly missing: readonly string[];
  /** Digests of the members that the source knows. */
  readonly digests: Digests;
}

/**
 * Decides what an import does with a record. The same decision makes the plan, the run and the proof.
 * @param present the record of the target.
 */
export const evaluate = <T extends InventoryType>(
  type: T,
  source: RecordOf<T>,
  present: RecordOf<T> | undefined,
  { written, carried }: Pick<Settled, 'written' | 'carried'>,
  knowledge: Knowledge,
): Evaluation<T> => {
  const name = describeKey(type, source);
  const { record, missing, isOrphan } = prepare(type, source, knowledge);
  const comparison = compareRecords(type, record, present);
  const { workspace } = source as { readonly workspace?: string };
  const owner = type === 'workspaces' ? name : workspace;
  const to = (result: ItemResult, reason?: string, detail?: string): Evaluation<T> => ({
    record,
    present,
    members: comparison.members,
    missing,
    digests: comparison.sourceMembers,
    item: {
      type,
      name,
      ...(owner !== undefined && { workspace: owner }),
      result,
      ...(reason !== undefined && { reason }),
      ...(detail !== undefined && { detail }),
      ...(present !== undefined && comparison.members.length > 0 && { members: comparison.members }),
      source: comparison.source,
      target: comparison.target,
    },
  });
  if (present !== undefined && comparison.members.length === 0) {
    return missing.length === 0 ? to('same') : to('waiting', 'reference', missing.join(' '));
  }
  const exceeded = exceededLimits(type, record);
  if (exceeded.length > 0) return to('cannot', 'limit', exceeded.join(' '));
  if (!knowledge.mayWrite(type, record, present !== undefined)) {
    return to(
      'cannot',
      PERMISSION,
      `The token may not ${present === undefined ? 'create' : 'change'} it at the target.`,
    );
  }
  if (isOrphan) return to('waiting', 'reference', missing.join(' '));
  if (present === undefined) {
    const { needs } = source as { readonly needs?: string };
    const isSecret = needs !== undefined && secretTypes.includes(type);
    if (isSecret && !isGiven(knowledge.secrets, `${type}/${name}`)) {
      return to('waiting', 'secret', `No source gives its ${needs}. Enter it in secrets.json.`);
    }
    return to('create');
  }
  const fixed = comparison.members.filter((member) => unchangeable[type]?.includes(member));
  if (fixed.length > 0) return to('conflict', 'unchangeable', `The target has another ${fixed.join(', ')}.`);
  // What the target has is what this import has written, so it is the source that has changed, or an attempt that was interrupted.
  const key = subjectKey({ type, name });
  const before = carried.get(key);
  const isOurs =
    written.has(key) &&
    comparison.members.every((member) => [undefined, comparison.targetMembers[member]].includes(before?.[member]));
  if (type === 'organization' || isOurs) return to('update');
  return to('conflict', 'exists', `The target has another ${comparison.members.join(', ')}.`);
};
