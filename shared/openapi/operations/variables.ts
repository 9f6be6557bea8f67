import { limits } from '../../domain/limits.ts';
import { flag, oneOf, text } from '../../schemas/schema.ts';
import { cursorPage, type Group, list, one, page } from '../operation.ts';
import {
  dryRun,
  project,
  setVariable,
  variable,
  variableKey,
  variableSet,
  variableVerification,
  workspace,
} from '../resources.ts';

const READ = 'The caller needs permission to read variables.';
const WRITE = 'The caller needs permission to write variables.';
const SECRETS =
  'The value of a sensitive variable is encrypted immediately and never returned, not even by this request.';
const UPDATE_RULES = `Omitted attributes stay unchanged. The key of a sensitive variable cannot change, and the variable stays sensitive. ${WRITE}`;
const VERIFY = `Tells whether a value is that of the variable, also of a sensitive one, without returning it. Each request is recorded, and a user, team or organization can verify ${limits.verifications} values of a variable a minute, whichever token it uses.`;
const VERIFY_REJECTIONS = {
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
      response: one(variable, dryRun),
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
    'variable-keys.list': {
      summary: 'Find variables by their keys',
      description:
        'Returns the variables of workspaces and variable sets that the caller may read, sorted by key in lower case. A page can have fewer variables than requested, even none, and still a next page.',
      rule: 'VAR-19',
      query: { 'search[key]': text('Beginning of the key, ignoring case.', { maxLength: limits.filterValue }) },
      response: cursorPage(variableKey),
    },
  },
} satisfies Group;

const READ_SET = 'The caller needs permission to read the variable set.';
const MANAGE_SET = 'The caller needs permission to manage the variable set.';
const SET_SECRETS = 'The value of a sensitive variable is encrypted immediately and never returned.';
const ONCE = 'Elements that are assigned already are ignored.';
const IGNORED = 'Elements that are not assigned are ignored.';

const include = { workspaces: [workspace], projects: [project], vars: [setVariable] };
const query = { q: text('Part of the name, ignoring case.') };

/** Variable sets, their variables and their assignments (docs/reference/variable-sets.md). */
export const variableSets = {
  name: 'Variable sets',
  description: 'Variables that several workspaces use.',
  response: one(variableSet),
  operations: {
    'varsets.list': {
      summary: 'List the variable sets of an organization',
      description: 'Sorted by name. Contains the variable sets that the caller may read.',
      rule: 'VARSET-3',
      query: {
        ...query,
        'filter[global]': flag('Only global variable sets, or only others.'),
        scope: oneOf(['owned'], 'Only variable sets that the organization owns, not a project.'),
      },
      response: page(variableSet),
      include,
    },
    'workspace-varsets.list': {
      summary: 'List the variable sets that apply to a workspace',
      description: 'Sorted by name. The caller needs permission to read the variables of the workspace.',
      rule: 'VARSET-6',
      query,
      response: page(variableSet),
      include,
    },
    'applicable-varsets.list': {
      summary: 'List the variable sets that can be assigned to a workspace',
      description:
        'Those of the organization, and of the project of the workspace, that the caller may read and that do not apply to the workspace. Sorted by name. The caller needs permission to read the variables of the workspace.',
      rule: 'VARSET-13',
      query,
      response: page(variableSet),
      include,
    },
    'project-varsets.list': {
      summary: 'List the variable sets of a project',
      description:
        'Global variable sets, those that are assigned to the project, and those that it owns, sorted by name. The caller needs permission to read variables in the project.',
      rule: 'VARSET-6',
      query: { ...query, scope: oneOf(['owned'], 'Only variable sets that the project owns.') },
      response: page(variableSet),
      include,
    },
    'varsets.create': {
      summary: 'Create a variable set',
      description: `The relationship \`parent\` names the project that owns the variable set; by default the organization does. ${MANAGE_SET}`,
      rule: 'VARSET-2',
    },
    'varsets.show': { summary: 'Show a variable set', description: READ_SET, rule: 'VARSET-1', include },
    'varsets.update': {
      summary: 'Update a variable set',
      description: `Omitted attributes stay unchanged. A relationship \`workspaces\` or \`projects\` replaces the assignments. ${MANAGE_SET}`,
      rule: 'VARSET-4',
    },
    'varsets.delete': { summary: 'Delete a variable set', description: MANAGE_SET, rule: 'VARSET-7' },
    'varsets.add-workspaces': {
      summary: 'Assign a variable set to workspaces',
      description: `${ONCE} ${MANAGE_SET}`,
      rule: 'VARSET-5',
    },
    'varsets.remove-workspaces': {
      summary: 'Remove a variable set from workspaces',
      description: `${IGNORED} ${MANAGE_SET}`,
      rule: 'VARSET-5',
    },
    'varsets.add-projects': {
      summary: 'Assign a variable set to projects',
      description: `${ONCE} ${MANAGE_SET}`,
      rule: 'VARSET-5',
    },
    'varsets.remove-projects': {
      summary: 'Remove a variable set from projects',
      description: `${IGNORED} ${MANAGE_SET}`,
      rule: 'VARSET-5',
    },
    'varset-variables.list': {
      summary: 'List the variables of a variable set',
      description: `Sorted by category and key. ${READ_SET}`,
      rule: 'VARSET-8',
      response: list(setVariable),
    },
    'varset-variables.create': {
      summary: 'Create a variable of a variable set',
      description: `${SET_SECRETS} ${MANAGE_SET}`,
      rule: 'VARSET-8',
      response: one(setVariable),
    },
    'varset-variables.show': {
      summary: 'Show a variable of a variable set',
      description: READ_SET,
      rule: 'VARSET-8',
      response: one(setVariable),
    },
    'varset-variables.update': {
      summary: 'Update a variable of a variable set',
      description: `Omitted attributes stay unchanged. The category cannot change. The key of a sensitive variable cannot change, and the variable stays sensitive. ${MANAGE_SET}`,
      rule: 'VARSET-8',
      response: one(setVariable),
    },
    'varset-variables.verify': {
      summary: 'Verify the value of a variable of a variable set',
      description: `${VERIFY} ${MANAGE_SET}`,
      rule: 'VAR-16',
      response: one(variableVerification),
      errors: VERIFY_REJECTIONS,
    },
    'varset-variables.delete': {
      summary: 'Delete a variable of a variable set',
      description: MANAGE_SET,
      rule: 'VARSET-8',
    },
    'all-variables.list': {
      summary: 'List the variables in force for a workspace',
      description:
        'Variables of the workspace and of the variable sets that apply to it, one for each category and key, sorted by category and key. The caller needs permission to read the variables of the workspace.',
      rule: 'VARSET-10',
      response: list(variable, setVariable),
    },
  },
} satisfies Group;
