import type { IdentityProvider } from '../../../shared/domain/identity-providers.ts';
import type { Assembly } from '../assembly/assembly.ts';
import type { DataFolder, LocalAccess } from './data-folder.ts';

/** Name of the embedded identity provider in paths, and client id of the service there. */
const PROVIDER = 'local';
const CLIENT = 'holdfast';

/**
 * Starts the embedded identity provider, at which the service is registered.
 * @param origin of the service for browsers and pipelines.
 * @param port 0 chooses any free port.
 * @returns what other programs and the functions need to know about it, and a function that stops it.
 */
export const openIdentityProvider = async (folder: DataFolder, origin: string, port: number) => {
  // Imported on use, because most starts do not need it.
  const { startIdentityProvider } = await import('../identity-provider/identity-provider.ts');
  const { issuer, close } = await startIdentityProvider({
    port,
    key: folder.readSigningKey(),
    clients: [
      {
        client_id: CLIENT,
        token_endpoint_auth_method: 'none',
        redirect_uris: [`${origin}/sign-in/${PROVIDER}/callback`],
        post_logout_redirect_uris: [`${origin}/`],
        backchannel_logout_uri: `${origin}/sign-in/${PROVIDER}/logout`,
        backchannel_logout_session_required: true,
      },
    ],
  });
  return {
    access: { issuer, audience: origin } satisfies Partial<LocalAccess>,
    provider: {
      name: PROVIDER,
      label: 'People of the local service',
      issuer,
      clientId: CLIENT,
      clientAuthentication: 'none',
      scopes: 'openid profile email',
      usernameClaim: 'preferred_username',
      emailClaim: 'email',
      groupsClaim: 'groups',
      // People are the users with their addresses, such as those that the page getting started creates.
      trustedEmailDomains: ['example.com'],
      requiredGroups: [],
    } satisfies IdentityProvider,
    close,
  };
};

/** Adds an identity provider to those that the functions have from the settings. */
export const withProvider = (
  functions: Assembly['functions'],
  provider: IdentityProvider | undefined,
): Assembly['functions'] =>
  functions.map((definition) => {
    const { IDENTITY_PROVIDERS: configured } = definition.environment;
    if (provider === undefined || configured === undefined) return definition;
    const providers = JSON.stringify([...JSON.parse(configured), provider]);
    return { ...definition, environment: { ...definition.environment, IDENTITY_PROVIDERS: providers } };
  });
