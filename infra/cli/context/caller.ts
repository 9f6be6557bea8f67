import { listOrganizations, showAccount } from '../../../shared/client/organizations.ts';
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
  /** Id of the token, for the token of a user. */
  readonly tokenId: string | undefined;
}

/**
 * Asks the service for whom a token acts.
 * @throws Failure `notAuthenticated` for a token that it rejects.
 */
export const readCaller = async (api: Api, token: string): Promise<Caller> => {
  const kind = kinds[token.split('_')[0] ?? ''] ?? null;
  try {
    const { document } = await api.send(showAccount());
    const { data, meta } = document;
    return { subject: data.attributes.username, kind, user: data, tokenId: meta?.['token-id'] };
  } catch (error) {
    // Only users have an account. The token of a team or an organization is valid, too.
    if (!(error instanceof Failure) || error.details.status !== 404) throw error;
    const { document } = await api.lookUp(listOrganizations());
    const subject = document.data.map(({ id }) => id).join(',') || (kind ?? 'unknown');
    return { subject, kind, user: undefined, tokenId: undefined };
  }
};
