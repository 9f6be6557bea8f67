import type { IdentityProvider } from '../../../shared/domain/identity-providers.ts';
import { setProviderDisabled } from '../../../shared/store/directory/sign-in/disabled-providers.ts';
import { openEndSessions } from '../../../shared/store/directory/sign-in/end-sessions.ts';
import { openLinkIdentities } from '../../../shared/store/directory/sign-in/link-identities.ts';
import { type AdminDependencies, adminRequest } from '../dependencies.ts';
import type { CommandHandlers } from '../handler.ts';
import { invalidParameter } from '../parameters.ts';
import { showUser } from './show.ts';

type ProviderCommand = 'disableProvider' | 'enableProvider' | 'linkIdentity' | 'unlinkIdentity';

/** Creates the handlers of the commands for identity providers and linked identities. */
export const identityProviders = ({
  directory: { table, users },
  providers,
}: Pick<AdminDependencies, 'directory' | 'providers'>): Pick<CommandHandlers, ProviderCommand> => {
  const sessions = openEndSessions(table, users);
  const identities = openLinkIdentities(table, users);

  const requireProvider = (name: string): IdentityProvider => {
    const found = providers.find((one) => one.name === name);
    if (found !== undefined) return found;
    const known = providers.length === 0 ? 'it is empty' : `use: ${providers.map((one) => one.name).join(', ')}`;
    throw invalidParameter('provider', `There is no provider ${name} in the setting identityProviders; ${known}`);
  };

  return {
    disableProvider: async ({ provider }, { remaining }) => {
      requireProvider(provider);
      const request = adminRequest();
      const disabled = await setProviderDisabled(table, request, provider, true);
      const { ended, left } = await sessions.atProvider(request, provider, remaining);
      return { provider, disabled, endedSessions: ended, left };
    },

    enableProvider: async ({ provider }) => {
      requireProvider(provider);
      return { provider, enabled: await setProviderDisabled(table, adminRequest(), provider, false) };
    },

    linkIdentity: async ({ username, provider: name, subject }) => {
      const { issuer } = requireProvider(name);
      const { id } = await users.get(username);
      const linked = await identities.link(adminRequest(), { id }, { provider: name, issuer, subject });
      return { user: showUser(await users.get(username)), identity: { provider: name, issuer, subject }, linked };
    },

    unlinkIdentity: async ({ username, provider, subject }, { remaining }) => {
      const user = await users.get(username);
      const request = adminRequest();
      const unlinked = await identities.unlink(request, user, provider, subject);
      const { ended, left } = await sessions.ofIdentity(request, user.id, { provider, subject }, remaining);
      const rest = await identities.listIdentities(user.id);
      return {
        user: showUser(user),
        unlinked,
        endedSessions: ended,
        left,
        identities: rest.map((one) => ({ provider: one.provider, issuer: one.issuer, subject: one.subject })),
      };
    },
  };
};
