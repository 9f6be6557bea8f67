import { showAccount } from '../../../../shared/client/organizations.ts';
import { apiRequest } from '../../../../shared/client/request.ts';
import type { Run, Workspace } from '../../../../shared/client/types.ts';
import { lockWorkspace, unlockWorkspace } from '../../../../shared/client/workspaces.ts';
import { explainNotFound, Failure } from '../../failure.ts';
import type { SourceLocks } from '../source.ts';
import type { Connection } from './connection.ts';

/** Statuses in which a run writes no state any more. */
const finalStatuses: ReadonlySet<Run['attributes']['status']> = new Set([
  'planned_and_finished',
  'policy_soft_failed',
  'applied',
  'discarded',
  'errored',
  'canceled',
  'force_canceled',
]);

/** Reads a workspace by its name. @throws Failure `notFound` without one. */
export const readByName = async (
  { address: { host, organization }, api }: Pick<Connection, 'address' | 'api'>,
  name: string,
): Promise<Workspace> => {
  const request = apiRequest('get', '/api/v2/organizations/{organization_name}/workspaces/{name}', {
    path: { organization_name: organization, name },
  });
  const sentence = `${host} has no workspace "${name}", or the token may not see it.`;
  return (await explainNotFound(api.send(request), sentence)).document.data as Workspace;
};

/** Opens the locks of a source. */
export const openLocks = (connection: Connection): SourceLocks => {
  const { api, address } = connection;
  const { host } = address;

  const change = (action: 'lock' | 'unlock', { id }: Workspace, reason?: string) =>
    api.send(action === 'lock' ? lockWorkspace(id, reason ?? '') : unlockWorkspace(id));

  /** Returns whether the caller holds a lock. @returns undefined if the server does not say who holds it. */
  const isOfCaller = async ({ relationships }: Workspace): Promise<boolean | undefined> => {
    // Servers other than Holdfast can lack the relationship.
    const holder = (relationships as Partial<Workspace['relationships']>)['locked-by']?.data;
    if (holder === undefined) return undefined;
    const { document } = await api.send(showAccount());
    return holder?.id === document.data.id;
  };

  /**
   * Returns whether a lock is that of the import. The server names its reason, or at least its holder.
   * @returns undefined if the server says neither.
   */
  const isOurs = async (workspace: Workspace, reason: string): Promise<boolean | undefined> => {
    const { 'locked-reason': present } = workspace.attributes as Partial<Workspace['attributes']>;
    if (present !== undefined) return (present ?? '').includes(reason);
    return isOfCaller(workspace);
  };

  const lockedByOther = ({ attributes }: Workspace): Failure => {
    const { 'locked-reason': present } = attributes as Partial<Workspace['attributes']>;
    const cause = present ? ` The reason of the lock is: ${present}` : '';
    const holder = present === undefined ? 'and the server does not say by whom' : 'by somebody else';
    return new Failure('conflict', `${attributes.name} is locked at ${host}, ${holder}.${cause}`, {
      hint: 'Wait until the lock is released. It is never forced.',
    });
  };

  /** @throws Failure `conflict` while the current run of a workspace can write a state. */
  const requireFinalRun = async ({ attributes: { name }, relationships }: Workspace): Promise<void> => {
    const run = relationships['current-run']?.data;
    if (!run) return;
    const request = apiRequest('get', '/api/v2/runs/{run_id}', { path: { run_id: run.id } });
    const sentence = `The current run ${run.id} of ${name} cannot be read at ${host}, so nobody knows whether it has ended.`;
    const { status } = (await explainNotFound(api.send(request), sentence)).document.data.attributes;
    if (finalStatuses.has(status)) return;
    throw new Failure('conflict', `The run ${run.id} of ${name} is ${status} at ${host}.`, {
      hint: 'Wait until the run has ended.',
    });
  };

  return {
    acquire: async (name, reason, isResumed = false) => {
      const before = await readByName(connection, name);
      if (before.attributes.locked) {
        if ((await isOurs(before, reason)) ?? isResumed) return;
        throw lockedByOther(before);
      }
      await requireFinalRun(before);
      try {
        await change('lock', before, reason);
      } catch (error) {
        if (!(error instanceof Failure) || error.exit !== 'conflict') throw error;
        // The response to an attempt before may be lost.
        const present = await readByName(connection, name);
        if (!present.attributes.locked) throw error;
        if (!(await isOurs(present, reason))) throw lockedByOther(present);
      }
      try {
        // A run may have started in between.
        await requireFinalRun(await readByName(connection, name));
      } catch (error) {
        await change('unlock', before);
        throw error;
      }
    },
    release: async (name, reason) => {
      const workspace = await readByName(connection, name);
      if (!workspace.attributes.locked || (await isOurs(workspace, reason)) === false) return;
      // A server that does not say whose lock it is refuses to release that of another user.
      await change('unlock', workspace);
    },
  };
};
