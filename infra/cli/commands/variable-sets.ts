import { findIncluded } from '../../../shared/client/documents.ts';
import { apiRequest } from '../../../shared/client/request.ts';
import type { DocumentOf, Schemas, VariableSet } from '../../../shared/client/types.ts';
import {
  type AssignmentKind,
  changeAssignment,
  createVariableSet,
  deleteVariableSet,
  showVariableSet,
  updateVariableSet,
} from '../../../shared/client/variable-sets.ts';
import type { RouteId } from '../../../shared/routes/index.ts';
import { pageQuery } from '../api.ts';
import { type Command, command, type Group } from '../command.ts';
import { usageError } from '../failure.ts';
import { forEachItem } from '../for-each-item.ts';
import type { Invocation } from '../invocation.ts';
import { attributesOf, defineView, flatten } from '../output/view.ts';
import { flag, text, texts, truth } from '../parameters.ts';
import {
  createCommand,
  defineKind,
  deleteCommand,
  editCommand,
  idsWith,
  type ListQuery,
  searchFlag,
  showCommand,
} from '../resource-commands.ts';
import { given, type Settings } from '../settings.ts';
import { projects } from './project-rows.ts';
import {
  deleteCommand as deleteVariableCommand,
  getCommand,
  listCommand as listVariablesCommand,
  type OwnerKind,
  setCommand,
  verifyCommand,
} from './variable-commands.ts';
import { readVariables } from './variable-rows.ts';
import { workspaceArgument } from './workspace-rows.ts';

const LIST = '/api/v2/organizations/{organization_name}/varsets';
const OF_WORKSPACE = '/api/v2/workspaces/{workspace_id}/varsets';
const OF_PROJECT = '/api/v2/projects/{project_id}/varsets';

type Query = ListQuery<typeof LIST>;
type Included = NonNullable<DocumentOf<'get', typeof LIST>['included']>[number];

/** Variable sets of an organization. Names of what they are assigned to are null in lists, which do not request them. */
export const variableSets = defineKind({
  noun: 'varset',
  labels: ['a variable set', 'variable sets'],
  view: defineView(
    ['name', 'global', 'priority', 'var-count', 'workspace-count', 'project-count', 'description'],
    [
      'id',
      'organization-id',
      'parent-id',
      'workspaces',
      'projects',
      ...attributesOf<VariableSet>()(
        'name',
        'description',
        'global',
        'priority',
        'created-at',
        'updated-at',
        'var-count',
        'workspace-count',
        'project-count',
        'permissions',
      ),
    ],
  ),
  toRow: (set: VariableSet, document: { readonly included?: readonly Included[] }) => {
    const names = (type: AssignmentKind) =>
      document.included === undefined
        ? null
        : set.relationships[type].data.map((one) => findIncluded(document, type, one)?.attributes.name ?? one.id);
    return { ...flatten(set), workspaces: names('workspaces'), projects: names('projects') };
  },
  isId: idsWith('varset'),
  list: (organization, query: Query) => apiRequest('get', LIST, { path: { organization_name: organization }, query }),
  show: showVariableSet,
  routes: { list: 'varsets.list', show: 'varsets.show' },
});

const workspaceRoutes = ['workspaces.show-by-name', 'workspaces.show'] as const;

const listVariableSetsCommand = command({
  name: 'varset list',
  summary: 'List variable sets',
  flags: {
    ...searchFlag,
    global: truth('Only those that apply to all workspaces, or only others.'),
    owned: flag('Only those that the organization owns, or with --project, that the project owns.'),
    workspace: text('Only those that apply to this workspace.', 'NAME', workspaceArgument.complete),
    project: text(
      'Only those that this project owns or is assigned, and global ones.',
      'NAME',
      projects.argument.complete,
    ),
  },
  routes: [...workspaceRoutes, 'projects.list', 'varsets.list', 'workspace-varsets.list', 'project-varsets.list'],
  result: { kind: 'list', view: variableSets.view },
  examples: ['varset list', 'varset list --workspace network', 'varset list --global true --json=name,var-count'],
  async *run(invocation, _, { search, global, owned, workspace, project }) {
    const searched = { ...(search !== undefined && { q: search }) };
    const query = { ...searched, ...(owned && { scope: 'owned' as const }) };
    const exclusive = [workspace, project, global].filter((value) => value !== undefined);
    if (exclusive.length > 1) throw usageError('--workspace, --project and --global exclude each other.');
    if (workspace !== undefined && owned) throw usageError('--workspace and --owned exclude each other.');
    const id =
      workspace !== undefined
        ? (await invocation.workspace(workspace)).id
        : project !== undefined
          ? await projects.findId(invocation, project)
          : await invocation.organization();
    const pages = invocation.api.pages((number) => {
      const page = pageQuery(number);
      if (workspace !== undefined) {
        return apiRequest('get', OF_WORKSPACE, { path: { workspace_id: id }, query: { ...searched, ...page } });
      }
      return project !== undefined
        ? apiRequest('get', OF_PROJECT, { path: { project_id: id }, query: { ...query, ...page } })
        : variableSets.list(id, { ...query, 'filter[global]': global, ...page } as Query);
    });
    for await (const document of pages) {
      for (const set of document.data) yield variableSets.toRow(set, {});
    }
  },
});

