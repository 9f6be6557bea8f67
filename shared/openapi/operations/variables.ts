import { limits } from '../../domain/limits.ts';
import { text } from '../../schemas/schema.ts';
import { type Group, list, one } from '../operation.ts';
import { variable, variableVerification } from '../resources.ts';

const READ = 'The caller needs permission to read variables.';
const WRITE = 'The caller needs permission to write variables.';
const SECRETS =
  'The value of a sensitive variable is encrypted immediately and never returned, not even by this request.';
const UPDATE_RULES = `Omitted attributes stay unchanged. The key of a sensitive variable cannot change, and the variable stays sensitive. ${WRITE}`;
export const VERIFY = `Tells whether a value is that of the variable, also of a sensitive one, without returning it. Each request is recorded, and a user, team or organization can verify ${limits.verifications} values of a variable a minute, whichever token it uses.`;
export const VERIFY_REJECTIONS = {
  409: 'The variable has no value, or its value has no fingerprint. `detail` says what to do.',
  429: 'The user, team or organization of the token has reached the limit. Retry after `Retry-After` seconds.',
} as const;
const BY_NAME = 'Name of the workspace. Requires the other filter.';

/** Variables, by the deprecated paths and by their successors (docs/reference/variables.md). */
export const variables = {
  name: 'Variables',
  description: 'Values that the runs of a workspace receive.',
  response: one(variable),
  operations: {
    'variables.create': {
      summary: 'Create a variable',
      description: `Creates the variable in the workspace that the relationship names. ${SECRETS} ${WRITE}`,
      rule: 'VAR-8',
      errors: {
        404: 'The workspace does not exist, or the caller may not see it. A caller who may see it reads in `detail` which permission is missing.',
      },
    },
    'variables.list': {
      summary: 'List variables',
      description: `Returns the variables of one workspace or, without filters, of all workspaces whose variables the caller may read. ${READ}`,
      rule: 'VAR-9',
      query: {
        'filter[workspace][name]': text(BY_NAME),
        'filter[organization][name]': text('Name of the organization of that workspace.'),
      },
      response: list(variable),
      errors: { 404: 'The workspace does not exist, or the caller may not see it.' },
    },
    'variables.update': { summary: 'Update a variable', description: UPDATE_RULES, rule: 'VAR-5' },
    'variables.delete': { summary: 'Delete a variable', description: WRITE, rule: 'VAR-11' },

    'workspace-variables.create': {
      summary: 'Create a variable of a workspace',
      description: `${SECRETS} ${WRITE}`,
      rule: 'VAR-2',
    },
    'workspace-variables.list': {
      summary: "List a workspace's variables",
      description: `Sorted by category and key. ${READ}`,
      rule: 'VAR-10',
      response: list(variable),
    },
    'workspace-variables.show': { summary: 'Show a variable of a workspace', description: READ, rule: 'VAR-6' },
    'workspace-variables.update': {
      summary: 'Update a variable of a workspace',
      description: UPDATE_RULES,
      rule: 'VAR-5',
    },
    'workspace-variables.verify': {
      summary: 'Verify the value of a variable',
      description: `${VERIFY} ${WRITE}`,
      rule: 'VAR-16',
      response: one(variableVerification),
      errors: VERIFY_REJECTIONS,
    },
    'workspace-variables.delete': {
      summary: 'Delete a variable of a workspace',
      description: WRITE,
      rule: 'VAR-11',
    },
  },
} satisfies Group;
