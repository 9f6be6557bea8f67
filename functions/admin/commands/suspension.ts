import { timestamp } from '../../../shared/lib/clock.ts';
import { openEndSessions } from '../../../shared/store/directory/sign-in/end-sessions.ts';
import { openSuspension } from '../../../shared/store/directory/users/suspension.ts';
import { type AdminDependencies, adminRequest } from '../dependencies.ts';
import type { CommandHandlers } from '../handler.ts';
import { invalidParameter } from '../parameters.ts';
import { showUser } from './show.ts';

const HOUR = 3_600_000;

type SuspensionCommand = 'suspendUser' | 'resumeUser' | 'endSessions' | 'exemptUser';

/** Creates the handlers of the commands that take and return the access of users (SUSPEND-1), and of `end-sessions` and `exempt-user`. */
export const suspension = ({
  clock,
  directory: { table, users, members },
}: Pick<AdminDependencies, 'clock' | 'directory'>): Pick<CommandHandlers, SuspensionCommand> => {
  const { set } = openSuspension(table, users);
  const sessions = openEndSessions(table, users);

  return {
    suspendUser: async ({ username }, { remaining }) => {
      const { id } = await users.get(username);
      const request = adminRequest();
      const { isChanged, tokens } = await set(request, id, true);
      const { ended, left } = await sessions.ofUser(request, id, remaining);
      return {
        user: showUser(await users.get(username)),
        suspended: isChanged,
        suspendedTokens: tokens,
        endedSessions: ended,
        left,
      };
    },

    resumeUser: async ({ username }) => {
      const { id } = await users.get(username);
      const { isChanged, tokens } = await set(adminRequest(), id, false);
      return { user: showUser(await users.get(username)), resumed: isChanged, resumedTokens: tokens };
    },

    exemptUser: async ({ organization, username, hours }) => {
      const until = clock() + Number(hours) * HOUR;
      await members.exempt(adminRequest(), organization, username, until);
      return { user: showUser(await users.get(username)), exemptUntil: timestamp(until) };
    },

    endSessions: async ({ username, provider }, { remaining }) => {
      if ((username === undefined) === (provider === undefined)) {
        throw invalidParameter('username', 'Exactly one of username and provider must be given');
      }
      const request = adminRequest();
      const { ended, left } =
        username === undefined
          ? await sessions.atProvider(request, provider ?? '', remaining)
          : await sessions.ofUser(request, (await users.get(username)).id, remaining);
      return { endedSessions: ended, left };
    },
  };
};
