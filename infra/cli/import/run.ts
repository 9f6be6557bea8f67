import { unlockWorkspace } from '../../../shared/client/workspaces.ts';
import { now } from '../../../shared/lib/clock.ts';
import { type HeldLease, takeLease } from '../exec/lease.ts';
import { Failure } from '../failure.ts';
import { toFailure } from '../output/errors.ts';
import { formatAge, formatSize } from '../output/format.ts';
import { copyVersion, readVersion, versionName } from './copy-states.ts';
import type { Evaluation } from './evaluate.ts';
import { countWorkspaces, type DirectoryType, type InventoryType, readRecords } from './inventory.ts';
import { type Journal, openJournal, readSettled, type Subject } from './journal.ts';
import { type OpenImport, reopen, withPresent } from './open-import.ts';
import type { Accepted } from './plan.ts';
import { readSecretValue } from './secrets.ts';
import type { WorkspaceFilter } from './source.ts';
import { evaluateType, forEachUnit, type UnitPlan, writingOrder } from './traverse.ts';
import { type Destination, writers } from './write-record.ts';

/** Numbers of what a run has written so far. */
export interface Progress {
  workspaces: number;
  records: number;
  states: number;
  bytes: number;
  /** Objects that could not be written. */
  refused: number;
}

/** Failures that end a run, because nothing else can succeed. */
const final: readonly string[] = ['interrupted', 'notAuthenticated', 'usage', 'failed'];

interface Running extends OpenImport {
  readonly journal: Journal;
  readonly accepted: Accepted;
  readonly progress: Progress;
  /** Number of workspaces to carry, and when the run began, in milliseconds since the epoch. */
  readonly total: number;
  readonly startedAt: number;
}

/** Notes that an object could not be written. The run goes on with the others. @throws what ends the run. */
const refuse = async ({ journal, progress, invocation }: Running, subject: Subject, error: unknown): Promise<void> => {
  const failure = toFailure(error);
  if (final.includes(failure.exit)) throw failure;
  progress.refused += 1;
  await journal.add({ ...subject, event: 'refused', detail: failure.message });
  invocation.reportFailure(
    new Failure(failure.exit, `${subject.type} ${subject.name}: ${failure.message}`, failure.details),
  );
};

const subjectOf = <T extends InventoryType>({ item: { type, name, workspace } }: Evaluation<T>): Subject => ({
  type,
  name,
  ...(workspace !== undefined && { workspace }),
});

/** Opens the way to write one object: the journal notes each request. */
const destinationOf = (
  { invocation: { api, io }, source, target, ids, secrets, journal }: Running,
  subject: Subject,
): Destination => {
  let hasSecret = false;
  return {
    organization: target.organization.attributes.name,
    idOf: (type, name) => {
      const id = ids.get(type, name);
      if (id === undefined) throw new Failure('partial', `${type} ${name} is not there.`);
      return id;
    },
    importedFrom: ({ name, origin }) => ({
      ...{ ...source.origin, id: origin?.id ?? name, name },
      'created-at': origin?.['created-at'] ?? null,
      'created-by': null,
    }),
    created: ids.set,
    write: (request) =>
      journal.write(subject, request, (idempotencyKey) => api.send({ ...request, idempotencyKey }), hasSecret),
    secret: (type, name) => {
      hasSecret = true;
      return readSecretValue(io, secrets, `${type}/${name}`);
    },
  };
};

/** Writes an object if it is to be written. */
const writeOne = async <T extends Exclude<InventoryType, 'state-versions'>>(
  running: Running,
  evaluation: Evaluation<T>,
): Promise<void> => {
  const { item, record, present, members, digests } = evaluation;
  const isOverwritten = item.result === 'conflict' && item.reason === 'exists' && running.accepted(item);
  if (item.result !== 'create' && item.result !== 'update' && !isOverwritten) return;
  const subject = subjectOf(evaluation);
  try {
    await writers[item.type as T](destinationOf(running, subject), { record, present, members });
    await running.journal.add({ ...subject, event: 'carried', members: digests });
    running.progress.records += 1;
  } catch (error) {
    await refuse(running, subject, error);
  }
};

