import type { Operation } from '../../../shared/http/operation.ts';
import type { variableSets as routes } from '../../../shared/routes/variables.ts';
import type { VariableDependencies } from '../variables.ts';
import { listAllVariables } from './all-variables.ts';
import { addAssignments, removeAssignments } from './assign.ts';
import { findVariableSet } from './find.ts';
import { presentVariableSet } from './present.ts';
import {
  createVariableSet,
  deleteVariableSet,
  listVariableSets,
  listVariableSetsOfProject,
  listVariableSetsOfWorkspace,
  updateVariableSet,
} from './sets.ts';
import {
  createSetVariable,
  deleteSetVariable,
  listSetVariables,
  showSetVariable,
  updateSetVariable,
  verifySetVariable,
} from './variables.ts';

/** `GET /varsets/:varset_id` (VARSET-1). */
const showVariableSet =
  (dependencies: VariableDependencies): Operation<'varsets.show'> =>
  async ({ digest, parameters, include, url }) => {
    const access = await findVariableSet(dependencies, digest, parameters.varset_id, 'variable-set.read');
    return presentVariableSet(dependencies, access, access.record, { include, url });
  };

/** Creates the operations on variable sets, their variables and their assignments. */
export const variableSetOperations = (
  dependencies: VariableDependencies,
): { readonly [R in keyof typeof routes]: Operation<R> } => ({
  'varsets.list': listVariableSets(dependencies),
  'workspace-varsets.list': listVariableSetsOfWorkspace(dependencies),
  'project-varsets.list': listVariableSetsOfProject(dependencies),
  'varsets.create': createVariableSet(dependencies),
  'varsets.show': showVariableSet(dependencies),
  'varsets.update': updateVariableSet(dependencies),
  'varsets.delete': deleteVariableSet(dependencies),
  'varsets.add-workspaces': addAssignments(dependencies, 'workspaces'),
  'varsets.remove-workspaces': removeAssignments(dependencies, 'workspaces'),
  'varsets.add-projects': addAssignments(dependencies, 'projects'),
  'varsets.remove-projects': removeAssignments(dependencies, 'projects'),
  'varset-variables.list': listSetVariables(dependencies),
  'varset-variables.create': createSetVariable(dependencies),
  'varset-variables.show': showSetVariable(dependencies),
  'varset-variables.update': updateSetVariable(dependencies),
  'varset-variables.verify': verifySetVariable(dependencies),
  'varset-variables.delete': deleteSetVariable(dependencies),
  'all-variables.list': listAllVariables(dependencies),
});
