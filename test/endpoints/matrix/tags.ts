import { expect } from 'vitest';
import { matrixGroup, type Trial } from '../../support/matrix/matrix.ts';
import type { Testbed } from '../../support/matrix/testbed.ts';

interface Fixture {
  /** Id of a tag whose only workspace is visible to callers that can read all workspaces. */
  readonly common: string;
}

const tag = (name: string) => ({ type: 'tags', attributes: { name } });
const binding = (key: string) => ({ type: 'tag-bindings', attributes: { key, value: 'v' } });
const tagsOf = async (testbed: Testbed, subject = testbed.elsewhere): Promise<Record<string, string>> => {
  const { body } = await testbed.sendAsOwner('workspace-tags.list', { subject });
  return Object.fromEntries(
    body.data.map(({ id, attributes }: { id: string; attributes: { name: string } }) => [attributes.name, id]),
  );
};

const add =
  (element: (fixture: Fixture) => object) =>
  async ({ testbed, subject, fixture, send }: Trial<Fixture>): Promise<void> => {
    const data = [element(fixture)];
    const { status } = await send({ body: { data } });
    if (status === 204) await testbed.sendAsOwner('workspace-tags.remove', { subject, body: { data } });
  };

const changeBindings = async ({ testbed, subject, send }: Trial<Fixture>): Promise<void> => {
  const { status } = await send({ body: { data: [binding('env')] } });
  if (status < 300) await testbed.sendAsOwner('tag-bindings.replace-related', { subject, body: { data: [] } });
};

let made = 0;
const createWith =
  (relationships: object) =>
  async ({ testbed, send }: Trial<Fixture>): Promise<void> => {
    const name = `tagged-${++made}`;
    const project = { data: { type: 'projects', id: testbed.projects.home } };
    const body = { data: { type: 'workspaces', attributes: { name }, relationships: { project, ...relationships } } };
    const { status } = await send({ body });
    const shown = await testbed.call('workspaces.show-by-name', testbed.ownerToken, { subject: { id: '', name } });
    expect(shown.status, 'whether it is there now').toBe(status === 201 ? 200 : 404);
  };

/**
 * Tags: callers that can read a workspace can read its tags, and its admins change them. All members can read the tags
 * of the organization. Deleting a tag from every workspace requires managing all workspaces. Workspaces are created in
 * the project with the grants.
 */
