import { type AdminDependencies, adminRequest } from '../dependencies.ts';
import type { CommandHandlers } from '../handler.ts';
import { show, showUser } from './show.ts';

type UserCommand = 'createUser' | 'updateUser' | 'deleteUser' | 'addMember' | 'removeMember';

/** Creates the handlers of the commands for users and memberships. */
export const users = ({ directory, removal }: AdminDependencies): Pick<CommandHandlers, UserCommand> => ({
  createUser: async ({ username, email, serviceAccount = false, siteAdmin }) => {
    const rank = siteAdmin === undefined ? {} : { siteAdmin };
    const { record, created } = await directory.users.create(adminRequest(), {
      username,
      email,
      serviceAccount,
      ...rank,
    });
    const isAsRequested = siteAdmin === undefined || siteAdmin === (record.siteAdmin ?? false);
    return {
      user: showUser(isAsRequested ? record : await directory.users.update(adminRequest(), username, rank)),
      created,
    };
  },

  updateUser: async ({ username, ...change }) => ({
    user: showUser(await directory.users.update(adminRequest(), username, change)),
  }),

  deleteUser: async ({ username }) => {
    await removal.removeUser(adminRequest(), username);
    return { deleted: username };
  },

  addMember: async ({ organization, team: name, username }) => {
    if (name === undefined) {
      const { user, created } = await directory.members.join(adminRequest(), organization, { username });
      return { user: showUser(user), created };
    }
    const { team, user, created } = await directory.members.add(adminRequest(), organization, name, username);
    return { team: show(team), user: showUser(user), created };
  },

  removeMember: async ({ organization, team: name, username }) => {
    if (name === undefined) {
      const user = await directory.users.get(username);
      await directory.members.leave(adminRequest(), organization, user.id);
      return { user: showUser(user) };
    }
    const { team, user } = await directory.members.remove(adminRequest(), organization, name, username);
    return { team: show(team), user: showUser(user) };
  },
});
