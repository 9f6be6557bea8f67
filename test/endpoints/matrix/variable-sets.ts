import { matrixGroup, type Trial } from '../../support/matrix/matrix.ts';
import type { Caller, Testbed } from '../../support/matrix/testbed.ts';

/** Reports whether the caller reads variables in the whole organization, and thereby its variable sets. */
const seesSets = ({ rows }: Caller): boolean =>
  !rows.includes('read runs everywhere') &&
  rows.some((row) =>
    /^(owner|manage-projects|manage-workspaces|read everywhere|organization token|.*, and read-workspaces)$/.test(row),
  );
/** Reports whether the caller reads the variable sets that the project with the grants owns. */
const seesProjectSets = ({ rows }: Caller): boolean =>
  rows.some((row) =>
    /^(owner|manage-projects|manage-workspaces|organization token|project (maintain|admin)|.*variable-sets .*)$/.test(
      row,
    ),
  );
const seesProject = ({ rows }: Caller): boolean =>
  rows.some((row) =>
    /^(owner|manage-projects|manage-workspaces|read everywhere|organization token|project .*|.*, and .*)$/.test(row),
  ) && !rows.includes('workspace plan, and locking');

let made = 0;
const newSet = (project?: string) => ({
  data: {
    type: 'varsets',
    attributes: { name: `created-${++made}` },
    ...(project && { relationships: { parent: { data: { type: 'projects', id: project } } } }),
  },
});
const newVariable = () => ({ data: { type: 'vars', attributes: { key: `variable_${++made}`, category: 'env' } } });

interface Created {
  readonly set: string;
  readonly variable: string;
}

/** Creates a variable set with one variable as an owner. */
const createSet = async (testbed: Testbed, project?: string): Promise<Created> => {
  const set = (await testbed.sendAsOwner('varsets.create', { body: newSet(project) })).body.data.id;
  const parameters = { varset_id: set };
  const { body } = await testbed.sendAsOwner('varset-variables.create', { parameters, body: newVariable() });
  return { set, variable: body.data.id };
};

const onSet =
  (body?: (trial: Trial<Fixture>) => object | undefined, project?: (testbed: Testbed) => string) =>
  async (trial: Trial<Fixture>) => {
    const { testbed, send } = trial;
    const owner = project?.(testbed);
    const { set, variable } = await testbed.createOnce(`set ${owner}`, () => createSet(testbed, owner));
    const given = body?.(trial);
    return send({ parameters: { varset_id: set, variable_id: variable }, ...(given && { body: given }) });
  };
const home = (testbed: Testbed): string => testbed.projects.home;

/** Bodies of the routes that change a variable set or its variable. */
const change = ({ route }: Trial<Fixture>) => ({
  data: {
    type: route === 'varsets.update' ? 'varsets' : 'vars',
    attributes: route === 'varsets.update' ? { priority: true } : { value: 'another' },
  },
});

interface Fixture {
  readonly ofOrganization: Created;
  readonly ofProject: Created;
}

/**
 * Variable sets: those of the organization need permissions of the organization, those of a project the `variable-sets`
 * access to it. What applies to a workspace is read with its variables.
 */
