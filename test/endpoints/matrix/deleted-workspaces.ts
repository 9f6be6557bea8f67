import { matrixGroup, type Trial } from '../../support/matrix/matrix.ts';

/** Sends the request for a workspace that an owner has deleted. The workspace exists again afterwards, unless it was purged. */
const whileDeleted = async ({ testbed, subject, send }: Trial): Promise<void> => {
  await testbed.sendAsOwner('workspaces.force-delete', { subject });
  await send();
  const { status } = await testbed.call('deleted-workspaces.show', testbed.ownerToken, { subject });
  if (status === 200) await testbed.sendAsOwner('deleted-workspaces.restore', { subject });
};

const purge = async (trial: Trial): Promise<void> => {
  const { testbed, caller, subject } = trial;
  await whileDeleted(trial);
  const { status } = await testbed.call('workspaces.show', testbed.ownerToken, { subject });
  if (status === 404) testbed.discardWorkspace(caller);
};

/** Deleted workspaces: one in the project with the grants, one in the default project. */
export const group = matrixGroup({
  name: 'deleted workspaces',
  prepare: async ({ sendAsOwner, projects }) => {
    const createDeleted = async (name: string, project?: string): Promise<string> => {
      const relationships = project && { project: { data: { type: 'projects', id: project } } };
      const { body } = await sendAsOwner('workspaces.create', {
        body: { data: { type: 'workspaces', attributes: { name }, ...(relationships && { relationships }) } },
      });
      const { id } = body.data;
      await sendAsOwner('workspaces.force-delete', { subject: { id, name } });
      return id;
    };
    return { home: await createDeleted('deleted-home', projects.home), elsewhere: await createDeleted('deleted') };
  },
  columns: {
    list: {
      routes: ['deleted-workspaces.list', 'recoverable-items.list'],
      attempt: ({ send }) => send({ query: 'page[size]=100' }),
      seenBy: 'members',
      shows: {
        all: ({ fixture }: Trial<{ home: string; elsewhere: string }>) => [fixture.home, fixture.elsewhere],
        home: ({ fixture }: Trial<{ home: string; elsewhere: string }>) => [fixture.home],
        none: () => [],
      },
    },
    restore: {
      routes: ['deleted-workspaces.show', 'deleted-workspaces.restore'],
      attempt: whileDeleted,
      seenBy: () => false,
    },
    recover: { routes: ['recoverable-items.recover'], attempt: whileDeleted, seenBy: () => false },
    purge: {
      routes: ['deleted-workspaces.purge', 'recoverable-items.permanently-delete'],
      attempt: purge,
      seenBy: () => false,
    },
  },
  table: `
                          | list     | restore | recover | purge
    owner                 | 200:all  | 200     | 204     | 204
    manage-projects       | 200:all  | 200     | 204     | 403
    manage-workspaces     | 200:all  | 200     | 204     | 403
    organization token    | 200:all  | 200     | 204     | 403
    read everywhere       | 200:none | 404     | 404     | 404

    project read          | 200:none | 404     | 404     | 404
    project write         | 200:none | 404     | 404     | 404
    project maintain      | 200:home | 200     | 204     | 403
    project admin         | 200:home | 200     | 204     | 403
    project custom delete | 200:none | 404     | 404     | 404

    workspace read        | 200:none | 404     | 404     | 404
    workspace write       | 200:none | 404     | 404     | 404
    workspace admin       | 200:none | 404     | 404     | 404

    no access             | 200:none | 404     | 404     | 404
    run with access       | 404      | 404     | 404     | 404
    outsider              | 404      | 404     | 404     | 404
    no valid token        | 401      | 401     | 401     | 401
  `,
});
