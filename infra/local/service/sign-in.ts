import type { DataFolder, LocalAccess } from './data-folder.ts';

/** Name of the embedded identity provider in paths, and client id of the service there. */
const PROVIDER = 'local';
const CLIENT = 'holdfast';

/**
 * Starts the embedded identity provider, at which the service is registered.
 * @param origin of the service for browsers and pipelines.
 * @param port 0 chooses any free port.
 * @returns what other programs need to know about it, and a function that stops it.
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
  return { access: { issuer, audience: origin } satisfies Partial<LocalAccess>, close };
};
