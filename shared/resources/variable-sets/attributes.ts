import { variableSetPermissionNames } from '../../access/variable-set-policy.ts';
import { limits } from '../../domain/limits.ts';
import type { VariableSetSettings } from '../../domain/variable-sets/variable-set.ts';
import { patterns } from '../../schemas/patterns.ts';
import { count, flag, flags, nullable, text, time } from '../../schemas/schema.ts';
import { type AttributeTable, mapRequest, type RequestAttributes } from '../attribute-table.ts';

/** The attributes of a variable set (VARSET-1). */
export const attributes = {
  name: {
    request: text('Unique among the variable sets of the organization. It decides between sets of one rank.', {
      maxLength: limits.recordName,
      minLength: 1,
      pattern: patterns.shownName,
      examples: ['AWS credentials'],
    }),
    response: text(),
  },
  description: {
    request: nullable(text('Empty if omitted. Null is the same.', { maxLength: limits.variableSetDescription })),
    response: text(),
  },
  global: {
    request: flag('Whether the variables apply to all workspaces of the organization; false if omitted.'),
    response: flag('Whether the variables apply to all workspaces of the organization.'),
  },
  priority: {
    request: flag('Whether the variables override those of workspaces and of more specific sets; false if omitted.'),
    response: flag('Whether the variables override those of workspaces and of more specific sets.'),
  },
  'created-at': { response: time() },
  'updated-at': { response: time('Time of the last change of the set, its variables or its assignments.') },
  'var-count': { response: count('Number of variables.') },
  'workspace-count': { response: count('Number of workspaces in the relationship `workspaces`.') },
  permissions: { response: flags(variableSetPermissionNames, 'What the caller may do with the variable set.') },
  'project-count': { response: count('Number of projects in the relationship `projects`.') },
} as const satisfies AttributeTable;

/** Maps the attributes of a variable set in a request to the domain. An omitted attribute is absent from the result. */
export const variableSetRequest = (given: RequestAttributes<typeof attributes>) =>
  mapRequest<typeof attributes, Partial<VariableSetSettings>>(attributes, given, {
    description: (description) => ({ description: description ?? '' }),
  });