export const group = matrixGroup<Fixture>({
  name: 'variable-sets',
  prepare: async (testbed) => ({
    ofOrganization: await createSet(testbed),
    ofProject: await createSet(testbed, testbed.projects.home),
  }),
  columns: {
    list: {
      routes: ['varsets.list'],
      attempt: ({ send }) => send({ query: 'page[size]=100' }),
      shows: {
        all: ({ fixture }) => [fixture.ofOrganization.set, fixture.ofProject.set],
        organization: ({ fixture }) => [fixture.ofOrganization.set],
        project: ({ fixture }) => [fixture.ofProject.set],
        none: () => [],
      },
    },
    'find a variable by key': {
      routes: ['variable-keys.list'],
      seenBy: 'members',
      attempt: ({ send }) => send({ query: 'page[size]=100&search[key]=variable_' }),
      shows: {
        all: ({ fixture }) => [fixture.ofOrganization.variable, fixture.ofProject.variable],
        organization: ({ fixture }) => [fixture.ofOrganization.variable],
        project: ({ fixture }) => [fixture.ofProject.variable],
        none: () => [],
      },
    },
    create: {
      routes: ['varsets.create'],
      seenBy: seesSets,
      attempt: ({ send }) => send({ body: newSet() }),
    },
    'create in the project': {
      routes: ['varsets.create'],
      seenBy: seesProjectSets,
      attempt: ({ testbed, send }) => send({ body: newSet(testbed.projects.home) }),
    },
    show: {
      routes: ['varsets.show', 'varset-variables.list', 'varset-variables.show'],
      seenBy: seesSets,
      attempt: onSet(),
    },
    update: { routes: ['varsets.update', 'varset-variables.update'], seenBy: seesSets, attempt: onSet(change) },
    verify: { routes: ['varset-variables.verify'], seenBy: seesSets, attempt: onSet(() => ({ value: 'another' })) },
    'create a variable': { routes: ['varset-variables.create'], seenBy: seesSets, attempt: onSet(newVariable) },
    assign: {
      routes: ['varsets.add-workspaces', 'varsets.remove-workspaces'],
      seenBy: seesSets,
      attempt: onSet(({ subject }) => ({ data: [{ type: 'workspaces', id: subject.id }] })),
    },
    'assign to the project': {
      routes: ['varsets.add-projects', 'varsets.remove-projects'],
      seenBy: seesSets,
      attempt: onSet(({ testbed }) => ({ data: [{ type: 'projects', id: testbed.projects.home }] })),
    },
    delete: { routes: ['varset-variables.delete', 'varsets.delete'], seenBy: seesSets, attempt: onSet() },
    'show that of the project': {
      routes: ['varsets.show', 'varset-variables.show'],
      seenBy: seesProjectSets,
      attempt: onSet(undefined, home),
    },
    'update that of the project': {
      routes: ['varsets.update', 'varset-variables.update'],
      seenBy: seesProjectSets,
      attempt: onSet(change, home),
    },
    'those of the workspace': { routes: ['workspace-varsets.list', 'applicable-varsets.list', 'all-variables.list'] },
    'those of the project': {
      routes: ['project-varsets.list'],
      seenBy: seesProject,
      attempt: ({ testbed, send }) => send({ parameters: { project_id: testbed.projects.home } }),
    },
  },
  table: `
                                         | list             | by key           | create in project | show update verify variable assign to project delete | of project: show update | workspace project
    owner                                | 200:all          | 200:all          | 201    201        | 200  200    200    201      204    204        204    | 200              200    | 200       200
    manage-projects                      | 200:all          | 200:all          | 201    201        | 200  200    200    201      204    204        204    | 200              200    | 200       200
    manage-workspaces                    | 200:all          | 200:all          | 201    201        | 200  200    200    201      204    204        204    | 200              200    | 200       200
    organization token                   | 200:all          | 200:all          | 201    201        | 200  200    200    201      204    204        204    | 200              200    | 200       200
    read everywhere                      | 200:organization | 200:organization | 404    422        | 200  404    404    404      404    404        404    | 404              404    | 200       200
    read runs everywhere                 | 200:none         | 200:none         | 404    422        | 404  404    404    404      404    404        404    | 404              404    | 404       404

    project read                         | 200:none         | 200:none         | 404    422        | 404  404    404    404      404    404        404    | 404              404    | 200       200
    project write                        | 200:none         | 200:none         | 404    422        | 404  404    404    404      404    404        404    | 404              404    | 200       200
    project maintain                     | 200:project      | 200:project      | 404    201        | 404  404    404    404      404    404        404    | 200              200    | 200       200
    project admin                        | 200:project      | 200:project      | 404    201        | 404  404    404    404      404    404        404    | 200              200    | 200       200
    project custom variable-sets read    | 200:project      | 200:project      | 404    404        | 404  404    404    404      404    404        404    | 200              404    | 404       404
    project custom variable-sets write   | 200:project      | 200:project      | 404    201        | 404  404    404    404      404    404        404    | 200              200    | 404       404
    project custom variables read        | 200:none         | 200:none         | 404    422        | 404  404    404    404      404    404        404    | 404              404    | 200       200
    project custom variables write       | 200:none         | 200:none         | 404    422        | 404  404    404    404      404    404        404    | 404              404    | 200       200

    workspace read                       | 200:none         | 200:none         | 404    422        | 404  404    404    404      404    404        404    | 404              404    | 200       404
    workspace write                      | 200:none         | 200:none         | 404    422        | 404  404    404    404      404    404        404    | 404              404    | 200       404
    workspace admin                      | 200:none         | 200:none         | 404    422        | 404  404    404    404      404    404        404    | 404              404    | 200       404
    workspace custom variables read      | 200:none         | 200:none         | 404    422        | 404  404    404    404      404    404        404    | 404              404    | 200       404
    workspace custom variables write     | 200:none         | 200:none         | 404    422        | 404  404    404    404      404    404        404    | 404              404    | 200       404
    workspace admin, and read-workspaces | 200:organization | 200:organization | .      .          | 200  .      .      .        .      .          .      | .                .      | .         200
    workspace admin, and project write   | .                | .                | .      .          | .    .      .      .        .      .          .      | .                .      | .         200
    custom                               | 200:none         | 200:none         | 404    422        | 404  404    404    404      404    404        404    | 404              404    | 404       404

    no access                            | 200:none         | 200:none         | 404    422        | 404  404    404    404      404    404        404    | 404              404    | 404       404
    outsider                             | 404              | 404              | 404    404        | 404  404    404    404      404    404        404    | 404              404    | 404       404
    no valid token                       | 401              | 401              | 401    401        | 401  401    401    401      401    401        401    | 401              401    | 401       401
  `,
});
