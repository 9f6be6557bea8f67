import { absent, all, any, below, type Condition, differs, equals } from '../../changes/conditions.ts';
import { conflict, StatePending } from '../../errors.ts';
import { isGivenUp } from '../../state-versions/state-version.ts';
import { isProtected, type Workspace } from '../../workspace/workspace-record.ts';
import { lockMeta } from '../locks/lock.ts';
import { ALIVE, MovedMeanwhile, type RequestContext, requireAlive, type Step, type Transition } from '../transition.ts';

/** Lifetime of a final tombstone in seconds: longer than any list index or snapshot is used (INDEX-9). */
const TOMBSTONE_SECONDS = 7 * 24 * 60 * 60;
/** Lifetime, in seconds, of a tombstone that the cleanup has never finished. */
const QUEUED_SECONDS = 365 * 24 * 60 * 60;

/** Returns the expiry of a tombstone, in seconds since the epoch. @param from time from which it is final. */
export const tombstoneExpiry = (from: number): number => Math.ceil(from / 1000) + TOMBSTONE_SECONDS;

/**
 * Returns the expiry of a tombstone in the cleanup queue, in seconds since the epoch. If it expired before the cleanup runs,
 * its dependants would stay forever. The last write of the cleanup sets the expiry of a final tombstone.
 * @param due time from which the cleanup can finish it.
 */
export const queuedExpiry = (due: number): number => Math.ceil(due / 1000) + QUEUED_SECONDS;

/** Circumstances of a deletion by a caller. */
export interface DeletionContext {
  readonly inherited: InheritedProtection;
  /** Milliseconds for which the workspace can be restored; 0 makes the deletion final. */
  readonly keptFor: number;
}

/** Deletion protection that workspaces inherit in a project, as the request read it. */
interface InheritedProtection {
  /** Id of the project. */
  readonly project: string;
  readonly isProtected: boolean;
}

/**
 * Requires that the workspace is not protected against deletion (DEL-13).
 * @param inherited undefined for a deletion by the service itself, which ignores the protection.
 * @returns the condition that the workspace does not become protected before the write.
 * @throws DomainError 409 for a protected workspace; MovedMeanwhile if the inherited value belongs to another project.
 */
const requireUnprotected = (
  { project, settings }: Pick<Workspace, 'project' | 'settings'>,
  inherited: InheritedProtection | undefined,
): Condition => {
  if (inherited === undefined) return all();
  const own = settings.deletionProtection ?? null;
  if (own === null && project !== inherited.project) throw new MovedMeanwhile();
  if (isProtected({ settings }, inherited.isProtected)) {
    throw conflict(
      own === null
        ? 'The workspace inherits deletion protection from its project or organization. An admin of the workspace can lift it by setting deletion-protection to false.'
        : 'The workspace has deletion protection. An admin of the workspace can lift it by setting deletion-protection to false.',
    );
  }
  return own === false ? equals('settings.deletionProtection', false) : differs('settings.deletionProtection', true);
};

/** Attributes that exist on a workspace if it has dependants: items of their own that the cleanup removes. */
const dependants = [
  'hasVariables',
  'consumers',
  'run',
  'hasConfigurations',
  'hasVariableSets',
  'stateVersions',
] as const;

/** Tells whether a workspace has dependants. Each grant has a pointer item. */
export const leavesDependants = (image: Workspace): boolean =>
  dependants.some((attribute) => image[attribute] !== undefined) || Object.keys(image.access).length > 0;

const writeTombstone = (
  image: Workspace,
  condition: Condition,
  at: number,
  { forced, keptFor }: { readonly forced: boolean; readonly keptFor: number },
): Step => {
  const hasDependants = dependants.some((attribute) => image[attribute] !== undefined);
  // If the image shows no dependants, none may be created before the deletion: the cleanup would not know of them.
  const asRead = hasDependants ? all() : all(...dependants.map(absent));
  return {
    // Grants need no condition: they are in the list index, and every change of what the list index shows is already
    // conditional on the image.
    condition: all(ALIVE, equals('name', image.name), asRead, condition),
    change: {
      set: {
        deletedAt: at,
        ttl: keptFor > 0 || leavesDependants(image) ? queuedExpiry(at + keptFor) : tombstoneExpiry(at),
        ...(keptFor > 0 && { purgeAt: at + keptFor }),
      },
    },
    claims: [{ kind: 'give-up', name: image.name, project: image.project }],
    leavesDependants: leavesDependants(image),
    forced,
  };
};

/** Tells whether a request has deleted the workspace. If it was restored since, the request does not delete it again. */
const isDeletedBy =
  ({ id }: RequestContext) =>
  ({ deletedAt, change, restoration }: Workspace): boolean =>
    deletedAt === undefined ? restoration?.deletion === id : change.request === id;

/**
 * Deletes a workspace only if it is not protected, it is unlocked, no state is being processed and it manages no
 * resources (DEL-1). One condition checks all of this.
 *
 * `plan` throws a `DomainError`: 404 for a deleted workspace, 409 for each of the reasons above. While a state version
 * waits for its content, the 409 is a `StatePending`.
 * @param at time of the request, in milliseconds.
 * @param context undefined for a deletion by the service itself, which ignores the protection and is final.
 * @param checkedId id of the pending state version whose content this request has already looked for.
 * @example
 * const inherited = { project: project.id, isProtected: false };
 * const transition = safeDelete(request, clock(), { inherited, keptFor: 0 });
 * await workspaces.apply(workspace, transition, request);
 */
export const safeDelete = (
  request: RequestContext,
  at: number,
  context?: DeletionContext,
  checkedId?: string,
): Transition => ({
  type: 'workspace.deleted',
  plan: (read) => {
    const image = requireAlive(read);
    const unprotected = requireUnprotected(image, context?.inherited);
    if (image.lock) {
      throw conflict(
        'Workspace is currently locked. Workspace must be unlocked before it can be safely deleted.',
        lockMeta(image.lock),
      );
    }
    const processing = conflict(
      'The latest state of the workspace is being processed to discover resources. Try again later.',
    );
    const { pending } = image;
    if (pending && !isGivenUp(pending, at, checkedId)) throw new StatePending(pending, processing);
    if (image.intermediate) throw processing;
    if (image.current && image.current.resources < 0) {
      throw conflict(
        'The current state cannot be read, so the workspace may manage resources. Force delete the workspace.',
      );
    }
    if (image.current && image.current.resources !== 0) {
      throw conflict('The workspace still manages resources. Destroy them first, or force delete the workspace.');
    }
    return writeTombstone(
      image,
      all(
        unprotected,
        absent('lock'),
        absent('intermediate'),
        any(absent('pending'), below('pending.until', at)),
        any(absent('current.resources'), equals('current.resources', 0)),
      ),
      at,
      { forced: false, keptFor: context?.keptFor ?? 0 },
    );
  },
  applied: isDeletedBy(request),
});

/**
 * Deletes a workspace regardless of its lock and its resources (DEL-6).
 *
 * `plan` throws a `DomainError`: 404 for a deleted workspace, 409 for a protected one.
 * @param at time of the request, in milliseconds.
 * @param context undefined for a deletion by the service itself, which ignores the protection and is final.
 */
export const forceDelete = (request: RequestContext, at: number, context?: DeletionContext): Transition => ({
  type: 'workspace.deleted',
  plan: (read) => {
    const image = requireAlive(read);
    return writeTombstone(image, requireUnprotected(image, context?.inherited), at, {
      forced: true,
      keptFor: context?.keptFor ?? 0,
    });
  },
  applied: isDeletedBy(request),
});
