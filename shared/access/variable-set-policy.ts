import { projectParts } from '../domain/directory/grants.ts';
import type { Caller, Organization, Project } from '../domain/directory/records.ts';
import { mayIn } from './organization-policy.ts';
import { createPolicy, type Policy, type PolicyRule, rule } from './policy.ts';
import { effectiveRights } from './rights.ts';

/** A caller, and the owner of a variable set. */
export interface VariableSetContext {
  readonly caller: Caller;
  readonly organization: Organization;
  /** The project that owns the variable set; undefined if the organization owns it. */
  readonly project?: Project | undefined;
}

const hasProjectLevel = (
  { caller, organization, project }: VariableSetContext,
  level: (typeof projectParts.variableSets)[number],
): boolean => effectiveRights(caller, organization, project).variableSets >= projectParts.variableSets.indexOf(level);

const mayRead = (context: VariableSetContext): boolean =>
  context.project === undefined ? mayIn(context, 'variable-set.read') : hasProjectLevel(context, 'read');

const mayManage = (context: VariableSetContext): boolean =>
  context.project === undefined ? mayIn(context, 'variable-set.manage') : hasProjectLevel(context, 'write');

/**
 * The table of actions on variable sets (PERM-20). Variable sets of a project follow its `variable-sets` access, all
 * others the permissions of the organization.
 */
const rules = {
  'variable-set.read': rule(mayRead, 'permission to read variable sets', 'can-read'),
  'variable-set.manage': rule(mayManage, 'permission to manage variable sets', 'can-update', 'can-destroy'),
} satisfies Record<string, PolicyRule<VariableSetContext>>;

/** An action on a variable set. */
export type VariableSetAction = keyof typeof rules;

export const {
  allows: mayOnVariableSet,
  require: requireVariableSetPermission,
  permissionNames: variableSetPermissionNames,
  permissions: variableSetPermissions,
}: Policy<VariableSetContext, VariableSetAction> = createPolicy(rules, mayRead);
