import { applyChange } from '../../domain/changes/conditions.ts';
import { DomainError, notFound, unavailable } from '../../domain/errors.ts';
import { atTime, withLease } from '../../domain/transitions/locks/lease.ts';
import {
  nameTaken,
  type RequestContext,
  recordChange,
  requireAlive,
  type Step,
  type Transition,
} from '../../domain/transitions/transition.ts';
import { isAlive, type Workspace } from '../../domain/workspace/workspace-record.ts';
import type { Clock } from '../../lib/clock.ts';
import { newEventId } from '../../lib/random.ts';
import { retry, tryAgain } from '../../lib/retry.ts';
import type { Database } from '../dynamodb/database.ts';
import { ConditionFailed, NoResponse } from '../dynamodb/errors.ts';
import { type Item, keys, WORKSPACE, WORKSPACE_TEXT } from '../dynamodb/keys.ts';
import type { Write } from '../dynamodb/requests.ts';
import { persist, sendWrites } from '../dynamodb/retry-writes.ts';
import { textRevision, workspaceOf } from '../items/workspace-items.ts';
import { creationWrites, stepWrites } from '../items/workspace-writes.ts';

/** Maps a name to its workspace and project ids. Reading it at the same time as the token saves one round trip. */
export interface Claim {
  readonly workspace: string;
  readonly project: string;
}

/** Writes of other items in the same transaction as the write of the workspace. */
export interface AdditionalWrites {
  readonly writes: readonly Write[];
  /**
   * Called when the condition of one of these writes did not hold. It resolves if this request had applied the write
   * before, and throws otherwise.
   * @param place position of the failed write among `writes`.
   * @param isInDoubt whether the outcome of an earlier try is unknown.
   */
  readonly rejected: (place: number, image: Item | undefined, isInDoubt: boolean) => Promise<void>;
}

/** Maximum number of reads of a workspace whose long text changes during the read. */
const READS = 6;

const busy = () => unavailable('The workspace is busy. Try again shortly.');

/** Builds the error for a taken name. While an earlier try is in doubt, the rejection cannot be certain. */
const nameRejection = (isInDoubt: boolean) => (isInDoubt ? busy() : nameTaken());

/** Assembles a workspace from its items; undefined if its item, or the long text that belongs to it, is missing. */
const assemble = (items: readonly Item[]): Workspace | undefined => {
  const item = items.find(({ sk }) => sk === WORKSPACE);
  if (item === undefined) return undefined;
  const revision = textRevision(item);
  const text = items.find(({ sk, rev }) => sk === WORKSPACE_TEXT && rev === revision);
  // A query is not a snapshot: the text may have changed between the two.
  return revision !== undefined && text === undefined ? undefined : workspaceOf(item, text);
};

/** Opens the reads of workspaces as they are stored. */
const openStoredWorkspaces = (database: Database) => {
  /** Reads the stored workspace, including a lock whose lease has expired. */
  const findStored = async (id: string): Promise<Workspace | undefined> => {
    const { pk: partition } = keys.workspace(id);
    const readOnce = async () => {
      const items = await database.query({ partition, beginsWith: WORKSPACE, consistent: true });
      const workspace = assemble(items);
      const isComplete = workspace !== undefined || items.every(({ sk }) => sk !== WORKSPACE);
      return isComplete ? workspace : tryAgain;
    };
    return retry(readOnce, { attempts: READS, exhausted: busy });
  };

  const latest = async (id: string): Promise<Workspace> => {
    const workspace = await findStored(id);
    if (workspace === undefined) throw notFound();
    return workspace;
  };

  /**
   * Returns the workspace whose write condition failed. Its long text is read again only if it is an item of its own.
   */
  const imageOf = async (item: Item | undefined): Promise<Workspace> => {
    if (item === undefined) throw notFound();
    return textRevision(item) === undefined ? workspaceOf(item) : latest(String(item['id']));
  };

  /** Adds the long text to an updated item: the text of the image, unless it has changed since. */
  const withText = async (item: Item, { text, textRevision: known }: Workspace): Promise<Workspace> => {
    const revision = textRevision(item);
    if (revision === undefined) return workspaceOf(item);
    return revision === known ? { ...workspaceOf(item), text } : latest(String(item['id']));
  };

  return { findStored, latest, imageOf, withText };
};

/** Tells whether an error says that the workspace has none of the entity tags that the request accepts. */
const isNoMatch = (error: unknown): boolean => error instanceof DomainError && error.code === 'precondition-failed';

/**
 * Plans a step.
 * @throws DomainError of the transition. While an earlier try is in doubt, an expired lease rejects nothing for certain: the
 *   try was compared with an earlier time, and may still arrive. An entity tag does not either: it may be the try that has
 *   changed it.
 */
const planStep = ({ plan }: Transition, image: Workspace, isInDoubt: boolean): Step => {
  try {
    return plan(image);
  } catch (error) {
    throw isInDoubt && (image.stored !== undefined || isNoMatch(error)) ? busy() : error;
  }
};

