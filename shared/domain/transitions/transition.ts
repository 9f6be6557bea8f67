import { createChangeRecord, type RequestContext } from '../changes/change-context.ts';
import { type ChangeRecord, type ChangeType, type Details, pickDetails } from '../changes/change-records.ts';
import { absent, all, any, type Change, type Condition, equals, exists } from '../changes/conditions.ts';
import { DomainError, invalid, notFound, unavailable } from '../errors.ts';
import type { StateVersionWrite } from '../state-versions/state-version.ts';
import type { ConsumersWrite } from '../workspace/consumer-set.ts';
import { isAlive, type Workspace } from '../workspace/workspace-record.ts';

export type { RequestContext } from '../changes/change-context.ts';

/**
 * A change of a workspace as a value (STORE-2). `plan` takes an image of the workspace and either rejects the change or
 * returns one conditional write.
 *
 * A read can reject a change, but only the conditional write can accept it. If the condition fails, the transition is
 * planned again from the item that DynamoDB returned. So `plan` is the only place that explains a rejection.
 *
 * @example
 * const rename = (name: string): Transition => ({
 *   type: 'workspace.updated',
 *   plan: (image) => {
 *     const { revision } = requireAlive(image);
 *     return { condition: all(ALIVE, equals('revision', revision)), change: { set: { name }, add: { revision: 1 } } };
 *   },
 *   applied: (image) => image.name === name,
 *   counter: 'revision',
 * });
 */
export interface Transition {
  readonly type: ChangeType;
  /** @throws DomainError when the image rules the transition out. */
  readonly plan: (image: Workspace | undefined) => Step;
  /** Tells from an image whether this request has already been applied, its response having been lost. */
  readonly applied: (image: Workspace) => boolean;
  /** Whether `applied` compares the state of the workspace only, so that it also holds if another request caused that state. */
  readonly isByState?: true;
  /**
   * Counter that the transition increments, for transitions that must not be applied twice. If another writer has also
   * incremented it since an unanswered write, that write may have been applied and undone, so its outcome is unknown.
   */
  readonly counter?: 'fence' | 'revision' | 'sequence';
}

/** One conditional write, and the details for its change record. */
export interface Step extends Details {
  readonly condition: Condition;
  readonly change: Change;
  /** Set if the workspace is as requested already: nothing is written, and no event is published. */
  readonly isUnneeded?: boolean;
  /** Writes on name claims, in the same transaction. */
  readonly claims?: readonly ClaimWrite[];
  /** Writes on the pointers of team access ids, in the same transaction. */
  readonly accessIds?: readonly AccessIdWrite[];
  /** Writes on the chunks of the remote state consumers, in the same transaction. */
  readonly chunks?: ConsumersWrite;
  /** Writes on state versions, in the same transaction. */
  readonly stateWrites?: readonly StateVersionWrite[];
  /** Whether the step counts as activity for auto-destroy (DESTROY-3). */
  readonly isActivity?: boolean;
  /** Whether dependants are left for the cleanup. They are registered with it in the same write. */
  readonly leavesDependants?: boolean;
}

/** A write on a name claim. Only the workspace that holds a claim may change or give it up. */
export interface ClaimWrite {
  readonly kind: 'take' | 'give-up';
  readonly name: string;
  readonly project: string;
}

/** A write on the pointer that leads from the id of a team's access to the workspace that stores the access. */
export interface AccessIdWrite {
  readonly kind: 'put' | 'delete';
  readonly team: string;
}

/** Creates the change record that a write leaves on the workspace. @param at milliseconds. */
export const recordChange = (
  id: string,
  type: ChangeType,
  request: RequestContext,
  at: number,
  details: Details = {},
): ChangeRecord => createChangeRecord(id, type, request, at, pickDetails(details));

/** Condition that the workspace exists and is not deleted. */
export const ALIVE = all(exists('pk'), absent('deletedAt'));

/**
 * Returns the workspace.
 * @throws DomainError 404 if it does not exist or is deleted.
 */
export const requireAlive = (image: Workspace | undefined): Workspace => {
  if (!isAlive(image)) throw notFound();
  return image;
};

/** Thrown if the workspace is no longer in the project whose data the request was decided with. */
export class MovedMeanwhile extends Error {
  override readonly name = 'MovedMeanwhile';
}

/**
 * Tells whether the settings and the repository of a workspace are those with which a move was decided: they say which agent
 * pool and which VCS connection the target project must be allowed to use (POOL-4, VCS-5).
 */
export const isScopedAs = (
  decided: Pick<Workspace, 'settings' | 'vcsRepo'>,
  image: Pick<Workspace, 'settings' | 'vcsRepo'>,
): boolean =>
  decided.vcsRepo?.oauthTokenId === image.vcsRepo?.oauthTokenId &&
  decided.settings.agentPool === image.settings.agentPool &&
  decided.settings.executionMode === image.settings.executionMode;

/** Creates the 503 error for a request that was decided with the project that a workspace has left. */
export const beingMoved = (): DomainError => unavailable('The workspace is being moved. Try again shortly.');

/** Condition under which a workspace may take or give up a name claim. */
export const claimCondition = (kind: ClaimWrite['kind'], workspace: string): Condition =>
  kind === 'take' ? any(absent('pk'), equals('workspace', workspace)) : equals('workspace', workspace);

/** Creates the error for a name that another workspace of the organization has. */
export const nameTaken = (): DomainError => invalid('name', 'Name has already been taken');

/** Tells whether an error is that for a taken name. */
export const isNameTaken = (error: unknown): boolean =>
  error instanceof DomainError && error.detail === nameTaken().detail;

/**
 * Restricts a transition to the name in the request path. If the workspace has been renamed since it was read, the
 * transition is rejected with 404.
 * @param name undefined if the path identifies the workspace by id.
 */
export const whileNamed = (name: string | undefined, transition: Transition): Transition =>
  name === undefined
    ? transition
    : {
        ...transition,
        plan: (image) => {
          if (image?.name !== name) throw notFound();
          return transition.plan(image);
        },
      };

/**
 * Creates a transition that may be repeated. It counts as applied as soon as the workspace has the wanted state, even
 * if another request caused that. It is used for changes that follow from another record, such as a deleted SSH key.
 * @param isDone returns whether the workspace has the wanted state.
 * @param planStep plans the write; without a condition of its own, the write requires only that the workspace exists.
 */
export const repeatableTransition = (
  type: ChangeType,
  isDone: (image: Workspace) => boolean,
  planStep: (image: Workspace) => Omit<Step, 'condition'> & { readonly condition?: Condition },
): Transition => ({
  type,
  plan: (image) => {
    const { condition = all(), ...rest } = planStep(requireAlive(image));
    return { ...rest, condition: all(ALIVE, condition) };
  },
  applied: (image) => isAlive(image) && isDone(image),
  isByState: true,
});
