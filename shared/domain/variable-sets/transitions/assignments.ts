import type { AssignmentsChange } from '../../changes/change-records.ts';
import { all, equals } from '../../changes/conditions.ts';
import { requireRevision } from '../../changes/revisions.ts';
import { invalidRelationship } from '../../errors.ts';
import { type AssignmentTarget, assignedWhileGlobal, checkAssignmentCount, type VariableSet } from '../variable-set.ts';
import { type Attempt, done, type Plan, planStep, requireVariableSet } from './plan.ts';

/** Workspaces or projects that one write assigns or removes; each takes up to two writes of a transaction of 100. */
const ASSIGNED_AT_ONCE = 40;

/** Computes the assignments to add and to remove from those that a variable set has. */
export type SelectAssignments = (current: readonly string[]) => Omit<AssignmentsChange, 'target'>;

/**
 * Plans a change of the assignments of a variable set (VARSET-5). Many of them take several transactions, each planned from
 * the variable set as the one before left it.
 */
export const changeAssignments = (
  attempt: Attempt,
  read: VariableSet | undefined,
  target: AssignmentTarget,
  select: SelectAssignments,
): Plan => {
  const image = requireVariableSet(read);
  const { request, revision, isInDoubt } = attempt;
  // An earlier attempt was applied, and its response was lost.
  const isApplied = image.revision === revision;
  const asAccepted = isApplied ? all() : requireRevision(request.precondition, image, isInDoubt);
  const { added, removed } = select(image[target]);
  if (added.length + removed.length === 0) return done(image);
  if (image.global && added.length > 0) throw assignedWhileGlobal({ pointer: `/data/relationships/${target}` });
  checkAssignmentCount(target, image[target].length + added.length - removed.length);
  const leaving = removed.slice(0, ASSIGNED_AT_ONCE);
  const joining = added.slice(0, ASSIGNED_AT_ONCE - leaving.length);
  const rejection = () => invalidRelationship(target, `One of the ${target} does not exist`);
  const plan = planStep(attempt, image, {
    type: 'variable-set.assignments-changed',
    details: { assignments: { target, added: joining, removed: leaving } },
    condition: all(equals('global', image.global), asAccepted),
    change: { [target]: [...image[target].filter((id) => !leaving.includes(id)), ...joining], revision },
    effects: [
      ...joining.map((id) => ({ kind: 'assign', target, id, rejection }) as const),
      ...leaving.map((id) => ({ kind: 'unassign', target, id }) as const),
    ],
  });
  return { ...plan, isPartial: leaving.length + joining.length < added.length + removed.length };
};
