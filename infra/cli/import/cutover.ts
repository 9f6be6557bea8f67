import { spawn } from 'node:child_process';
import { showWorkspaceById, unlockWorkspace } from '../../../shared/client/workspaces.ts';
import { Failure, usageError } from '../failure.ts';
import { toFailure } from '../output/errors.ts';
import { compareBytes } from './compare-bytes.ts';
import { versionName } from './copy-states.ts';
import { writeInventory } from './inventory.ts';
import { type Journal, openJournal, readHandovers } from './journal.ts';
import { type OpenImport, reopen, withPresent } from './open-import.ts';
import { type Accepted, acceptedBy, readPlan } from './plan.ts';
import { lockReason, runImport } from './run.ts';
import type { WorkspaceFilter } from './source.ts';
import { forEachUnit, itemsOf, type UnitPlan } from './traverse.ts';

/** Result of a phase for one workspace, or a finding of a scan for one file. */
export interface Outcome {
  readonly name: string;
  readonly result: 'cut over' | 'rolled back' | 'refused' | 'old address' | 'unreadable';
  readonly detail: string;
}

/** Options of a cutover. */
export interface Cutover {
  readonly wave: string;
  /** Decides which workspaces belong to the wave, in addition to those that do already. */
  readonly includes: WorkspaceFilter;
  /** Command that has to succeed for each workspace. */
  readonly check: string | undefined;
}

/** Lists the workspaces of a wave. @throws Failure `usage` if it has none, or one of another wave. */
export const findWave = async (
  { folder, target }: Pick<OpenImport, 'folder' | 'target'>,
  wave: string,
  includes: WorkspaceFilter,
): Promise<ReadonlySet<string>> => {
  const handovers = await readHandovers(folder);
  const names = new Set<string>();
  for (const name of target.workspaceIds.keys()) {
    const handover = handovers.get(name);
    const isActive = handover !== undefined && (handover.isLocked || handover.isCutOver);
    if (isActive ? handover.wave === wave : includes(name)) names.add(name);
  }
  if (names.size > 0) return names;
  throw usageError(`The wave "${wave}" has no workspaces.`, 'Name some of the import with --name.');
};

/** Locks the source of each workspace, so that nobody writes there any more. */
const lockSource = async (
  { source, folder, invocation }: OpenImport,
  journal: Journal,
  wave: string,
  names: ReadonlySet<string>,
): Promise<{ readonly locked: ReadonlySet<string>; readonly refused: readonly Outcome[] }> => {
  const handovers = await readHandovers(folder);
  const locked = new Set<string>();
  const refused: Outcome[] = [];
  const { locks } = source;
  if (locks === undefined) {
    invocation.note('The source has no locks: make sure that nobody writes there. It is compared before and after.');
    return { locked: names, refused };
  }
  for (const name of names) {
    const subject = { type: 'locks' as const, name, workspace: name, wave };
    try {
      await locks.acquire(name, lockReason(folder.description.id), handovers.get(name)?.isLocked === true);
      await journal.add({ ...subject, event: 'source-locked' });
      locked.add(name);
    } catch (error) {
      const failure = toFailure(error);
      if (failure.exit === 'interrupted' || failure.exit === 'notAuthenticated') throw failure;
      refused.push({ name, result: 'refused', detail: failure.message });
    }
  }
  return { locked, refused };
};

/** Releases the lock of the source of a workspace that is not cut over. */
export const unlockSource = async (
  { source, folder }: OpenImport,
  journal: Journal,
  wave: string,
  name: string,
): Promise<void> => {
  await source.locks?.release(name, lockReason(folder.description.id));
  await journal.add({ type: 'locks', name, workspace: name, wave, event: 'source-unlocked' });
};

