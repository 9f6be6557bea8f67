import { matrixGroup, type Trial } from '../../support/matrix/matrix.ts';

let made = 0;
const someone = ({ testbed }: Trial, isMember: boolean): Promise<string> =>
  testbed.createOnce(isMember ? 'a member' : 'a stranger', async () => {
    const username = `someone-${++made}`;
    const { user } = await testbed.admin('create-user', { username, email: `${username}@example.com` });
    if (isMember) await testbed.admin('add-member', { organization: testbed.organization, team: 'lockers', username });
    return user.id;
  });
const show = (isMember: boolean) => async (trial: Trial) =>
  trial.send({ parameters: { user_id: await someone(trial, isMember) } });

/** Users: a user can read the members of the same organization. */
export const group = matrixGroup({
  name: 'users',
  columns: {
    account: { routes: ['users.account'], seenBy: () => false },
    'update the account': {
      routes: ['users.update-account'],
      seenBy: () => false,
      attempt: ({ send }) => send({ body: { data: { type: 'users', attributes: {} } } }),
    },
    'show a member': { routes: ['users.show'], seenBy: () => false, attempt: show(true) },
    'show a stranger': { routes: ['users.show'], seenBy: () => false, attempt: show(false) },
    'show themselves': {
      routes: ['users.show'],
      seenBy: () => false,
      attempt: async (trial) =>
        trial.send({ parameters: { user_id: trial.caller.user?.id ?? (await someone(trial, false)) } }),
    },
  },
  table: `
                                 | account update  | a member, a stranger, themselves
    owner                        | 200     200     | 200       404         200
    owners team token            | 404     404     | 200       404         404
    team token                   | 404     404     | 200       404         404
    organization token           | 404     404     | 200       404         404
    anyone                       | 200     200     | 200       404         200
    user of no organization      | 200     200     | 404       404         200
    another organization's owner | 200     200     | 404       404         404
    outsider                     | 404     404     | 404       404         404
    no valid token               | 401     401     | 401       401         401
  `,
});
