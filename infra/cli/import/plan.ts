import { hashFile } from '../bundle/hash.ts';
import { Failure } from '../failure.ts';
import { type Item, PERMISSION } from './evaluate.ts';
import { FILES, type ImportFolder, readJson, writeJson } from './folder.ts';
import { readNotCarried } from './inventory.ts';
import { type Counts, openItemFile, totalOf } from './items.ts';
import { toFilter } from './open-import.ts';
import { addNeeded } from './secrets.ts';
import type { NotCarriedReason } from './source.ts';
import { evaluateDirectory, forEachUnit, itemsOf, OWNER, type Traversal } from './traverse.ts';

/** Something that keeps an import from carrying everything. The user accepts it by setting `accept`. */
export interface Problem {
  readonly type: string;
  /** Name of the object. Absent where the line stands for all objects of the type. */
  readonly name?: string;
  readonly result: 'conflict' | 'cannot' | 'waiting' | 'not-carried';
  readonly reason: string;
  readonly detail: string;
  /** Number of objects. */
  readonly count: number;
  accept: boolean;
}

/** The file `plan.json`. */
export interface Plan {
  readonly import: string;
  readonly source: string;
  readonly target: { readonly url: string; readonly organization: string };
  /** Numbers of objects by type and result. Each object has a line in `plan.jsonl`. */
  readonly counts: Counts;
  readonly 'not-carried': number;
  readonly estimate: { readonly writes: number; readonly 'state-bytes': number };
  /** SHA-256 of the inventory of workspaces, of which this is the plan. */
  readonly inventory: string;
  /** Problems. A conflict that is accepted is overwritten, and everything else that is accepted is left out. */
  readonly problems: readonly Problem[];
}

/** Reasons that nobody can do anything about. They are in the report, and need no acceptance. */
const unavoidable: readonly NotCarriedReason[] = ['unreadable', 'not-offered', 'no-content'];

const keyOf = ({ type, name = '', result, reason }: Problem): string => [type, name, result, reason].join('\u0000');

/** Returns the text by which the acceptance of an item is found. */
const itemKey = ({ type, name, result, reason = '' }: Item): string => [type, name, result, reason].join('\u0000');

/** Reads the plan. @returns undefined before the first one. */
export const readPlan = (folder: ImportFolder): Promise<Plan | undefined> =>
  readJson<Plan>(folder.path(FILES.plan), `${folder.name}/${FILES.plan}`);

/** Decides whether the user has accepted a problem. */
export type Accepted = (item: Item) => boolean;

/** Finds what the user has accepted. */
export const acceptedBy = (plan: Plan): Accepted => {
  const problems = plan.problems.filter(({ accept }) => accept === true);
  const accepted = new Set(problems.map(keyOf));
  const listed = new Set(problems.map(({ type, name }) => `${type} ${name}`));
  const leftOut = new Set(
    problems.flatMap(({ type, result, name }) => (type === 'workspaces' && result === 'cannot' ? [name] : [])),
  );
  return (item) =>
    accepted.has(itemKey(item)) ||
    // A verification can have another token, which may not write what the plan lists for another reason.
    (item.reason === PERMISSION && listed.has(`${item.type} ${item.name}`)) ||
    (item.reason === OWNER && leftOut.has(item.workspace));
};

/** Computes what a plan belongs to: the inventory that it was made of. */
const digestInventory = (folder: ImportFolder): Promise<string> =>
  hashFile(folder.path(FILES.inventory, 'workspaces.jsonl'));

/** Groups what the import does not carry by type and reason. */
const collectNotCarried = async (folder: ImportFolder) => {
  const groups = new Map<string, Problem & { names: string[] }>();
  let total = 0;
  for await (const { type, name, reason, count = 1, detail } of readNotCarried(folder)) {
    total += count;
    if (unavoidable.includes(reason)) continue;
    const key = `${type} ${reason}`;
    const group = groups.get(key);
    groups.set(key, {
      ...{ type, result: 'not-carried', reason, detail: group?.detail ?? detail, accept: false },
      count: (group?.count ?? 0) + count,
      names: [...(group?.names ?? []), ...((group?.names.length ?? 0) < 5 ? [name] : [])],
    });
  }
  const problems = [...groups.values()].map(({ names, detail, ...problem }) => ({
    ...problem,
    detail: `${detail} (${names.join(', ')}${problem.count > names.length ? ', …' : ''})`,
  }));
  return { problems, total };
};

