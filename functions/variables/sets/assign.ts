import { concealNotFound } from '../../../shared/access/conceal-not-found.ts';
import { DomainError } from '../../../shared/domain/errors.ts';
import { isId } from '../../../shared/domain/ids.ts';
import type { RequestContext } from '../../../shared/domain/transitions/transition.ts';
import {
  changeAssignments,
  type SelectAssignments,
} from '../../../shared/domain/variable-sets/transitions/assignments.ts';
import {
  type AssignmentTarget,
  assignedWhileGlobal,
  type VariableSet,
} from '../../../shared/domain/variable-sets/variable-set.ts';
import { isAlive } from '../../../shared/domain/workspace/workspace-record.ts';
import type { OperationRequest } from '../../../shared/http/operation.ts';
import { type Document, REVISED } from '../../../shared/jsonapi/document.ts';
import { now } from '../../../shared/lib/clock.ts';
import { dryRunResource } from '../../../shared/resources/dry-runs/response.ts';
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
type AssignmentRequest = Pick<
  OperationRequest<AssignmentRoute>,
  'id' | 'contextFor' | 'digest' | 'parameters' | 'isDryRun'
> & {
  readonly body: { readonly data: readonly { readonly id: string }[] };
};

const POINTER = '/data';

/**
 * Reports which assignments of a variable set would change (EDIT-6).
 * @param requestId id of the request.
 * @throws DomainError that the change would be rejected with.
 */
const previewAssignments = async (
  { variableSets }: VariableDependencies,
  requestId: string,
  id: string,
  request: RequestContext,
  target: AssignmentTarget,
  select: SelectAssignments,
): Promise<Document> => {
  const image = await variableSets.find(id, true);
  const attempt = { request, at: now(), isInDoubt: false, revision: '', changeId: '' };
  const { effects } = changeAssignments(attempt, image, target, select);
  const { added, removed } = select(image?.[target] ?? []);
  const isUnchanged = effects.length === 0;
  return {
    data: dryRunResource(requestId, {
      outcome: isUnchanged ? 'unchanged' : 'changed',
      changes: isUnchanged ? {} : { [target]: { old: removed, new: added } },
      revised: image,
    }),
  };
};

const assignmentOperation =
  (target: AssignmentTarget, adds: boolean) =>
  async (
    { id, contextFor, digest, parameters, body, isDryRun }: AssignmentRequest,
    dependencies: VariableDependencies,
  ): Promise<Document> => {
    const { caller, record } = await findVariableSet(dependencies, digest, parameters.varset_id, 'variable-set.manage');
    if (record.global) throw assignedWhileGlobal({ pointer: POINTER });
    const ids = body.data.map(({ id }) => id);
    if (adds) await requireAssignable(dependencies, record, target, ids, POINTER);
    const request = contextFor(caller);
    const select: SelectAssignments = (current) => ({
      added: adds ? [...new Set(ids)].filter((one) => !current.includes(one)) : [],
      removed: adds ? [] : current.filter((one) => ids.includes(one)),
    });
    if (isDryRun) return previewAssignments(dependencies, id, record.id, request, target, select);
    const { variableSets } = dependencies;
    const changed = await concealNotFound(variableSets.changeAssignments(record.id, request, target, select));
    // The response has no body, but the entity tag, so that the next change can depend on this one.
    return { data: { id: changed.id, type: 'varsets', attributes: {}, [REVISED]: changed } };
  };

/** `POST` and `DELETE /varsets/:varset_id/relationships/…` (VARSET-5). `DELETE` ignores ids that are not assigned. */
export const assignmentOperations = {
  'varsets.add-workspaces': assignmentOperation('workspaces', true),
  'varsets.remove-workspaces': assignmentOperation('workspaces', false),
  'varsets.add-projects': assignmentOperation('projects', true),
  'varsets.remove-projects': assignmentOperation('projects', false),
};
