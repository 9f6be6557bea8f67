import { all, unchanged } from '../changes/conditions.ts';
import { canonicalJson, isMatch, type Revised, requireMatch } from '../changes/entity-tags.ts';
import { workspaceAccessAsRevised } from '../directory/grants.ts';
import { policyAsRevised } from '../state-versions/retention-policy.ts';
import { isAlive, type Workspace } from '../workspace/workspace-record.ts';
import type { RequestContext, Transition } from './transition.ts';

/** A part of a workspace that has an entity tag of its own. */
export interface Part {
  /** Returns the part as a resource with a revision; undefined if it does not exist. */
  readonly of: (image: Workspace) => Revised | undefined;
  /** Counter that every change of the part increments. */
  readonly counter: 'fence' | 'revision' | 'sequence';
  /** Returns what else belongs to the part, by the path of each attribute. */
  readonly attributes?: (image: Workspace) => Readonly<Record<string, string | number | undefined>>;
}

/** The workspace itself: its settings, which locks, runs and state versions do not change. */
export const SETTINGS: Part = { of: ({ id, revision }) => ({ id, revision }), counter: 'revision' };

/** The lock of the workspace: every lock, unlock and renewal changes it. */
export const LOCK: Part = { of: ({ id, fence }) => ({ id, revision: `lock ${fence}` }), counter: 'fence' };

/** Returns the lock and the state versions on which a deletion depends. */
const lockAndState = ({ fence, current, intermediate, pending }: Workspace) => ({
  fence,
  'current.id': current?.id,
  'intermediate.id': intermediate?.id,
  'pending.id': pending?.id,
});

/** All that the result of a deletion depends on: the settings, the lock and the state of the workspace. */
export const DELETION: Part = {
  of: (image) => ({ id: image.id, revision: canonicalJson({ revision: image.revision, ...lockAndState(image) }) }),
  counter: 'revision',
  attributes: lockAndState,
};

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
 * Restricts a transition to the entity tags that a request accepts (EDIT-3). The write is conditional on the counters of
 * the image, so it cannot change a newer version of the part. If the condition fails, the transition is planned again: with
 * 412 if the part has changed.
 *
 * Some transitions count as applied when the workspace is as requested, even if another request changed it. Here, only
 * the write of this request counts.
 * @param parts those whose entity tags the request may name; the workspace itself by default. A 412 names that of the first.
 */
export const whileMatching = (
  { id, precondition }: RequestContext,
  transition: Transition,
  first: Part = SETTINGS,
  ...others: readonly Part[]
): Transition =>
  precondition === undefined
    ? transition
    : {
        counter: first.counter,
        ...transition,
        plan: (image) => {
          if (!isAlive(image)) return transition.plan(image);
          const part = [first, ...others].find(({ of }) => isMatch(precondition, of(image)));
          if (part === undefined) requireMatch(precondition, first.of(image));
          if (part === undefined || precondition === '*') return transition.plan(image);
          if (transition.applied(image)) return { isUnneeded: true, condition: all(), change: {} };
          const { condition, ...step } = transition.plan(image);
          const values = Object.entries({ [part.counter]: image[part.counter], ...part.attributes?.(image) });
          return { ...step, condition: all(condition, ...values.map(([path, value]) => unchanged(path, value))) };
        },
        applied: (image) =>
          (precondition === '*' || !transition.isByState || image.change.request === id) && transition.applied(image),
      };