export const group = matrixGroup<Fixture>({
  name: 'tags',
  prepare: async (testbed) => {
    await testbed.sendAsOwner('workspace-tags.add', { subject: testbed.elsewhere, body: { data: [tag('common')] } });
    return { common: (await tagsOf(testbed))['common'] as string };
  },
  columns: {
    list: { routes: ['workspace-tags.list'] },
    bindings: { routes: ['tag-bindings.list', 'tag-bindings.list-related', 'effective-tag-bindings.list'] },
    'list of the organization': {
      routes: ['tags.list'],
      shows: { all: ({ fixture }) => [fixture.common] },
    },
    'add by name': { routes: ['workspace-tags.add'], attempt: add(() => tag('new')) },
    'add by id': { routes: ['workspace-tags.add'], attempt: add(({ common }) => ({ type: 'tags', id: common })) },
    remove: {
      routes: ['workspace-tags.remove'],
      attempt: async ({ testbed, subject, send }) => {
        const body = { data: [tag('removed')] };
        await testbed.createOnce(subject.id, () => testbed.sendAsOwner('workspace-tags.add', { subject, body }));
        await send({ body });
      },
    },
    'add one to workspaces': {
      routes: ['tags.add-to-workspaces'],
      attempt: ({ subject, fixture, send }) =>
        send({ parameters: { tag_id: fixture.common }, body: { data: [{ type: 'workspaces', id: subject.id }] } }),
    },
    'delete from all': {
      routes: ['tags.delete'],
      seenBy: 'members',
      attempt: async ({ testbed, send }) => {
        const { doomed } = await testbed.createOnce('doomed', async () => {
          await testbed.sendAsOwner('workspace-tags.add', {
            subject: testbed.elsewhere,
            body: { data: [tag('doomed')] },
          });
          return tagsOf(testbed);
        });
        await send({ body: { data: [{ type: 'tags', id: doomed }] } });
      },
    },
    'add bindings': { routes: ['tag-bindings.add'], attempt: changeBindings },
    'change bindings': {
      routes: ['tag-bindings.add-related', 'tag-bindings.replace-related'],
      attempt: changeBindings,
    },
    'replace bindings by an update': {
      routes: ['workspaces.update', 'workspaces.update-by-name'],
      attempt: async ({ testbed, subject, send }) => {
        const relationships = { 'tag-bindings': { data: [binding('env')] } };
        const { status } = await send({ body: { data: { type: 'workspaces', relationships } } });
        if (status === 200) await testbed.sendAsOwner('tag-bindings.replace-related', { subject, body: { data: [] } });
      },
    },
    'create with tags': {
      routes: ['workspaces.create'],
      seenBy: 'members',
      attempt: createWith({ tags: { data: [tag('new')] } }),
    },
    'create with bindings': {
      routes: ['workspaces.create'],
      seenBy: 'members',
      attempt: createWith({ 'tag-bindings': { data: [binding('env')] } }),
    },
    'create with blank ones': {
      routes: ['workspaces.create'],
      seenBy: 'members',
      attempt: createWith({ tags: { data: [] }, 'tag-bindings': { data: [] } }),
    },
  },
  table: `
                                         | list    | organization | add     | remove | to workspaces | from all | bindings    | create
    owner                                | 200 200 | 200:all      | 204 204 | 204    | 204           | 204      | 200 204 200 | 201 201 201
    manage-projects                      | 200 200 | 200:all      | 204 204 | 204    | 204           | 204      | 200 204 200 | 201 201 201
    manage-workspaces                    | 200 200 | 200:all      | 204 204 | 204    | 204           | 204      | 200 204 200 | 201 201 201
    organization token                   | 200 200 | 200:all      | 204 204 | 204    | 204           | 204      | 200 204 200 | 201 201 201
    read everywhere                      | 200 200 | 200:all      | 404 404 | 404    | 404           | 404      | 404 404 404 | 404 404 404

    project read                         | 200 200 | 200:all      | 404 404 | 404    | 404           | 404      | 404 404 404 | 404 404 404
    project write                        | 200 200 | 200:all      | 404 404 | 404    | 404           | 404      | 404 404 404 | 404 404 404
    project maintain                     | 200 200 | 200:all      | 204 204 | 204    | 204           | 404      | 200 204 200 | 201 201 201
    project admin                        | 200 200 | 200:all      | 204 204 | 204    | 204           | 404      | 200 204 200 | 201 201 201
    project custom create                | 200 200 | 200:all      | 404 404 | 404    | 404           | 404      | 404 404 404 | 404 404 201

    workspace read                       | 200 200 | 200:all      | 404 404 | 404    | 404           | 404      | 404 404 404 | 422 422 422
    workspace write                      | 200 200 | 200:all      | 404 404 | 404    | 404           | 404      | 404 404 404 | 422 422 422
    workspace admin                      | 200 200 | 200:all      | 204 204 | 204    | 204           | 404      | 200 204 200 | 422 422 422
    workspace admin, and read-workspaces | .   .   | .            | .   .   | .      | .             | .        | .   .   .   | 404 404 404
    workspace admin, and project write   | .   .   | .            | .   .   | .      | .             | .        | .   .   .   | 404 404 404

    no access                            | 404 404 | 200:all      | 404 404 | 404    | 404           | 404      | 404 404 404 | 422 422 422
    outsider                             | 404 404 | 404          | 404 404 | 404    | 404           | 404      | 404 404 404 | 404 404 404
    no valid token                       | 401 401 | 401          | 401 401 | 401    | 401           | 401      | 401 401 401 | 401 401 401
  `,
});
