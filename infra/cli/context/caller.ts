import { listOrganizations, showAccount } from '../../../shared/client/organizations.ts';
import { apiRequest } from '../../../shared/client/request.ts';
import type { Schemas } from '../../../shared/client/types.ts';
import type { Api } from '../api.ts';
import { Failure } from '../failure.ts';

/** Kinds of tokens by their prefixes (AUTH-3). */
const kinds: Readonly<Record<string, string>> = {
  hfu: 'user',
  hft: 'team',
  hfo: 'organization',
  hfa: 'audit trails',
  hfs: 'site',
  hfr: 'run',
  hfp: 'agent pool',
};

/** The caller for whom a token acts. */
export interface Caller {
  /** Name of the user, or of the organization to which the team or the token belongs. */
  readonly subject: string;
  /** Kind of the token, such as `user` or `team`. */
  readonly kind: string | null;
  /** The account, for the token of a user. */
  readonly user: Schemas['User'] | undefined;
  /** The token itself, if it is that of a user. */
  readonly token: Schemas['AuthenticationToken'] | undefined;
}

/** Routes that `readCaller` requests. */
export const callerRoutes = ['users.account', 'tokens.show', 'organizations.list'] as const;

/**
 * Finds out for whom a token acts.
 * @throws Failure `notAuthenticated` for a token that it rejects.
 */
export const readCaller = async (api: Api, token: string): Promise<Caller> => {
  const kind = kinds[token.split('_')[0] ?? ''] ?? null;
  try {
    const { document } = await api.send(showAccount());
    const { data: user, meta } = document;
    const id = meta?.['token-id'];
    const path = '/api/v2/authentication-tokens/{token_id}';
    const reply = id === undefined ? undefined : await api.lookUp(apiRequest('get', path, { path: { token_id: id } }));
    return { subject: user.attributes.username, kind, user, token: reply?.document.data };
  } catch (error) {
    // Only users have an account. The token of a team or an organization is valid, too.
    if (!(error instanceof Failure) || error.details.status !== 404) throw error;
    const { document } = await api.lookUp(listOrganizations());
    const subject = document.data.map(({ id }) => id).join(',') || (kind ?? 'unknown');
    return { subject, kind, user: undefined, token: undefined };
  }
};