/** Settings of the organization with which the token of the caller may no longer be accepted. */
const lastSettings: readonly string[] = ['user-tokens-enabled', 'sign-in-policy'];

/** Writes the records of the organization. References to what is not there yet are left out, and follow with the next pass. */
const writeDirectory = async (
  running: Running,
  types: readonly DirectoryType[],
  isWritten: (member: string) => boolean = () => true,
): Promise<void> => {
  const { directory } = await readSettled(running.folder);
  for (const type of types) {
    for await (const evaluation of evaluateType<DirectoryType>(running, type, directory)) {
      running.io.signal.throwIfAborted();
      const members = evaluation.members.filter(isWritten);
      if (evaluation.present === undefined || members.length > 0) {
        await writeOne(running, { ...evaluation, members } as never);
      }
    }
  }
};

/** Seconds of the lease of the lock under which states are copied. */
const LEASE_SECONDS = 600;

/** Returns the reason of the locks that an import takes, by which it recognizes them. */
export const lockReason = (id: string): string => `import ${id}`;

/** Releases a lock that an interrupted run of this import has left. @returns whether there was one. */
const releaseOwnLock = async (
  { invocation: { api }, folder }: Running,
  id: string,
  error: unknown,
): Promise<boolean> => {
  const { meta } = error instanceof Failure ? error.details : {};
  const { reason } = (meta ?? {}) as { readonly reason?: string };
  if (reason !== lockReason(folder.description.id)) return false;
  await api.send(unlockWorkspace(id));
  return true;
};

/** Reads the content of the state versions that the target has, and of which the journal has no digests. */
const readUnread = async (running: Running, { unit, versions: { unread, present } }: UnitPlan): Promise<void> => {
  const { invocation, journal, source, io } = running;
  for (const version of unread) {
    io.signal.throwIfAborted();
    const name = versionName(version);
    const found = present.get(name);
    if (found === undefined) continue;
    try {
      await readVersion({ io, api: invocation.api, journal, source }, version, found);
    } catch (error) {
      await refuse(running, { type: 'state-versions', name, workspace: unit.workspace.name }, error);
    }
  }
};

/**
 * Requires that the current state version of a locked workspace is one with which the source was compared.
 * @throws Failure `conflict` if another import or a run has written one before the workspace was locked.
 */
const requireCompared = ({ workspace }: HeldLease, { present }: UnitPlan): void => {
  const current = workspace.relationships['current-state-version'].data?.id;
  if (current === undefined || present?.versions.some(({ id }) => id === current)) return;
  throw new Failure(
    'conflict',
    `${workspace.attributes.name} has another state version than before it was locked, ${current}. Repeat the run.`,
  );
};

/** Copies the state versions of a workspace that the target lacks, in order, under the lock of the workspace. */
const copyStates = async (running: Running, plan: UnitPlan): Promise<void> => {
  const { unit, present, versions } = plan;
  const { missing } = versions;
  const { invocation, ids, journal, source, io, progress, folder } = running;
  const { name } = unit.workspace;
  const id = ids.get('workspaces', name);
  if (missing.length === 0 || id === undefined) return;
  const workspace = { id, name } as Parameters<typeof takeLease>[1];
  const lost = new AbortController();
  const take = () =>
    takeLease(invocation, workspace, { seconds: LEASE_SECONDS, reason: lockReason(folder.description.id) }, (reason) =>
      lost.abort(new Failure('conflict', reason)),
    );
  const subject = { type: 'locks' as const, name, workspace: name };
  let lease: HeldLease;
  try {
    lease = await take().catch(async (error) => {
      if (await releaseOwnLock(running, id, error)) return take();
      throw error;
    });
  } catch (error) {
    return refuse(running, subject, error);
  }
  const copying = { io, api: invocation.api, journal, source };
  let former: { readonly serial: number; readonly lineage?: string | null } | undefined =
    present?.versions.at(-1)?.record;
  try {
    requireCompared(lease, plan);
    for (const version of missing) {
      io.signal.throwIfAborted();
      lost.signal.throwIfAborted();
      try {
        const copied = await copyVersion(copying, id, version, former);
        former = copied;
        progress.states += 1;
        progress.bytes += copied.size;
        report(running);
      } catch (error) {
        await refuse(running, { type: 'state-versions', name: versionName(version), workspace: name }, error);
        // What cannot be a state is left out. Anything else would leave a gap in the history.
        if (toFailure(error).exit !== 'rejected') break;
      }
    }
  } catch (error) {
    await refuse(running, subject, error);
  } finally {
    await lease.release();
  }
};