/** Compares the inventory with the target, and writes the plan. Nothing else is written. Acceptances of a former plan stay. */
export const planImport = async (traversal: Traversal): Promise<Plan> => {
  const { folder, io } = traversal;
  const { description } = folder;
  const former = await readPlan(folder);
  const accepted = new Set(former?.problems.filter(({ accept }) => accept === true).map(keyOf) ?? []);
  const file = openItemFile(folder, FILES.items);
  const problems: Problem[] = [];
  const needed: string[] = [];
  const add = async (item: Item): Promise<void> => {
    await file.add(item);
    const { type, name, result, reason = '', detail = '' } = item;
    if (reason !== OWNER && (result === 'conflict' || result === 'cannot' || result === 'waiting')) {
      problems.push({ ...{ type, name, result, reason, detail }, count: 1, accept: false });
    }
    if (reason === 'secret') needed.push(`${type}/${name}`);
  };
  for await (const item of evaluateDirectory(traversal, toFilter(description.workspaces))) await add(item);
  let workspaces = 0;
  let bytes = 0;
  await forEachUnit(
    traversal,
    () => true,
    async (plan) => {
      for (const item of itemsOf(plan)) await add(item);
      for (const { size } of plan.versions.missing) bytes += size ?? 0;
      workspaces += 1;
      io.progress(`${workspaces.toLocaleString('en')} workspaces`);
    },
  );
  await file.close();
  await addNeeded(folder, needed);
  const notCarried = await collectNotCarried(folder);
  problems.sort((a, b) => (keyOf(a) < keyOf(b) ? -1 : 1));
  const all = [...problems, ...notCarried.problems].map((problem) => ({
    ...problem,
    accept: accepted.has(keyOf(problem)),
  }));
  const total = totalOf(file.counts);
  const plan: Plan = {
    import: description.id,
    source: description.source,
    target: description.target,
    counts: file.counts,
    'not-carried': notCarried.total,
    estimate: { writes: total.create + total.update, 'state-bytes': bytes },
    inventory: await digestInventory(folder),
    problems: all,
  };
  await writeJson(folder.path(FILES.plan), plan);
  return plan;
};

/** Results that have to be accepted before a run. What waits is written once it can be. */
const blocking: readonly Problem['result'][] = ['conflict', 'cannot', 'not-carried'];

/**
 * Requires a plan of the present inventory whose problems are accepted.
 * @throws Failure `usage` without a plan, `partial` for problems that nobody has accepted.
 */
export const requirePlan = async (folder: ImportFolder): Promise<Plan> => {
  const plan = await readPlan(folder);
  const hint = `Run "holdfast import plan ${folder.name}".`;
  if (plan === undefined) throw new Failure('usage', 'There is no plan yet.', { hint });
  if (plan.inventory !== (await digestInventory(folder))) {
    throw new Failure('conflict', 'The inventory has changed since the plan.', { hint });
  }
  const open = plan.problems.filter(({ accept, result }) => accept !== true && blocking.includes(result));
  if (open.length === 0) return plan;
  const [first] = open;
  throw new Failure(
    'partial',
    `${open.length} problems of the plan are not accepted, the first is ${describe(first)}`,
    {
      hint: `Correct them, or set "accept" in ${folder.name}/${FILES.plan} to true: a conflict is overwritten, everything else left out.`,
      meta: { problems: open.slice(0, 100) },
    },
  );
};

const describe = (problem: Problem | undefined): string =>
  `${problem?.type} ${problem?.name ?? ''}: ${problem?.detail ?? ''}`;
