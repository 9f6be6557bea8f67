import { createHash } from 'node:crypto';
import { lockWorkspace } from '../../../shared/client/workspaces.ts';
import { readContent } from '../commands/state-versions.ts';
import { Failure } from '../failure.ts';
import { toFailure } from '../output/errors.ts';
import { readState } from '../state-file.ts';
import { findWave, type Outcome, unlockSource } from './cutover.ts';
import { withRestarts } from './download.ts';
import { type Journal, openJournal } from './journal.ts';
import { type OpenImport, reopen, withPresent } from './open-import.ts';
import { lockReason } from './run.ts';
import { forEachUnit, type UnitPlan } from './traverse.ts';

/** Options of a rollback. */
export interface Rollback {
  readonly wave: string;
  /** Treatment of states that were written at the target since the cutover. Undefined: the workspace is refused. */
  readonly newer: 'push' | 'discard' | undefined;
}

/** Locks the workspace of the target, so that late writers fail instead of losing what they write. */
const lockTarget = async (
  { invocation: { api }, folder }: OpenImport,
  { id, name }: { readonly id: string; readonly name: string },
): Promise<void> => {
  const reason = lockReason(folder.description.id);
  try {
    await api.send(lockWorkspace(id, reason));
  } catch (error) {
    const { meta } = error instanceof Failure ? error.details : {};
    // A rollback that was interrupted has locked it already.
    if ((meta as { readonly reason?: string } | undefined)?.reason === reason) return;
    throw new Failure('conflict', `${name} is locked at the target. ${(error as Error).message}`, { cause: error });
  }
};

const collect = async (content: AsyncIterable<Uint8Array>): Promise<Buffer> => {
  const parts: Uint8Array[] = [];
  for await (const part of content) parts.push(part);
  return Buffer.concat(parts);
};

/** Treats the states that were written at the target since the cutover. */
const returnNewer = async (
  { invocation, io, source }: OpenImport,
  journal: Journal,
  plan: UnitPlan,
  newer: Rollback['newer'],
): Promise<string> => {
  const { name } = plan.unit.workspace;
  const newest = plan.present?.versions.at(-1);
  const isKnown = newest === undefined || [...plan.versions.present.values()].some(({ id }) => id === newest.id);
  if (isKnown) return 'Nothing was written at the target since the cutover.';
  if (newer === undefined) {
    throw new Failure('conflict', `The target has a newer state, ${newest.id}.`, {
      hint: 'Add --push-state to write it back to the source, or --discard to leave it.',
    });
  }
  const subject = { type: 'locks' as const, name, workspace: name };
  if (newer === 'discard') {
    await journal.add({ ...subject, event: 'given-up', version: newest.id });
    return `The newer state ${newest.id} stays at the target only.`;
  }
  const { id, md5 } = newest;
  const content = await withRestarts(io, () => collect(readContent(invocation, { id, attributes: { md5 } })));
  const state = readState(content);
  if (typeof state === 'string') throw new Failure('rejected', `${newest.id}: ${state}`);
  const facts = {
    ...{ sha256: createHash('sha256').update(content).digest('hex'), md5: newest.md5, size: content.length },
    ...{ serial: state.serial, lineage: state.lineage },
  };
  // The intention comes first: after a crash, the source may have it.
  await journal.add({ ...subject, event: 'pushed', version: newest.id, facts });
  await source.push(name, content);
  return `The newer state ${newest.id} was written back to the source.`;
};

/**
 * Returns the workspaces of a wave to the source: locks the target, writes newer states back if the user wants it, and releases the
 * locks of the source that the import has taken.
 */
export const rollBack = async (opened: OpenImport, { wave, newer }: Rollback): Promise<readonly Outcome[]> => {
  const { folder, invocation, source } = opened;
  const names = await findWave(opened, wave, () => false);
  const outcomes: Outcome[] = [];
  const journal = await openJournal(folder);
  const refuse = (name: string, error: unknown): void => {
    const failure = toFailure(error);
    if (failure.exit === 'interrupted' || failure.exit === 'notAuthenticated') throw failure;
    const { hint } = failure.details;
    outcomes.push({
      name,
      result: 'refused',
      detail: hint === undefined ? failure.message : `${failure.message} ${hint}`,
    });
  };
  try {
    const locked = new Set<string>();
    for (const name of names) {
      const id = opened.target.workspaceIds.get(name) ?? '';
      await lockTarget(opened, { id, name }).then(
        () => locked.add(name),
        (error) => refuse(name, error),
      );
    }
    // What is there now stays, because the target is locked.
    const open = withPresent(await reopen(invocation, folder, source));
    await forEachUnit(
      open,
      (name) => locked.has(name),
      async (plan) => {
        const { name } = plan.unit.workspace;
        try {
          const detail = await returnNewer(open, journal, plan, newer);
          await unlockSource(open, journal, wave, name);
          await journal.add({ type: 'locks', name, workspace: name, wave, event: 'rolled-back' });
          outcomes.push({ name, result: 'rolled back', detail: `${detail} The target stays locked.` });
        } catch (error) {
          refuse(name, error);
        }
      },
    );
  } finally {
    await journal.close();
    invocation.io.progress('');
  }
  return outcomes.sort((a, b) => (a.name < b.name ? -1 : 1));
};
