import { forceUnlockWorkspace, lockWorkspace, unlockWorkspace } from '../../../shared/client/workspaces.ts';
import { now } from '../../../shared/lib/clock.ts';
import { command, type Group } from '../command.ts';
import { Failure, usageError } from '../failure.ts';
import { forEachItem } from '../for-each-item.ts';
import type { FoundWorkspace, Invocation } from '../invocation.ts';
import { formatAge } from '../output/format.ts';
import { defineView, type Row } from '../output/view.ts';
import { duration, flag, text } from '../parameters.ts';
import {
  listWorkspaces,
  rowIncludes,
  toChangedRow,
  toWorkspaceRow,
  workspaceArgument,
  workspaceArguments,
} from './workspace-rows.ts';

const lockView = defineView(
  ['name', 'locked-by', 'age', 'lock-expires-at', 'locked-reason'],
  ['id', 'locked', 'locked-at'],
);

const toLockRow = (row: Row): Row => {
  const locked = row['locked-at'];
  return {
    ...Object.fromEntries(lockView.fields.map((field) => [field, row[field] ?? null])),
    age: typeof locked === 'string' ? formatAge(now() - Date.parse(locked)) : null,
  };
};

/** Facts about a lock in the 409 of a lock request. */
interface LockMeta {
  readonly holder?: { readonly name?: string | null; readonly id?: string };
  readonly reason?: string;
}

const describeHolder = (meta: unknown): string => {
  const { holder, reason = '' } = (meta ?? {}) as LockMeta;
  return `${holder?.name ?? holder?.id ?? 'somebody else'}${reason === '' ? '' : `: ${reason}`}`;
};

/** Longest time between two attempts to lock, in milliseconds. */
const LONGEST_PAUSE = 15_000;

const sendLock = async (
  invocation: Invocation,
  { id }: FoundWorkspace,
  { reason, 'lease-seconds': leaseSeconds }: { readonly reason: string; readonly 'lease-seconds'?: number },
) => {
  const { document } = await invocation.api.send(lockWorkspace(id, reason, leaseSeconds));
  return toLockRow(await toChangedRow(invocation, document.data));
};

/**
 * Locks a workspace, and waits while somebody else holds its lock.
 * @param seconds how long to wait; undefined does not wait.
 * @throws Failure `conflict` without waiting, or `timedOut`.
 */
const lockPatiently = async (
  invocation: Invocation,
  workspace: FoundWorkspace,
  body: Parameters<typeof sendLock>[2],
  seconds: number | undefined,
): Promise<Row> => {
  let remaining = (seconds ?? 0) * 1_000;
  for (let pause = 1_000; ; pause = Math.min(pause * 2, LONGEST_PAUSE)) {
    try {
      return await sendLock(invocation, workspace, body);
    } catch (error) {
      if (seconds === undefined || !(error instanceof Failure) || error.exit !== 'conflict') throw error;
      const { meta } = error.details;
      if (remaining <= 0) {
        throw new Failure('timedOut', `${workspace.name} is still locked by ${describeHolder(meta)}.`, error.details);
      }
      const milliseconds = Math.min(pause, remaining);
      invocation.note(
        `${workspace.name} is locked by ${describeHolder(meta)}. Waiting ${Math.ceil(remaining / 1_000)} s more.`,
      );
      await invocation.io.wait(milliseconds, invocation.io.signal);
      remaining -= milliseconds;
    }
  }
};

/** Locks of workspaces (docs/concepts/locks.md). */
export const lockCommands: Group = {
  title: 'Locks',
  commands: [
    command({
      name: 'lock',
      summary: 'Lock a workspace',
      description: 'Only you can unlock it then. An admin can force-unlock it.',
      arguments: { workspace: workspaceArgument },
      flags: {
        reason: text('Why it is locked. Others see it.', 'TEXT'),
        lease: duration('End the lock by itself after this time, from 60s to 1d.'),
        wait: duration('Wait so long while somebody else holds the lock.'),
      },
      routes: ['workspaces.show-by-name', 'workspaces.show', 'workspaces.lock'],
      result: { kind: 'change', view: lockView, sentence: ({ name }) => `Locked ${name}.` },
      examples: ['lock network --reason "migrating" --lease 15m', 'lock network --wait 5m'],
      errors: {
        conflict: 'Somebody holds the lock, possibly you.',
        timedOut: 'The workspace is still locked after --wait.',
      },
      run: async (invocation, { workspace }, { reason = '', lease, wait }) =>
        lockPatiently(
          invocation,
          await invocation.workspace(workspace),
          { reason, ...(lease !== undefined && { 'lease-seconds': lease }) },
          wait,
        ),
    }),
    command({
      name: 'unlock',
      summary: 'Release locks',
      description: 'Releases your own locks. With --force, it releases the lock of anybody, which needs admin access.',
      arguments: { workspace: workspaceArguments },
      flags: {
        force: flag('Release the lock of somebody else. Requires --reason.'),
        reason: text('Why the lock is released by force. It is part of the history.', 'TEXT'),
      },
      routes: ['workspaces.show-by-name', 'workspaces.show', 'workspaces.unlock', 'workspaces.force-unlock'],
      result: { kind: 'changes', view: lockView, sentence: ({ name }) => `Unlocked ${name}.` },
      examples: ['unlock network', 'unlock network --force --reason "the pipeline has crashed"'],
      errors: { conflict: 'The workspace is not locked, or somebody else holds the lock.' },
      async *run(invocation, { workspace: names }, { force, reason }) {
        if (force && !reason?.trim()) throw usageError('--force requires a reason.', 'Add --reason TEXT.');
        if (!force && reason !== undefined) throw usageError('--reason requires --force.');
        return yield* forEachItem(invocation, names, async (name) => {
          const { id } = await invocation.workspace(name);
          const release = force ? forceUnlockWorkspace(id, reason ?? '') : unlockWorkspace(id);
          const { document } = await invocation.api.send(release);
          return toLockRow(toWorkspaceRow({}, document.data));
        });
      },
    }),
    command({
      name: 'locks',
      summary: 'List the locks of an organization, the oldest first',
      routes: ['workspaces.list'],
      result: { kind: 'list', view: lockView },
      examples: ['locks', 'locks --json=name,locked-by,age'],
      async *run({ api, organization }) {
        const name = await organization();
        const pages = api.pages((page) =>
          listWorkspaces(name, { 'filter[locked]': true, sort: 'locked-at', include: [...rowIncludes] }, page),
        );
        for await (const document of pages) {
          for (const workspace of document.data) yield toLockRow(toWorkspaceRow(document, workspace));
        }
      },
    }),
  ],
};
