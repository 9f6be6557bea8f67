import type { ChangeType } from '../changes/change-records.ts';
import { all, type Condition } from '../changes/conditions.ts';
import { isAlive, type Workspace } from '../workspace/workspace-record.ts';
import { ALIVE, requireAlive, type Step, type Transition } from './transition.ts';

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
});
