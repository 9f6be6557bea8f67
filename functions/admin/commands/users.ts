import { type AdminDependencies, adminRequest } from '../dependencies.ts';
import type { CommandHandlers } from '../handler.ts';
import { showTeam, showUser } from './show.ts';

type UserCommand = 'createUser' | 'updateUser' | 'deleteUser' | 'addMember' | 'removeMember';

/** Creates the handlers of the commands for users and memberships. */
export const users = ({ directory, removal }: AdminDependencies): Pick<CommandHandlers, UserCommand> => ({
  createUser: async ({ username, email, serviceAccount = false, siteAdmin }) => {
    const rank = siteAdmin === undefined ? {} : { siteAdmin };
    const { record, created } = await directory.createUser(adminRequest(), {
      username,
      email,
      serviceAccount,
      ...rank,
    });
    const isAsRequested = siteAdmin === undefined || siteAdmin === (record.siteAdmin ?? false);
    return {
      user: showUser(isAsRequested ? record : await directory.updateUser(adminRequest(), username, rank)),
      created,
    };
  },

  updateUser: async ({ username, ...change }) => ({
    user: showUser(await directory.updateUser(adminRequest(), username, change)),
  }),

  deleteUser: async ({ username }) => {
    await removal.removeUser(username);
    return { deleted: username };
  },

  addMember: async ({ organization, team: name, username }) => {
    if (name === undefined) {
      const { user, created } = await directory.join(adminRequest(), organization, { username });
      return { user: showUser(user), created };
    }
    const { team, user, created } = await directory.addMember(adminRequest(), organization, name, username);
    return { team: showTeam(team), user: showUser(user), created };
  },

  removeMember: async ({ organization, team: name, username }) => {
    if (name === undefined) {
      const user = await directory.getUser(username);
      await directory.leave(adminRequest(), organization, user.id);
      return { user: showUser(user) };
    }
    const { team, user } = await directory.removeMember(adminRequest(), organization, name, username);
    return { team: showTeam(team), user: showUser(user) };
  },
});