/** Shows how far the run is, with an estimate from the speed so far. */
const report = ({ io, total, startedAt, progress: { workspaces, states, bytes } }: Running): void => {
  const left = workspaces === 0 ? undefined : ((now() - startedAt) / workspaces) * (total - workspaces);
  io.progress(
    [
      `${workspaces.toLocaleString('en')} of ${total.toLocaleString('en')} workspaces`,
      `${states.toLocaleString('en')} states`,
      formatSize(bytes),
      ...(left === undefined ? [] : [`about ${formatAge(left)} left`]),
    ].join(', '),
  );
};

/** Writes a workspace with everything that belongs to it, except its consumers, which can be later workspaces. */
const writeUnit = async (running: Running, plan: UnitPlan): Promise<void> => {
  running.io.signal.throwIfAborted();
  await writeOne(running, plan.workspace);
  if (running.ids.get('workspaces', plan.unit.workspace.name) !== undefined) {
    for (const evaluation of [...plan.variables, ...plan.access]) await writeOne(running, evaluation as never);
    await readUnread(running, plan);
    await copyStates(running, plan);
  }
  running.progress.workspaces += 1;
  report(running);
};

/**
 * Hides the agent pools that only some workspaces may use. A pool can name a workspace only once it exists, and a workspace can use the
 * pool only after that.
 */
const withoutRestrictedPools = async (running: Running): Promise<Running> => {
  const restricted = new Set<string>();
  for await (const { name, 'allowed-workspaces': workspaces = [] } of readRecords(running.folder, 'agent-pools')) {
    if (workspaces.length > 0) restricted.add(name);
  }
  const { exists, ...knowledge } = running.knowledge;
  const isThere: typeof exists = (type, name) =>
    !(type === 'agent-pools' && restricted.has(name)) && exists(type, name);
  return { ...running, knowledge: { ...knowledge, exists: isThere } };
};

/**
 * Carries everything that the plan says. Each phase can be repeated: what is there already is not written again.
 * @param accepted decides which conflicts are overwritten.
 * @param includes decides which workspaces are carried.
 */
export const runImport = async (open: OpenImport, accepted: Accepted, includes: WorkspaceFilter): Promise<Progress> => {
  const { folder, invocation, source } = open;
  const journal = await openJournal(folder);
  const progress: Progress = { workspaces: 0, records: 0, states: 0, bytes: 0, refused: 0 };
  const total = await countWorkspaces(folder, includes);
  const running: Running = { ...withPresent(open), journal, accepted, progress, total, startedAt: now() };
  /** Workspaces that name something that may be there only now. */
  const unfinished = new Set<string>();
  try {
    // Variables need the prefixes of the organization.
    await writeDirectory(running, ['organization'], (member) => !lastSettings.includes(member));
    await writeDirectory(running, writingOrder);
    const first = await withoutRestrictedPools(running);
    await forEachUnit(first, includes, async (plan) => {
      const { workspace, consumers } = plan;
      await writeUnit(running, plan);
      const isOpen = workspace.missing.length > 0 || consumers.some(({ item }) => item.result !== 'same');
      if (isOpen) unfinished.add(workspace.item.name);
    });
    // Records of the organization can name workspaces, and workspaces each other.
    const again: Running = { ...running, ...withPresent(await reopen(invocation, folder, source)) };
    await writeDirectory(again, writingOrder);
    await forEachUnit(
      again,
      (name) => unfinished.has(name),
      async ({ workspace, consumers }) => {
        for (const evaluation of [workspace, ...consumers]) await writeOne(again, evaluation as never);
      },
    );
    await writeDirectory(again, ['organization']);
  } finally {
    await journal.close();
    invocation.io.progress('');
  }
  return progress;
};