const settings = {
  description: text('Description for people.', 'TEXT'),
  global: truth('Whether it applies to all workspaces of the organization. Default: false.'),
  priority: truth('Whether it overrides workspaces and more specific variable sets. Default: false.'),
} satisfies Settings<Schemas['VariableSetBody'], 'name'>;

const editable = { name: text('New name.', 'NAME'), ...settings };

const assignmentFlags = {
  workspace: texts('Workspace.', 'NAME', workspaceArgument.complete),
  project: texts('Project, and with it all of its workspaces.', 'NAME', projects.argument.complete),
};

const assignmentView = defineView(['name', 'kind'], ['id', 'varset-id']);

interface Target {
  readonly kind: AssignmentKind;
  readonly name: string;
}

const findTarget = async (invocation: Invocation, { kind, name }: Target): Promise<string> =>
  kind === 'projects' ? projects.findId(invocation, name) : (await invocation.workspace(name)).id;

/** Defines the command that assigns a variable set to workspaces and projects, or ends that. */
const assignmentCommand = (isAddition: boolean): Command => {
  const [verb, stem, preposition] = isAddition
    ? (['assign', 'Assign', 'to'] as const)
    : (['unassign', 'Unassign', 'from'] as const);
  const routes: readonly RouteId[] = isAddition
    ? ['varsets.add-workspaces', 'varsets.add-projects']
    : ['varsets.remove-workspaces', 'varsets.remove-projects'];
  return command({
    name: `varset ${verb}`,
    summary: `${stem} a variable set ${preposition} workspaces and projects`,
    description:
      'A global variable set applies to all workspaces and cannot be assigned. A repetition changes nothing.',
    arguments: { set: variableSets.argument },
    flags: assignmentFlags,
    routes: ['varsets.list', ...workspaceRoutes, 'projects.list', ...routes],
    result: {
      kind: 'changes',
      view: assignmentView,
      sentence: ({ name }) => `${stem}ed it ${preposition} ${name}.`,
    },
    examples: [
      `varset ${verb} credentials --workspace network --workspace dns`,
      `varset ${verb} credentials --project Platform`,
    ],
    async *run(invocation, { set }, { workspace, project }) {
      const targets: readonly Target[] = [
        ...workspace.map((name) => ({ kind: 'workspaces', name }) as const),
        ...project.map((name) => ({ kind: 'projects', name }) as const),
      ];
      if (targets.length === 0)
        throw usageError('Name workspaces or projects.', 'The flags are --workspace, --project.');
      const setId = await variableSets.findId(invocation, set);
      return yield* forEachItem(invocation, targets, async (target) => {
        const id = await findTarget(invocation, target);
        await invocation.api.send(changeAssignment(setId, target.kind, id, isAddition));
        return {
          name: target.name,
          kind: target.kind === 'projects' ? 'project' : 'workspace',
          id,
          'varset-id': setId,
        };
      });
    },
  });
};

/** Variable sets as owners of variables. */
const ofSet: OwnerKind = {
  prefix: 'varset var',
  label: 'set',
  argument: variableSets.argument,
  find: async (invocation, name) => ({ type: 'varsets', name, id: await variableSets.findId(invocation, name) }),
  findRoutes: ['varsets.list'],
  routes: 'varset-variables',
  example: 'credentials',
};

/** Variable sets (docs/reference/variable-sets.md). */
export const variableSetCommands: readonly Group[] = [
  {
    title: 'Variable sets',
    commands: [
      listVariableSetsCommand,
      showCommand(variableSets, 'credentials'),
      createCommand(variableSets, {
        flags: {
          ...settings,
          owner: text('Project that owns it. Default: the organization.', 'PROJECT', projects.argument.complete),
        },
        route: 'varsets.create',
        lookups: ['projects.list'],
        examples: ['credentials --description "AWS account of the platform"', 'defaults --global true'],
        toRequest: async (values, { invocation, organization, name }) =>
          createVariableSet(
            organization,
            { name, ...given(settings, values) },
            values.owner === undefined ? {} : { project: await projects.findId(invocation, values.owner) },
          ),
      }),
      editCommand(variableSets, {
        flags: editable,
        route: 'varsets.update',
        examples: ['credentials --priority true', 'credentials --name aws-credentials'],
        toRequest: (values, { id, ifMatch }) => updateVariableSet(id, given(editable, values), ifMatch),
      }),
      deleteCommand(variableSets, {
        description: 'Its variables are deleted, too.',
        route: 'varsets.delete',
        example: 'credentials',
        toRequest: deleteVariableSet,
      }),
      assignmentCommand(true),
      assignmentCommand(false),
    ],
  },
  {
    title: 'Variables of variable sets',
    commands: [
      listVariablesCommand(ofSet),
      getCommand(ofSet, '', ['varset-variables.list'], ({ send }, owner) => readVariables(send, owner)),
      setCommand(ofSet),
      deleteVariableCommand(ofSet),
      verifyCommand(ofSet),
    ],
  },
];