/** Finds out why a workspace cannot be cut over. @returns undefined if nothing stands against it. */
const findObstacle = async (open: OpenImport, plan: UnitPlan, accepted: Accepted): Promise<string | undefined> => {
  const differing = itemsOf(plan).filter((item) => item.result !== 'same' && !accepted(item));
  const [first] = differing;
  if (first !== undefined) {
    const reason = first.detail ?? `It differs in ${first.members?.join(', ') ?? 'everything'}.`;
    return `${differing.length} of its objects are not carried, the first is ${first.type} ${first.name}: ${reason}`;
  }
  const newest = plan.unit.versions.at(-1);
  const present = plan.present?.versions.at(-1);
  if (newest === undefined || present === undefined) return undefined;
  if (plan.versions.present.get(versionName(newest))?.id !== present.id) {
    return `Its newest state version at the target, ${present.id}, is not that of the source.`;
  }
  return (await compareBytes(open, newest, present.id)).difference;
};

/** Releases the lock of the target that a rollback has left. */
const releaseTarget = async ({ invocation: { api }, folder }: OpenImport, { present }: UnitPlan): Promise<void> => {
  if (present === undefined) return;
  const { attributes } = (await api.lookUp(showWorkspaceById(present.id))).document.data;
  if (!attributes.locked || attributes['locked-reason'] !== lockReason(folder.description.id)) return;
  await api.send(unlockWorkspace(present.id));
};

/** Runs the check of the user for a workspace. @returns why it failed. */
const runCheck = ({ io }: OpenImport, command: string, workspace: string): Promise<string | undefined> =>
  new Promise((resolve, reject) => {
    const child = spawn(command, {
      cwd: io.cwd,
      env: { ...io.env, HOLDFAST_WORKSPACE: workspace },
      shell: true,
      stdio: ['ignore', 'pipe', 'inherit'],
      signal: io.signal,
    });
    // Standard output has the result of the command only.
    child.stdout.on('data', (part) => io.stderr.write(part));
    child.on('error', reject);
    child.on('close', (code, signal) => {
      resolve(code === 0 ? undefined : `The check has ended with ${signal ?? `the exit code ${code}`}.`);
    });
  });

/**
 * Cuts workspaces over: locks the source, carries what is new, verifies it, and leaves the source locked. A workspace for which something
 * fails is released, and the others go on.
 */
export const cutOver = async (open: OpenImport, { wave, includes, check }: Cutover): Promise<readonly Outcome[]> => {
  const { folder, invocation, source } = open;
  const plan = await readPlan(folder);
  if (plan === undefined) {
    throw new Failure('usage', 'There is no plan yet.', { hint: `Run "holdfast import plan ${folder.name}".` });
  }
  const accepted = acceptedBy(plan);
  const names = await findWave(open, wave, includes);
  const outcomes: Outcome[] = [];
  const journal = await openJournal(folder);
  try {
    const { locked, refused } = await lockSource(open, journal, wave, names);
    outcomes.push(...refused);
    const isLocked: WorkspaceFilter = (name) => locked.has(name);
    await writeInventory(folder, isLocked, (writer) => source.readInventory(writer, isLocked));
    await runImport(await reopen(invocation, folder, source), accepted, isLocked);
    const current = withPresent(await reopen(invocation, folder, source));
    const seen = new Set<string>();
    await forEachUnit(current, isLocked, async (unit) => {
      const { name } = unit.unit.workspace;
      seen.add(name);
      const obstacle =
        (await findObstacle(current, unit, accepted)) ??
        (check === undefined ? undefined : await runCheck(current, check, name));
      if (obstacle === undefined) {
        await releaseTarget(current, unit);
        await journal.add({ type: 'locks', name, workspace: name, wave, event: 'cut-over' });
        outcomes.push({ name, result: 'cut over', detail: 'The source stays locked.' });
      } else {
        await unlockSource(current, journal, wave, name);
        outcomes.push({ name, result: 'refused', detail: obstacle });
      }
    });
    for (const name of locked) {
      if (seen.has(name)) continue;
      await unlockSource(current, journal, wave, name);
      outcomes.push({ name, result: 'refused', detail: 'The source has no such workspace any more.' });
    }
  } finally {
    await journal.close();
    invocation.io.progress('');
  }
  return outcomes.sort((a, b) => (a.name < b.name ? -1 : 1));
};
