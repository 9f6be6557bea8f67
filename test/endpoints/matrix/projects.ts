import { matrixGroup, type Trial } from '../../support/matrix/matrix.ts';
import type { Caller } from '../../support/matrix/testbed.ts';

/** Reports whether the caller can read the project with the grants: by a permission of the organization or any grant on it. */
const seesProject = ({ rows }: Caller): boolean =>
  rows.some((row) =>
    /^(owner|manage-projects|manage-workspaces|read everywhere|organization token|project .*|.*, and .*)$/.test(row),
  ) && !rows.includes('workspace plan, and locking');

const document = (attributes: object) => ({ data: { type: 'projects', attributes } });

const atHome =
  (body?: (caller: Caller) => object) =>
  ({ testbed, caller, send }: Trial) =>
    send({ parameters: { project_id: testbed.projects.home }, ...(body && { body: body(caller) }) });

let made = 0;

/** Projects: the one with the grants has workspaces, so a caller that may delete it gets a conflict. */
export const group = matrixGroup({
  name: 'projects',
  prepare: async ({ sendAsOwner }) =>
    (await sendAsOwner('projects.list', { query: 'page[size]=100' })).body.data.map(({ id }: { id: string }) => id),
  columns: {
    list: {
      routes: ['projects.list'],
      attempt: ({ send }) => send({ query: 'page[size]=100' }),
      shows: {
        all: ({ fixture }: Trial<string[]>) => fixture,
        home: ({ testbed }) => [testbed.projects.home],
        none: () => [],
      },
    },
    create: {
      routes: ['projects.create'],
      seenBy: 'members',
      attempt: ({ send }) => send({ body: document({ name: `created ${++made}` }) }),
    },
    show: {
      routes: [
        'projects.show',
        'projects.list-bindings',
        'projects.list-related-bindings',
        'projects.list-effective-bindings',
      ],
      seenBy: seesProject,
      attempt: atHome(),
    },
    update: {
      routes: ['projects.update'],
      seenBy: seesProject,
      attempt: atHome(({ name }) => document({ description: `by ${name}` })),
    },
    bind: {
      routes: ['projects.add-bindings', 'projects.replace-bindings'],
      seenBy: seesProject,
      attempt: atHome(({ rows }) => ({
        data: [{ type: 'tag-bindings', attributes: { key: 'by', value: (rows[0] ?? '').replaceAll(/\W/g, '-') } }],
      })),
    },
    'bind without a document': {
      routes: ['projects.add-related-bindings'],
      seenBy: seesProject,
      attempt: atHome(({ rows }) => ({
        data: [{ type: 'tag-bindings', attributes: { key: 'by', value: (rows[0] ?? '').replaceAll(/\W/g, '-') } }],
      })),
    },
    delete: { routes: ['projects.delete'], seenBy: seesProject, attempt: atHome() },
    'move into it what is in it': {
      routes: ['projects.move-workspaces'],
      seenBy: seesProject,
      attempt: ({ testbed, subject, send }) =>
        send({
          parameters: { project_id: testbed.projects.home },
          body: { data: [{ type: 'workspaces', id: subject.id }] },
        }),
    },
  },
  table: `
                                         | list     | create | show | update bind related | delete | move
    owner                                | 200:all  | 201    | 200  | 200    200  204     | 409    | 204
    manage-projects                      | 200:all  | 201    | 200  | 200    200  204     | 409    | 204
    organization token                   | 200:all  | 201    | 200  | 200    200  204     | 409    | 204
    manage-workspaces                    | 200:all  | 404    | 200  | 404    404  404     | 404    | 403
    read everywhere                      | 200:all  | 404    | 200  | 404    404  404     | 404    | 403

    project read                         | 200:home | 404    | 200  | 404    404  404     | 404    | 403
    project write                        | 200:home | 404    | 200  | 404    404  404     | 404    | 403
    project maintain                     | 200:home | 404    | 200  | 404    404  404     | 404    | 403
    project admin                        | 200:home | 404    | 200  | 200    200  204     | 409    | 204
    project custom move                  | 200:home | 404    | 200  | 404    404  404     | 404    | 204

    workspace read                       | 200:none | 404    | 404  | 404    404  404     | 404    | 404
    workspace write                      | 200:none | 404    | 404  | 404    404  404     | 404    | 404
    workspace admin                      | 200:none | 404    | 404  | 404    404  404     | 404    | 404
    workspace admin, and read-workspaces | 200:all  | .      | 200  | .      .    .       | .      | 403
    workspace admin, and project write   | 200:home | .      | 200  | .      .    .       | .      | 403

    no access                            | 200:none | 404    | 404  | 404    404  404     | 404    | 404
    outsider                             | 404      | 404    | 404  | 404    404  404     | 404    | 404
    no valid token                       | 401      | 401    | 401  | 401    401  401     | 401    | 401
  `,
});
