import { equals } from '../../changes/conditions.ts';
import { requireMatch } from '../../changes/entity-tags.ts';
import { requireRevision } from '../../changes/revisions.ts';
import { type DomainError, invalid, invalidRelationship, notFound } from '../../errors.ts';
import { nameTaken } from '../../transitions/transition.ts';
import type { Variable } from '../../workspace/variable.ts';
import { addGlobalVariables, type GlobalVariables, removeGlobalVariables } from '../global-variables.ts';
import { checkOwner, type VariableSet, type VariableSetSettings } from '../variable-set.ts';
import {
  type Attempt,
  done,
  type Effect,
  type Plan,
  planStep,
  recordChange,
  replaceGlobals,
  requireVariableSet,
} from './plan.ts';

/** Creation, settings and deletion of variable sets. */

/** Attributes of a new variable set. */
export type NewVariableSet = VariableSetSettings & Pick<VariableSet, 'id' | 'organization' | 'project'>;

/** Creates the error for an owner that does not exist, or whose variable sets the caller may not read. */
export const noParent = (): DomainError => invalidRelationship('parent', 'Parent does not exist');

/** Creates the error for a variable set that cannot become global because of the key of a variable (VARSET-9). */
const cannotBeGlobal = (key: string, other: string): DomainError =>
  invalid('global', `Global cannot be true: the global variable set ${other} has the key ${key}`);

const takeName = (name: string): Effect => ({ kind: 'take-name', name, rejection: nameTaken });

/**
 * Plans the creation of a variable set without variables and assignments (VARSET-2).
 * @param image what has the id already: it was created by an earlier attempt.
 * @param globals global variables of the organization, if the variable set is global.
 */
export const createVariableSet = (
  attempt: Attempt,
  image: VariableSet | undefined,
  given: NewVariableSet,
  globals: GlobalVariables | undefined,
): Plan => {
  if (image !== undefined && image.deletedAt === undefined) return done(image);
  const { id, name, project } = given;
  const effects: Effect[] = [{ kind: 'create' }, { kind: 'require-organization', rejection: () => notFound() }];
  if (project !== undefined) effects.push({ kind: 'join-project', project, rejection: noParent });
  effects.push(takeName(name), ...replaceGlobals(globals && addGlobalVariables(globals, id, [], cannotBeGlobal)));
  return {
    effects,
    result: {
      ...given,
      workspaces: [],
      projects: [],
      variables: [],
      createdAt: attempt.at,
      updatedAt: attempt.at,
      sequence: 1,
      change: recordChange(attempt, 'variable-set.created'),
    },
  };
};

/** Tells whether given settings make a variable set global, or no longer global. */
export const changesGlobal = (image: VariableSet | undefined, { global }: Partial<VariableSetSettings>): boolean =>
  image !== undefined && global !== undefined && global !== image.global;

/**
 * Plans a change of the settings (VARSET-4); an omitted one keeps its value.
 * @param globals global variables of the organization, if `changesGlobal`.
 * @param variables variables of the variable set, if it becomes global.
 */
export const updateVariableSet = (
  attempt: Attempt,
  read: VariableSet | undefined,
  given: Partial<VariableSetSettings>,
  globals: GlobalVariables | undefined,
  variables: readonly Variable[],
): Plan => {
  const image = requireVariableSet(read);
  const { request, revision, isInDoubt } = attempt;
  // An earlier attempt was applied, and its response was lost.
  const isResumed = request.attempt === 'resumed' && image.change.request === request.id;
  if (image.revision === revision || isResumed) return done(image);
  requireRevision(request.precondition, image, isInDoubt);
  const { id, global, name } = { ...image, ...given };
  checkOwner({ ...image, global });
  const keys = (['name', 'description', 'global', 'priority'] as const).filter(
    (key) => given[key] !== undefined && given[key] !== image[key],
  );
  if (keys.length === 0) return done(image);
  return planStep(attempt, image, {
    type: 'variable-set.updated',
    details: { keys },
    condition: equals('sequence', image.sequence),
    change: { ...given, revision },
    effects: name === image.name ? [] : [{ kind: 'give-up-name', name: image.name }, takeName(name)],
    globals:
      globals &&
      (global ? addGlobalVariables(globals, id, variables, cannotBeGlobal) : removeGlobalVariables(globals, id)),
  });
};

/**
 * Plans the deletion of a variable set (VARSET-7). It is out of force at once; the cleanup removes its variables and
 * assignments.
 * @param globals global variables of the organization, if the variable set is global.
 */
export const deleteVariableSet = (
  attempt: Attempt,
  read: VariableSet | undefined,
  globals: GlobalVariables | undefined,
): Plan => {
  const { request, at } = attempt;
  // An earlier attempt was applied, and its response was lost.
  if (read?.deletedAt !== undefined && read.change.request === request.id) return done(read);
  const image = requireVariableSet(read);
  requireMatch(request.precondition, image);
  const { id, name, project, sequence } = image;
  return planStep(attempt, image, {
    type: 'variable-set.deleted',
    condition: equals('sequence', sequence),
    change: { deletedAt: at },
    effects: [
      { kind: 'give-up-name', name },
      ...(project === undefined ? [] : [{ kind: 'leave-project', project } as const]),
    ],
    globals: globals && removeGlobalVariables(globals, id),
  });
};
