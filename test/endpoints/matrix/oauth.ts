import { matrixGroup, type Trial } from '../../support/matrix/matrix.ts';
import { recordColumns } from '../../support/matrix/matrix-records.ts';

const { columns, one } = recordColumns({
  routes: 'oauth-clients',
  parameter: 'oauth_client_id',
  attributes: (name) => ({ name, 'service-provider': 'github', 'http-url': 'https://github.com' }),
});

/** Converts the id of an OAuth client to that of its token: both name one record. */
const tokenOf = (client: string): string => client.replace('oc-', 'ot-');

/** OAuth clients: every member can read them without their secrets. Managing them requires a permission of its own. */
export const group = matrixGroup({
  name: 'VCS connections',
  columns: {
    ...columns,
    'change projects': {
      routes: ['oauth-clients.add-projects', 'oauth-clients.remove-projects'],
      seenBy: 'members',
      attempt: async ({ testbed, send }: Trial) =>
        send({
          parameters: { oauth_client_id: await one(testbed) },
          body: { data: [{ type: 'projects', id: testbed.projects.home }] },
        }),
    },
    'list tokens': {
      routes: ['oauth-tokens.list'],
      seenBy: 'members',
      shows: { all: async (trial: Trial) => (await columns.list.shows.all(trial)).map(tokenOf) },
    },
    'list the token of a client': {
      routes: ['oauth-tokens.list-of-client'],
      seenBy: 'members',
      attempt: async ({ testbed, send }: Trial) => send({ parameters: { oauth_client_id: await one(testbed) } }),
    },
    'show a token': {
      routes: ['oauth-tokens.show'],
      seenBy: 'members',
      attempt: async ({ testbed, send }: Trial) =>
        send({ parameters: { oauth_token_id: tokenOf(await one(testbed)) } }),
    },
  },
  table: `
                       | list    | show | create | update delete | projects | tokens  of-client token
    owner              | 200:all | 200  | 201    | 200    204    | 204      | 200:all 200       200
    organization token | 200:all | 200  | 201    | 200    204    | 204      | 200:all 200       200
    manage-vcs-settings | 200:all | 200  | 201    | 200    204    | 204      | 200:all 200       200
    anyone             | 200:all | 200  | 404    | 404    404    | 404      | 200:all 200       200
    outsider           | 404     | 404  | 404    | 404    404    | 404      | 404     404       404
    no valid token     | 401     | 401  | 401    | 401    401    | 401      | 401     401       401
  `,
});
