import { flag, oneOf, text } from '../../schemas/schema.ts';
import { type Group, list, one, page } from '../operation.ts';
import { project, setVariable, variable, variableSet, variableVerification, workspace } from '../resources.ts';
import { VERIFY, VERIFY_REJECTIONS } from './variables.ts';

const READ = 'The caller needs permission to read the variable set.';
const MANAGE = 'The caller needs permission to manage the variable set.';
const SECRETS = 'The value of a sensitive variable is encrypted immediately and never returned.';
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
      description: `The relationship \`parent\` names the project that owns the variable set; by default the organization does. ${MANAGE}`,
      rule: 'VARSET-2',
    },
    'varsets.show': { summary: 'Show a variable set', description: READ, rule: 'VARSET-1', include },
    'varsets.update': {
      summary: 'Update a variable set',
      description: `Omitted attributes stay unchanged. A relationship \`workspaces\` or \`projects\` replaces the assignments. ${MANAGE}`,
      rule: 'VARSET-4',
    },
    'varsets.delete': { summary: 'Delete a variable set', description: MANAGE, rule: 'VARSET-7' },
    'varsets.add-workspaces': {
      summary: 'Assign a variable set to workspaces',
      description: `${ONCE} ${MANAGE}`,
      rule: 'VARSET-5',
    },
    'varsets.remove-workspaces': {
      summary: 'Remove a variable set from workspaces',
      description: `${IGNORED} ${MANAGE}`,
      rule: 'VARSET-5',
    },
    'varsets.add-projects': {
      summary: 'Assign a variable set to projects',
      description: `${ONCE} ${MANAGE}`,
      rule: 'VARSET-5',
    },
    'varsets.remove-projects': {
      summary: 'Remove a variable set from projects',
      description: `${IGNORED} ${MANAGE}`,
      rule: 'VARSET-5',
    },
    'varset-variables.list': {
      summary: 'List the variables of a variable set',
      description: `Sorted by category and key. ${READ}`,
      rule: 'VARSET-8',
      response: list(setVariable),
    },
    'varset-variables.create': {
      summary: 'Create a variable of a variable set',
      description: `${SECRETS} ${MANAGE}`,
      rule: 'VARSET-8',
      response: one(setVariable),
    },
    'varset-variables.show': {
      summary: 'Show a variable of a variable set',
      description: READ,
      rule: 'VARSET-8',
      response: one(setVariable),
    },
    'varset-variables.update': {
      summary: 'Update a variable of a variable set',
      description: `Omitted attributes stay unchanged. The category cannot change. The key of a sensitive variable cannot change, and the variable stays sensitive. ${MANAGE}`,
      rule: 'VARSET-8',
      response: one(setVariable),
    },
    'varset-variables.verify': {
      summary: 'Verify the value of a variable of a variable set',
      description: `${VERIFY} ${MANAGE}`,
      rule: 'VAR-16',
      response: one(variableVerification),
      errors: VERIFY_REJECTIONS,
    },
    'varset-variables.delete': {
      summary: 'Delete a variable of a variable set',
      description: MANAGE,
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
