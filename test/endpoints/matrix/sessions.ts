import { startSession } from '../../support/api/start-session.ts';
import { matrixGroup, type Trial } from '../../support/matrix/matrix.ts';

let made = 0;
const member = ({ testbed }: Trial): Promise<string> =>
  testbed.createOnce('a member', async () => {
    const username = `signed-in-${++made}`;
    const { user } = await testbed.admin('create-user', { username, email: `${username}@example.com` });
    await testbed.admin('add-member', { organization: testbed.organization, team: 'lockers', username });
    return user.id;
  });
/** Returns the id of the caller's user, or of a member if the caller is not a user. */
const oneself = async (trial: Trial): Promise<string> => trial.caller.user?.id ?? (await member(trial));

const onUser = (find: (trial: Trial) => Promise<string>) => async (trial: Trial) =>
  trial.send({ parameters: { user_id: await find(trial) } });
const onSession = (find: (trial: Trial) => Promise<string>) => async (trial: Trial) => {
  const user = await find(trial);
  const session_id = await trial.testbed.createOnce(`session of ${user}`, () => startSession(trial.testbed.api, user));
  await trial.send({ parameters: { session_id } });
};
const nobody = () => false;

/** Sessions and linked identities: only the user and site administrators see and end them. */
export const group = matrixGroup({
  name: 'sessions',
  columns: {
    'list the own sessions': { routes: ['sessions.list'], seenBy: nobody, attempt: onUser(oneself) },
    'list the own identities': { routes: ['linked-identities.list'], seenBy: nobody, attempt: onUser(oneself) },
    'end an own session': { routes: ['sessions.delete'], seenBy: nobody, attempt: onSession(oneself) },
    "list another user's sessions": { routes: ['sessions.list'], seenBy: nobody, attempt: onUser(member) },
    "list another user's identities": { routes: ['linked-identities.list'], seenBy: nobody, attempt: onUser(member) },
    "end another user's session": { routes: ['sessions.delete'], seenBy: nobody, attempt: onSession(member) },
  },
  table: `
                                 | the own         | another user's
    owner                        | 200 200 204     | 404 404 404
    owners team token            | 404 404 404     | 404 404 404
    team token                   | 404 404 404     | 404 404 404
    organization token           | 404 404 404     | 404 404 404
    anyone                       | 200 200 204     | 404 404 404
    user of no organization      | 200 200 204     | 404 404 404
    another organization's owner | 404 404 404     | 404 404 404
    site administrator           | 200 200 204     | 200 200 204
    outsider                     | 404 404 404     | 404 404 404
    no valid token               | 401 401 401     | 401 401 401
  `,
});
