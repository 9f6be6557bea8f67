import { projectPermissionNames } from '../../access/project-policy.ts';
import { executionModes } from '../../domain/directory/records.ts';
import { limits } from '../../domain/limits.ts';
import { patterns } from '../../schemas/patterns.ts';
import {
  count,
  flag,
  flags,
  nullable,
  nullableObject,
  object,
  oneOf,
  optional,
  text,
  time,
} from '../../schemas/schema.ts';
import {
  type AttributeTableWithSettings,
  mapRequest,
  type RequestAttributes,
  readSettings,
  type SettingsOf,
  setting,
} from '../attribute-table.ts';
import { allowedValueReferences } from '../variables/allowed-references.ts';

/** The attributes of a project (PROJECT-1). */
export const attributes = {
  name: {
    offer: { required: true },
    request: text(undefined, {
      maxLength: limits.projectName,
      minLength: 3,
      pattern: patterns.projectName,
      examples: ['Platform'],
    }),
    response: text(),
  },
  description: setting({
    setting: 'description',
    schema: nullable(text(undefined, { maxLength: limits.recordDescription })),
    default: null,
  }),
  'created-at': { response: time() },
  'default-execution-mode': {
    request: nullable(oneOf(executionModes, "The mode of its workspaces. Null: the organization's.")),
    response: oneOf(executionModes, "The effective mode, the project's own or the organization's."),
  },
  'default-agent-pool-id': { member: 'defaultAgentPool', request: nullable(text(undefined, { maxLength: limits.id })) },
  'default-deletion-protection': {
    request: nullable(flag("Whether its workspaces are protected against deletion. Null: the organization's value.")),
    response: flag("The effective default of its workspaces, the project's own or the organization's."),
  },
  'setting-overwrites': {
    member: 'overwrites',
    request: nullableObject({
      'default-execution-mode': optional(flag()),
      'default-agent-pool': optional(flag()),
      'default-deletion-protection': optional(flag()),
    }),
    response: object(
      { 'default-execution-mode': flag(), 'default-agent-pool': flag(), 'default-deletion-protection': flag() },
      { description: 'True: the project has its own value. False: it inherits the value.' },
    ),
  },
  'auto-destroy-activity-duration': {
    request: nullable(text(undefined, { maxLength: 5, pattern: '^(?!0+[dh])[0-9]{1,4}[dh]$', examples: ['14d'] })),
    response: nullable(
      text('Time without activity after which a destroy run is requested in workspaces that inherit it.', {
        examples: ['14d'],
      }),
    ),
  },
  'allowed-value-references': allowedValueReferences(
    'Prefixes of the value references that variables of the project may have, in addition to those of the organization.',
  ),
  'is-unified': { response: flag() },
  'team-count': { response: count('Number of teams that have access to the project.') },
  'workspace-count': {
    response: optional(count('Number of workspaces in the project; absent where the project is included.')),
  },
  permissions: { response: flags(projectPermissionNames, 'What the caller may do with the project.') },
} as const satisfies AttributeTableWithSettings;

/** Maps the attributes of a project in a request to the domain. An omitted attribute is absent from the result. */
export const projectRequest = (given: RequestAttributes<typeof attributes>) => ({
  ...readSettings(attributes, given),
  ...mapRequest(attributes, given, {}),
});

export type ProjectRequest = ReturnType<typeof projectRequest>;

declare module '../../domain/directory/records.ts' {
  interface ProjectSettings extends SettingsOf<typeof attributes> {}
}
