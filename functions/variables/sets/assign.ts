import { concealNotFound } from '../../../shared/access/conceal-not-found.ts';
import { DomainError } from '../../../shared/domain/errors.ts';
import { isId } from '../../../shared/domain/ids.ts';
import type { RequestContext } from '../../../shared/domain/transitions/transition.ts';
import {
  type AssignmentTarget,
  assignedWhileGlobal,
  type VariableSet,
} from '../../../shared/domain/variable-sets/variable-set.ts';
import { isAlive } from '../../../shared/domain/workspace/workspace-record.ts';
import type { OperationRequest } from '../../../shared/http/operation.ts';
import type { VariableDependencies } from '../variables.ts';
import { findVariableSet } from './find.ts';

type Owned = Pick<VariableSet, 'organization' | 'project'>;

const notAssignable = (pointer: string, detail: string): DomainError =>
  new DomainError('invalid-attribute', detail, { source: { pointer } });

/** Returns the ids of those workspaces or projects to which a variable set of the owner can be assigned. */
const findAssignable = async (
  { store }: VariableDependencies,
  { organization, project: owner }: Owned,
  target: AssignmentTarget,
  ids: readonly string[],
): Promise<ReadonlySet<string>> => {
  if (target === 'projects') {
    const wellFormed = ids.filter((id) => isId('project', id) && (owner === undefined || id === owner));
    const find = await store.records.find(
      wellFormed.map((id) => ({ kind: 'project', id })),
      true,
    );
    return new Set(wellFormed.filter((id) => find('project', id)?.organization === organization));
  }
  const wellFormed = ids.filter((id) => isId('workspace', id)).map((id) => ({ id, hasLongText: false }));
  const found = await store.workspaces.findAll(wellFormed, true);
  const fits = found.filter(
    (workspace) =>
      isAlive(workspace) &&
      workspace.organization === organization &&
      (owner === undefined || workspace.project === owner),
  );
  return new Set(fits.map(({ id }) => id));
};

/**
 * Checks that a variable set can be assigned to workspaces or projects: they must belong to its organization, and, if a
 * project owns the set, to that project (VARSET-5).
 * @param pointer JSON pointer of the list in the body.
 * @throws DomainError 422 that names the first element that does not exist there.
 */
export const requireAssignable = async (
  dependencies: VariableDependencies,
  owned: Owned,
  target: AssignmentTarget,
  ids: readonly string[],
  pointer: string,
): Promise<void> => {
  if (ids.length === 0) return;
  const assignable = await findAssignable(dependencies, owned, target, [...new Set(ids)]);
  const index = ids.findIndex((id) => !assignable.has(id));
  if (index < 0) return;
  const noun = target === 'workspaces' ? 'Workspace' : 'Project';
  const place = owned.project === undefined ? 'organization' : 'project that owns the variable set';
  throw notAssignable(`${pointer}/${index}/id`, `${noun} ${ids[index]} does not exist in the ${place}`);
};

/** Replaces the workspaces or projects to which a variable set is assigned. */
export const replaceAssignments = (
  { variableSets }: VariableDependencies,
  id: string,
  request: RequestContext,
  target: AssignmentTarget,
  ids: readonly string[],
): Promise<VariableSet> =>
  variableSets.changeAssignments(id, request, target, (current) => ({
    added: [...new Set(ids)].filter((one) => !current.includes(one)),
    removed: current.filter((one) => !ids.includes(one)),
  }));

type AssignmentRoute = `varsets.${'add' | 'remove'}-${AssignmentTarget}`;
type AssignmentRequest = Pick<OperationRequest<AssignmentRoute>, 'contextFor' | 'digest' | 'parameters'> & {
  readonly body: { readonly data: readonly { readonly id: string }[] };
};

const POINTER = '/data';

const changeAssignments =
  (target: AssignmentTarget, adds: boolean) =>
  async (
    { contextFor, digest, parameters, body }: AssignmentRequest,
    dependencies: VariableDependencies,
  ): Promise<undefined> => {
    const { caller, record } = await findVariableSet(dependencies, digest, parameters.varset_id, 'variable-set.manage');
    if (record.global) throw assignedWhileGlobal({ pointer: POINTER });
    const ids = body.data.map(({ id }) => id);
    if (adds) await requireAssignable(dependencies, record, target, ids, POINTER);
    const request = contextFor(caller);
    await concealNotFound(
      dependencies.variableSets.changeAssignments(record.id, request, target, (current) => ({
        added: adds ? [...new Set(ids)].filter((one) => !current.includes(one)) : [],
        removed: adds ? [] : current.filter((one) => ids.includes(one)),
      })),
    );
    return undefined;
  };

/** `POST` and `DELETE /varsets/:varset_id/relationships/…` (VARSET-5). `DELETE` ignores ids that are not assigned. */
export const assignmentOperations = {
  'varsets.add-workspaces': changeAssignments('workspaces', true),
  'varsets.remove-workspaces': changeAssignments('workspaces', false),
  'varsets.add-projects': changeAssignments('projects', true),
  'varsets.remove-projects': changeAssignments('projects', false),
};
