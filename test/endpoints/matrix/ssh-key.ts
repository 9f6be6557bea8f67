import { createSshKey } from '../../support/api/create-ssh-key.ts';
import { matrixGroup, type Trial } from '../../support/matrix/matrix.ts';

const body = (id: string | null) => ({ data: { type: 'workspaces', attributes: { id } } });

const assign = async ({ testbed, subject, fixture: { key }, send }: Trial<Fixture>): Promise<void> => {
  if ((await send({ body: body(key) })).status === 200) {
    await testbed.sendAsOwner('ssh-key.assign', { subject, body: body(null) });
  }
};

const takeAway = async ({ testbed, subject, fixture: { key }, send }: Trial<Fixture>): Promise<void> => {
  await testbed.createOnce(subject.id, () => testbed.sendAsOwner('ssh-key.assign', { subject, body: body(key) }));
  await send({ body: body(null) });
};

interface Fixture {
  readonly key: string;
}

export const group = matrixGroup<Fixture>({
  name: 'SSH key',
  prepare: async ({ api, ownerToken, organization }) => ({
    key: (await createSshKey(api, ownerToken, organization, 'key')).id,
  }),
  columns: {
    assign: { routes: ['ssh-key.assign'], attempt: assign },
    'take away': { routes: ['ssh-key.assign'], attempt: takeAway },
  },
  table: `
                       | assign | take away
    owner              | 200    | 200
    manage-projects    | 200    | 200
    manage-workspaces  | 200    | 200
    organization token | 404    | 404
    read everywhere    | 404    | 404

    project read       | 404    | 404
    project write      | 404    | 404
    project maintain   | 200    | 200
    project admin      | 200    | 200

    workspace read     | 404    | 404
    workspace write    | 404    | 404
    workspace admin    | 200    | 200

    no access          | 404    | 404
    outsider           | 404    | 404
    no valid token     | 401    | 401
  `,
});
