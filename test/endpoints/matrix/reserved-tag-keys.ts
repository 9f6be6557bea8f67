import { matrixGroup, type Trial } from '../../support/matrix/matrix.ts';

let made = 0;
const document = (attributes: object) => ({ data: { type: 'reserved-tag-keys', attributes } });
/** Reserves a key as an owner, unless one is left. There is a maximum, so each is used until it is deleted. */
const one = ({ testbed }: Trial): Promise<string> =>
  testbed.createOnce('a reserved tag key', async () => {
    const body = document({ key: `kept-${++made}` });
    return (await testbed.sendAsOwner('reserved-tag-keys.create', { body })).body.data.id;
  });
const on =
  (request: object = {}) =>
  async (trial: Trial) =>
    trial.send({ parameters: { reserved_tag_key_id: await one(trial) }, ...request });

/** Reserved tag keys: every member can read them. Managing them needs permission to manage tags of the organization. */
export const group = matrixGroup({
  name: 'reserved tag keys',
  columns: {
    list: { routes: ['reserved-tag-keys.list'], seenBy: 'members' },
    create: {
      routes: ['reserved-tag-keys.create'],
      seenBy: 'members',
      attempt: async ({ testbed, send }) => {
        const { status, body } = await send({ body: document({ key: `made-${++made}` }) });
        if (status === 201) {
          const parameters = { reserved_tag_key_id: body.data.id };
          await testbed.sendAsOwner('reserved-tag-keys.delete', { parameters });
        }
      },
    },
    update: {
      routes: ['reserved-tag-keys.update'],
      seenBy: 'members',
      attempt: on({ body: document({ 'disable-overrides': true }) }),
    },
    delete: { routes: ['reserved-tag-keys.delete'], seenBy: 'members', attempt: on() },
  },
  table: `
                       | list | create update delete
    owner              | 200  | 201    200    204
    organization token | 200  | 201    200    204
    manage-projects    | 200  | 201    200    204
    manage-workspaces  | 200  | 201    200    204
    anyone             | 200  | 404    404    404
    outsider           | 404  | 404    404    404
    no valid token     | 401  | 401    401    401
  `,
});
