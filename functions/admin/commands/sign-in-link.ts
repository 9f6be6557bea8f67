import { requireInService } from '../../../shared/domain/directory/transitions/plan.ts';
import { recordOnMembership } from '../../../shared/domain/directory/transitions/sessions.ts';
import { DomainError } from '../../../shared/domain/errors.ts';
import { LINK_MILLISECONDS, linkUrl, newLink } from '../../../shared/domain/sign-in/sign-in-links.ts';
import { timestamp } from '../../../shared/lib/clock.ts';
import { base58 } from '../../../shared/lib/random.ts';
import { openMembershipEntries } from '../../../shared/store/directory/users/membership-entries.ts';
import { openOneTimeSecrets } from '../../../shared/store/sign-in/one-time-secrets.ts';
import { type AdminDependencies, adminRequest } from '../dependencies.ts';
import type { CommandHandlers } from '../handler.ts';
import { showUser } from './show.ts';

/** Creates the handler of `sign-in-link`. The text of the link is in its response and nowhere else (SIGNIN-13). */
export const signInLink = ({
  directory: { table, users },
  consoleOrigin,
}: Pick<AdminDependencies, 'directory' | 'consoleOrigin'>): Pick<CommandHandlers, 'signInLink'> => {
  const secrets = openOneTimeSecrets(table.database, table.clock);
  const { organizationsOf, recordOthers } = openMembershipEntries(table);

  return {
    signInLink: async ({ username }) => {
      if (consoleOrigin === undefined) {
        throw new DomainError(
          'conflict',
          'This deployment has no web console, where a link signs in: use create-token',
        );
      }
      const user = await users.get(username);
      requireInService(user);
      // The entries come first: no link is without them.
      await recordOthers(adminRequest(), await organizationsOf(user.id), (attempt, organizations) =>
        organizations.map((name) => recordOnMembership(attempt, user.id, name, 'user.sign-in-link-created', {})),
      );
      const link = newLink(username, base58);
      const expiresAt = table.clock() + LINK_MILLISECONDS;
      await secrets.put('sign-in-link', link, { user: user.id }, LINK_MILLISECONDS);
      return { user: showUser(user), url: linkUrl(consoleOrigin, link), expiresAt: timestamp(expiresAt) };
    },
  };
};