/** Opens the application of transitions. */
const openApply =
  (database: Database, { latest, imageOf, withText }: ReturnType<typeof openStoredWorkspaces>, clock: Clock) =>
  async (
    first: Workspace,
    transition: Transition,
    request: RequestContext,
    additional?: AdditionalWrites,
  ): Promise<Workspace> => {
    // An interrupted command is executed again with the same request id.
    if (isAlive(first) && transition.applied(first)) return first;
    /** The stored workspace. */
    let image = first.stored ?? first;
    let isInDoubt = false;
    return persist('workspace', clock, async (now, remaining) => {
      const planned = atTime(image, now);
      const step = withLease(planStep(transition, planned, isInDoubt), planned, now);
      if (step.isUnneeded) return planned;
      const changeRecord = recordChange(newEventId(), transition.type, request, now, step);
      const { writes, change } = stepWrites(image, step, changeRecord, now);
      try {
        const item = await sendWrites(database, [...writes, ...(additional?.writes ?? [])], remaining());
        if (item !== undefined) return await withText(item, image);
        return applyChange(change, image);
      } catch (error) {
        if (error instanceof NoResponse) isInDoubt ||= error.mayBeApplied;
        if (!(error instanceof ConditionFailed)) throw error;
        if (additional !== undefined && error.index >= writes.length) {
          await additional.rejected(error.index - writes.length, error.image, isInDoubt);
          return latest(image.id);
        }
        image = await (error.index === 0 ? imageOf(error.image) : latest(image.id));
        const found = atTime(image, now);
        if (transition.applied(found)) return found;
        const { counter } = transition;
        // A workspace that is deleted now may have been changed by an earlier attempt of this request.
        const undone = isAlive(found) ? 1 : 0;
        if (isInDoubt && counter !== undefined && found[counter] > planned[counter] + undone) throw busy();
        // An earlier attempt may have written the additional items, which were then deleted with the workspace.
        if (isInDoubt && additional !== undefined && !isAlive(image)) throw busy();
        // The write of the name claim failed: another workspace has the name, or the image was too old.
        if (error.index > 0 && (error.image?.['workspace'] ?? image.id) !== image.id) throw nameRejection(isInDoubt);
        return tryAgain;
      }
    });
  };

/** Opens the reads and writes of workspaces. */
export const openWorkspaces = (database: Database, clock: Clock) => {
  const stored = openStoredWorkspaces(database);
  const { findStored } = stored;

  /**
   * Reads a workspace with strong consistency, also its tombstone; undefined if it never existed. A lock whose lease has
   * expired is not shown (LOCK-20).
   */
  const find = async (id: string): Promise<Workspace | undefined> => {
    const workspace = await findStored(id);
    return workspace && atTime(workspace, clock());
  };

  return {
    find,

    /**
     * Applies a transition to a workspace in one conditional write (STORE-2). If the condition fails, the transition is
     * planned again from the item that DynamoDB returned. The `additional` writes are part of the same transaction.
     * @param image the workspace as it was read.
     * @returns the workspace after the transition.
     * @throws DomainError of the transition if it rejects the change; `unavailable` if it was not applied in time.
     * @example
     * const locked = await workspaces.apply(image, lock(request, { id: newLockId, reason: '', at: now() }), request);
     */
    apply: openApply(database, stored, clock),

    findClaim: async (organization: string, name: string): Promise<Claim | undefined> => {
      const item = await database.get(keys.claim(organization, 'workspace', name), true);
      return item && { workspace: String(item['workspace']), project: String(item['project']) };
    },

    /** Reads workspaces by id, in no particular order, with eventual consistency unless `consistent`. */
    findAll: async (
      rows: readonly { readonly id: string; readonly hasLongText: boolean }[],
      consistent?: boolean,
    ): Promise<Workspace[]> => {
      const items = await database.getAll(
        rows.flatMap(({ id, hasLongText }) =>
          hasLongText ? [keys.workspace(id), keys.workspaceText(id)] : [keys.workspace(id)],
        ),
        consistent,
      );
      const byPartition = Map.groupBy(items, ({ pk }) => pk);
      const found = await Promise.all(
        [...byPartition.values()].map(async (group) => {
          const item = group.find(({ sk }) => sk === WORKSPACE);
          return item && (assemble(group) ?? findStored(String(item['id'])));
        }),
      );
      return found.filter((workspace) => workspace !== undefined).map((workspace) => atTime(workspace, clock()));
    },

    /**
     * Creates a workspace and claims its name, both or neither.
     * @returns the workspace; its present state if an earlier attempt of the request created it.
     * @throws DomainError when the name is taken; 404 if an earlier attempt created it and it is deleted.
     */
    create: async (workspace: Workspace, shards: number): Promise<Workspace> => {
      let isInDoubt = false;
      return persist('workspace', clock, async (now, remaining) => {
        try {
          await sendWrites(database, creationWrites({ ...workspace, listedAt: now }, shards), remaining());
          return workspace;
        } catch (error) {
          if (error instanceof NoResponse) isInDoubt ||= error.mayBeApplied;
          if (!(error instanceof ConditionFailed)) throw error;
          // The id is derived from the request, so an earlier attempt of it wrote the item.
          if (error.index === 0) return requireAlive(await find(workspace.id));
          throw nameRejection(isInDoubt);
        }
      });
    },
  };
};

export type Workspaces = ReturnType<typeof openWorkspaces>;

/**
 * Plans a transition without writing it (EDIT-6). Names that the transition takes are looked up with strong consistency,
 * because the write would check them.
 * @param image the workspace, read with strong consistency.
 * @returns the workspace as it would be; `image` itself if the transition would change nothing.
 * @throws DomainError that the transition would be rejected with.
 */
export const previewTransition = async (
  { findClaim }: Pick<Workspaces, 'findClaim'>,
  image: Workspace,
  transition: Transition,
): Promise<Workspace> => {
  if (isAlive(image) && transition.applied(image)) return image;
  const { isUnneeded, claims = [], change } = transition.plan(image);
  if (isUnneeded) return image;
  const taken = claims.filter(({ kind }) => kind === 'take');
  const found = await Promise.all(taken.map(({ name }) => findClaim(image.organization, name)));
  if (found.some((claim) => claim !== undefined && claim.workspace !== image.id)) throw nameTaken();
  return applyChange(change, image);
};
