import { matrixGroup, type Trial } from '../../support/matrix/matrix.ts';
import type { Testbed, TestWorkspace } from '../../support/matrix/testbed.ts';

let made = 0;
const document = (attributes: object = {}, { id }: Partial<TestWorkspace> = {}) => ({
  data: {
    type: 'vars',
    attributes,
    ...(id && { relationships: { workspace: { data: { type: 'workspaces', id } } } }),
  },
});
const newVariable = (subject?: TestWorkspace) => document({ key: `variable_${++made}`, category: 'env' }, subject);

/** Creates a variable in a workspace as an owner and returns its id. */
const variableIn = async (testbed: Testbed, subject: TestWorkspace): Promise<string> =>
  (await testbed.sendAsOwner('workspace-variables.create', { subject, body: newVariable() })).body.data.id;

const onVariable =
  (body?: object) =>
  async ({ testbed, subject, send }: Trial) =>
    send({
      subject,
      parameters: { variable_id: await testbed.createOnce(subject.id, () => variableIn(testbed, subject)) },
      ...(body && { body }),
    });

interface Fixture {
  /** Ids of the variables in the callers' workspaces, by workspace id. */
  readonly own: ReadonlyMap<string, string>;
  /** Id of a variable in a project without grants. */
  readonly elsewhere: string;
}

const own = ({ fixture, subject }: Trial<Fixture>) => [fixture.own.get(subject.id) ?? ''];

/** Variables: reading and writing them are separate permissions. Lists omit variables that the caller cannot read. */
export const group = matrixGroup<Fixture>({
  name: 'variables',
  async prepare(testbed) {
    const subjects = await Promise.all(testbed.callers.map(testbed.workspaceFor));
    const ids = new Map<string, string>();
    for (const subject of subjects) ids.set(subject.id, await variableIn(testbed, subject));
    return { own: ids, elsewhere: await variableIn(testbed, testbed.elsewhere) };
  },
  columns: {
    list: { routes: ['workspace-variables.list'], shows: { own } },
    'list by name': {
      routes: ['variables.list'],
      attempt: ({ testbed, subject, send }) =>
        send({ query: `filter[workspace][name]=${subject.name}&filter[organization][name]=${testbed.organization}` }),
      shows: { own },
    },
    'list everything': {
      routes: ['variables.list'],
      shows: {
        all: ({ fixture }) => [...fixture.own.values(), fixture.elsewhere],
        project: ({ fixture }) => [...fixture.own.values()],
        own,
        none: () => [],
      },
    },
    'find by key': {
      routes: ['variable-keys.list'],
      seenBy: 'members',
      attempt: ({ send }) => send({ query: 'page[size]=100&search[key]=variable_' }),
      shows: {
        all: ({ fixture }) => [...fixture.own.values(), fixture.elsewhere],
        project: ({ fixture }) => [...fixture.own.values()],
        own,
        none: () => [],
      },
    },
    show: { routes: ['workspace-variables.show'], attempt: onVariable() },
    create: {
      routes: ['variables.create', 'workspace-variables.create'],
      attempt: ({ subject, send }) => send({ subject, body: newVariable(subject) }),
    },
    update: {
      routes: ['variables.update', 'workspace-variables.update'],
      attempt: onVariable(document({ value: 'another', sensitive: true })),
    },
    // Few enough for the limit on verifications: each caller has a token of its own.
    verify: { routes: ['workspace-variables.verify'], attempt: onVariable({ value: 'another' }) },
    delete: { routes: ['variables.delete', 'workspace-variables.delete'], attempt: onVariable() },
  },
  table: `
                                    | list    by name | everything  | by key      | show | create update verify delete
    owner                           | 200:own 200:own | 200:all     | 200:all     | 200  | 201    200    200    204
    manage-projects                 | 200:own 200:own | 200:all     | 200:all     | 200  | 201    200    200    204
    manage-workspaces               | 200:own 200:own | 200:all     | 200:all     | 200  | 201    200    200    204
    organization token              | 200:own 200:own | 200:all     | 200:all     | 200  | 201    200    200    204
    read everywhere                 | 200:own 200:own | 200:all     | 200:all     | 200  | 404    404    404    404
    read runs everywhere            | 404     404     | 200:none    | 200:none    | 404  | 404    404    404    404

    project read                    | 200:own 200:own | 200:project | 200:project | 200  | 404    404    404    404
    project write                   | 200:own 200:own | 200:project | 200:project | 200  | 201    200    200    204
    project maintain                | 200:own 200:own | 200:project | 200:project | 200  | 201    200    200    204
    project admin                   | 200:own 200:own | 200:project | 200:project | 200  | 201    200    200    204
    project custom variables read   | 200:own 200:own | 200:project | 200:project | 200  | 404    404    404    404
    project custom variables write  | 200:own 200:own | 200:project | 200:project | 200  | 201    200    200    204

    workspace read                  | 200:own 200:own | 200:own     | 200:own     | 200  | 404    404    404    404
    workspace write                 | 200:own 200:own | 200:own     | 200:own     | 200  | 201    200    200    204
    workspace admin                 | 200:own 200:own | 200:own     | 200:own     | 200  | 201    200    200    204
    workspace custom variables read | 200:own 200:own | 200:own     | 200:own     | 200  | 404    404    404    404
    workspace custom variables write| 200:own 200:own | 200:own     | 200:own     | 200  | 201    200    200    204
    workspace admin, and read-workspaces | .  .       | 200:all     | 200:all     | .    | .      .      .      .
    workspace admin, and project write   | .  .       | 200:project | 200:project | .    | .      .      .      .
    custom                          | 404     404     | 200:none    | 200:none    | 404  | 404    404    404    404

    no access                       | 404     404     | 200:none    | 200:none    | 404  | 404    404    404    404
    audit trail token               | .       .       | 404         | 404         | .    | .      .      .      .
    outsider                        | 404     404     | 200:none    | 404         | 404  | 404    404    404    404
    no valid token                  | 401     401     | 401         | 401         | 401  | 401    401    401    401
  `,
});
