import { all, equals } from '../../changes/conditions.ts';
import {
  noRetentionPolicy,
  type RetentionPolicy,
  type RetentionRule,
  withRule,
} from '../../state-versions/retention-policy.ts';
import { isAlive, type Workspace } from '../../workspace/workspace-record.ts';
import { ALIVE, type RequestContext, requireAlive, type Transition } from '../transition.ts';

const type = 'workspace.retention-policy-changed';

/** The condition pins the revision, and the write increments it, so a late write has no effect. */
const changePolicy = (
  next: (image: Workspace) => RetentionPolicy | undefined,
): Pick<Transition, 'type' | 'plan' | 'counter'> => ({
  type,
  plan: (read) => {
    const image = requireAlive(read);
    const policy = next(image);
    return {
      condition: all(ALIVE, equals('revision', image.revision)),
      change: {
        ...(policy === undefined ? { remove: ['retentionPolicy'] } : { set: { retentionPolicy: policy } }),
        add: { revision: 1 },
      },
      keys: ['data-retention-policy'],
    };
  },
  counter: 'revision',
});

/**
 * Sets the data retention policy of the workspace (RET-2).
 * @param id id for the policy if the workspace has none yet.
 */
export const setRetentionPolicy = (request: RequestContext, rule: RetentionRule, id: string): Transition => ({
  ...changePolicy(({ retentionPolicy }) => withRule(retentionPolicy, rule, id)),
  applied: ({ change }) => change.request === request.id && change.type === type,
});

/** Removes the data retention policy of the workspace (RET-3). `plan` throws a 404 error if it has none. */
export const removeRetentionPolicy = (): Transition => ({
  ...changePolicy(({ retentionPolicy }) => {
    if (retentionPolicy === undefined) throw noRetentionPolicy();
    return undefined;
  }),
  applied: (image) => isAlive(image) && image.retentionPolicy === undefined,
  isByState: true,
});
