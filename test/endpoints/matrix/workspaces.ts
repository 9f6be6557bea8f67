import { expect } from 'vitest';
import { matrixGroup, type Trial } from '../../support/matrix/matrix.ts';

const document = (attributes: object | undefined, project?: string) => ({
  data: {
    type: 'workspaces',
    ...(attributes && { attributes }),
    ...(project && { relationships: { project: { data: { type: 'projects', id: project } } } }),
  },
});

let made = 0;
const createIn =
  (project?: 'home') =>
  async ({ testbed, send }: Trial): Promise<void> => {
    const name = `created-${++made}`;
    const reply = await send({ body: document({ name }, project && testbed.projects[project]) });
    if (reply.status === 422) expect(reply.body.errors[0].source).toEqual({ pointer: '/data/relationships/project' });
    const { status } = await testbed.call('workspaces.show-by-name', testbed.ownerToken, { subject: { id: '', name } });
    expect(status, 'whether it is there now').toBe(reply.status === 201 ? 200 : 404);
  };

const update = ({ caller, route, send }: Trial) =>
  send({ body: document({ description: `by ${caller.name}, ${route}` }) });

const preview = ({ send }: Trial) => send({ query: 'dry-run=true', body: document({ description: 'announced' }) });

const moveTo =
  (target: 'hidden' | 'readable' | 'administered') =>
  async ({ testbed, caller, subject, send }: Trial): Promise<void> => {
    if (target !== 'hidden') await testbed.openTargets(caller);
    const { status, body } = await send({ body: document(undefined, testbed.projects[target]) });
    if (status === 422) expect(body.errors[0].source).toEqual({ pointer: '/data/relationships/project' });
    if (status !== 200) return;
    expect(body.data.relationships.project.data.id).toBe(testbed.projects[target]);
    await testbed.sendAsOwner('workspaces.update', { subject, body: document(undefined, testbed.projects.home) });
  };

const updates = ['workspaces.update', 'workspaces.update-by-name'] as const;

/**
 * Workspaces: created in the default project, where no project grant applies, and in the project with the grants. Moved
 * to projects where the caller has no access, read, and admin, granted in addition to the access of the row.
 */
export const group = matrixGroup({
  name: 'workspaces',
  columns: {
    'create in the default project': { routes: ['workspaces.create'], seenBy: 'members', attempt: createIn() },
    'create in the project': { routes: ['workspaces.create'], seenBy: 'members', attempt: createIn('home') },
    show: { routes: ['workspaces.show', 'workspaces.show-by-name'] },
    list: {
      routes: ['workspaces.list'],
      attempt: ({ send }) => send({ query: 'page[size]=100' }),
      shows: {
        all: async ({ testbed }) => [...(await subjects(testbed)), testbed.elsewhere.id],
        project: ({ testbed }) => subjects(testbed),
        own: ({ subject }) => [subject.id],
        none: () => [],
      },
    },
    count: {
      routes: ['organizations.statistics'],
      attempt: async ({ testbed, caller, send }) => {
        const { status, body } = await send();
        if (status !== 200) return;
        const list = await testbed.call('workspaces.list', caller.token, { query: 'page[size]=1' });
        expect(body.data.attributes['workspace-count']).toBe(list.body.meta.pagination['total-count']);
      },
    },
    update: { routes: updates, attempt: update },
    'dry run of an update': { routes: updates, attempt: preview },
    'move to a project without access': { routes: updates, attempt: moveTo('hidden') },
    'move to a project with read': { routes: updates, attempt: moveTo('readable') },
    'move to a project with admin': { routes: updates, attempt: moveTo('administered') },
  },
  table: `
                                         | create  | show | list        | count | update  | move
    owner                                | 201 201 | 200  | 200:all     | 200   | 200 200 | 200 200 200
    manage-projects                      | 201 201 | 200  | 200:all     | 200   | 200 200 | 200 200 200
    manage-workspaces                    | 201 201 | 200  | 200:all     | 200   | 200 200 | 403 403 403
    organization token                   | 201 201 | 200  | 200:all     | 200   | 200 200 | 200 200 200
    read everywhere                      | 404 404 | 200  | 200:all     | 200   | 404 404 | 403 403 403

    project read                         | 404 404 | 200  | 200:project | 200   | 404 404 | 403 403 403
    project write                        | 404 404 | 200  | 200:project | 200   | 404 404 | 403 403 403
    project maintain                     | 404 201 | 200  | 200:project | 200   | 200 200 | 403 403 403
    project admin                        | 404 201 | 200  | 200:project | 200   | 200 200 | 422 403 200
    project custom create                | 404 201 | 200  | 200:project | 200   | 404 404 | 403 403 403
    project custom move                  | 404 404 | 200  | 200:project | 200   | 404 404 | 422 403 200

    workspace read                       | 404 422 | 200  | 200:own     | 200   | 404 404 | 403 403 403
    workspace write                      | 404 422 | 200  | 200:own     | 200   | 404 404 | 403 403 403
    workspace admin                      | 404 422 | 200  | 200:own     | 200   | 200 200 | 403 403 403
    workspace admin, and read-workspaces | .   404 | .    | 200:all     | 200   | . .     | .   .   .
    workspace admin, and project write   | .   404 | .    | 200:project | 200   | . .     | .   .   .

    no access                            | 404 422 | 404  | 200:none    | 200   | 404 404 | 404 404 404
    run with access                      | .   .   | 200  | .           | 404   | 404 404 | 403 403 403
    outsider                             | 404 404 | 404  | 404         | 404   | 404 404 | 404 404 404
    no valid token                       | 401 401 | 401  | 401         | 401   | 401 401 | 401 401 401
  `,
});

const subjects = async (testbed: Trial['testbed']): Promise<string[]> =>
  (await Promise.all(testbed.callers.map(testbed.workspaceFor))).map(({ id }) => id);
