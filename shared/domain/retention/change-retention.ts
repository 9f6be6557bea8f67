import { all, equals } from '../changes/conditions.ts';
import { ALIVE, type RequestContext, type Transition } from '../changes/transitions.ts';
import { notFound } from '../errors.ts';
import { isAlive, type Workspace } from '../workspace/workspace-record.ts';
import { type RetentionPolicy, type RetentionRule, withRule } from './retention-policy.ts';

export const noRetentionPolicy = () => notFound('There is no data retention policy.');

const type = 'workspace.retention-policy-changed';

/** The revision is pinned and raised, so that a write that arrives late finds that its moment has passed. */
const changing = (
  plan: (image: Workspace) => RetentionPolicy | undefined,
): Pick<Transition, 'type' | 'plan' | 'counter'> => ({
  type,
  plan: (image) => {
    if (!isAlive(image)) throw notFound();
    const policy = plan(image);
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

/** Gives the workspace a policy of its own, or changes the one that it has. */
export const setRetentionPolicy = (request: RequestContext, rule: RetentionRule, id: string): Transition => ({
  ...changing(({ retentionPolicy }) => withRule(retentionPolicy, rule, id)),
  applied: ({ change }) => change.request === request.id && change.type === type,
});

/** Takes the workspace's own policy away. */
export const removeRetentionPolicy = (): Transition => ({
  ...changing(({ retentionPolicy }) => {
    if (retentionPolicy === undefined) throw noRetentionPolicy();
    return undefined;
  }),
  applied: (image) => isAlive(image) && image.retentionPolicy === undefined,
});
