import { matrixGroup, type Trial } from '../../support/matrix/matrix.ts';

interface Fixture {
  /** Id of a consumer in the project that the callers have grants on. */
  readonly neighbor: string;
}

const body = (ids: readonly string[]) => ({ data: ids.map((id) => ({ type: 'workspaces', id })) });

/** Sends the request for a consumer set that an owner has created. */
const having =
  (ids: (trial: Trial<Fixture>) => readonly string[], request: (trial: Trial<Fixture>) => object) =>
  async (trial: Trial<Fixture>): Promise<void> => {
    const { testbed, subject } = trial;
    await testbed.createOnce(`${subject.id}: ${ids(trial)}`, () =>
      testbed.sendAsOwner('remote-state-consumers.replace', { subject, body: body(ids(trial)) }),
    );
    await trial.send(request(trial));
  };

const neighbor = ({ fixture }: Trial<Fixture>) => [fixture.neighbor];
const both = ({ fixture, testbed }: Trial<Fixture>) => [fixture.neighbor, testbed.elsewhere.id];
const none = () => [];

/** Remote state consumers: one in the project with the grants, one in a project where only organization permissions apply. */
export const group = matrixGroup<Fixture>({
  name: 'remote state consumers',
  prepare: async ({ sendAsOwner, projects }) => {
    const attributes = { name: 'neighbor' };
    const relationships = { project: { data: { type: 'projects', id: projects.home } } };
    const made = await sendAsOwner('workspaces.create', {
      body: { data: { type: 'workspaces', attributes, relationships } },
    });
    return { neighbor: made.body.data.id };
  },
  columns: {
    list: {
      routes: ['remote-state-consumers.list'],
      attempt: having(both, () => ({})),
      shows: { both, neighbor, none },
    },
    // A caller that cannot read another workspace has none to add.
    add: {
      routes: ['remote-state-consumers.add'],
      attempt: having(none, (trial) => ({ body: body(neighbor(trial)) })),
    },
    replace: {
      routes: ['remote-state-consumers.replace'],
      attempt: having(both, (trial) => ({ body: body(neighbor(trial)) })),
    },
    remove: {
      routes: ['remote-state-consumers.remove'],
      attempt: having(both, (trial) => ({ body: body(both(trial)) })),
    },
  },
  table: `
                                         | list          | add | replace | remove
    owner                                | 200:both      | 204 | 204     | 204
    manage-projects                      | 200:both      | 204 | 204     | 204
    manage-workspaces                    | 200:both      | 204 | 204     | 204
    organization token                   | 200:both      | 204 | 204     | 204
    read everywhere                      | 200:both      | 404 | 404     | 404

    project read                         | 200:neighbor  | 404 | 404     | 404
    project write                        | 200:neighbor  | 404 | 404     | 404
    project maintain                     | 200:neighbor  | 204 | 404     | 204
    project admin                        | 200:neighbor  | 204 | 404     | 204

    workspace read                       | 200:none      | 404 | 404     | 404
    workspace write                      | 200:none      | 404 | 404     | 404
    workspace admin                      | 200:none      | 422 | 404     | 204
    workspace admin, and read-workspaces | 200:both      | 204 | .       | .
    workspace admin, and project write   | 200:neighbor  | 204 | .       | .

    no access                            | 404           | 404 | 404     | 404
    outsider                             | 404           | 404 | 404     | 404
    no valid token                       | 401           | 401 | 401     | 401
  `,
});
