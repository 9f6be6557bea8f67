import { all, equals } from '../changes/conditions.ts';
import { type Revised, requireMatch } from '../changes/entity-tags.ts';
import { workspaceAccessAsRevised } from '../directory/grants.ts';
import { policyAsRevised } from '../state-versions/retention-policy.ts';
import { isAlive, type Workspace } from '../workspace/workspace-record.ts';
import type { RequestContext, Transition } from './transition.ts';

/** Returns the workspace as a resource with a revision. */
const asWorkspace = ({ id, revision }: Workspace): Revised => ({ id, revision });

/** A resource that is stored with a workspace, and the counter that every change of the resource increments. */
interface Part {
  /** Returns the resource; undefined if it does not exist. */
  readonly of: (image: Workspace) => Revised | undefined;
  readonly counter: 'revision' | 'sequence';
}

/** The workspace itself: its settings, which locks, runs and state versions do not change. */
const ITSELF: Part = { of: asWorkspace, counter: 'revision' };

/** The data retention policy of the workspace. */
export const POLICY: Part = {
  of: ({ retentionPolicy }) => retentionPolicy && policyAsRevised(retentionPolicy),
  counter: 'revision',
};

/** The access of a team to the workspace. */
export const accessOf = (team: string): Part => ({
  of: ({ id, access }) => access[team] && workspaceAccessAsRevised(id, team, access[team]),
  counter: 'sequence',
});

/**
 * Restricts a transition to the entity tags that a request accepts (EDIT-3). The write is conditional on the counter of
 * the image, so it cannot change a newer version of the resource. If the condition fails, the transition is planned
 * again: with 412 if the resource has changed.
 *
 * Some transitions count as applied when the workspace is as requested, even if another request changed it. Here, only
 * the write of this request counts.
 * @param part the resource that the request names; the workspace itself by default.
 */
export const whileMatching = (
  { id, precondition }: RequestContext,
  transition: Transition,
  { of, counter }: Part = ITSELF,
): Transition =>
  precondition === undefined
    ? transition
    : {
        counter,
        ...transition,
        plan: (image) => {
          if (!isAlive(image)) return transition.plan(image);
          requireMatch(precondition, of(image));
          if (precondition === '*') return transition.plan(image);
          if (transition.applied(image)) return { isUnneeded: true, condition: all(), change: {} };
          const { condition, ...step } = transition.plan(image);
          return { ...step, condition: all(condition, equals(counter, image[counter])) };
        },
        applied: (image) => (precondition === '*' || image.change.request === id) && transition.applied(image),
      };
