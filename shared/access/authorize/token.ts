import type { Principal } from '../../domain/directory/records.ts';
import type { Token } from '../../domain/directory/tokens.ts';
import { concealed, notFound } from '../../domain/errors.ts';
import { mayIn, tokenAction } from '../organization-policy.ts';
import { findCaller, requireAcceptedToken, requireIdentity } from './caller.ts';
import { confirmRejection } from './confirm-rejection.ts';
import type { AuthorizationReader } from './reader.ts';

/** A token, and the principal of a request on it. */
export interface TokenAccess {
  readonly token: Token;
  readonly principal: Principal;
}

/**
 * Authorizes a request on a token that a path names by its id. It is allowed with that token itself, for its user, and
 * for callers who may manage the tokens of its team or organization.
 * @param find reads the token, in parallel with the token of the request.
 * @throws DomainError 401, 404.
 */
export const authorizeToken = (
  reader: AuthorizationReader,
  digest: string,
  find: (consistent: boolean) => Promise<Token | undefined>,
): Promise<TokenAccess> =>
  confirmRejection(async (consistent, enter) => {
    const [identity, token] = await Promise.all([reader.identities.findToken(digest, consistent), find(consistent)]);
    const principal = requireIdentity(identity);
    if (!token) throw notFound();
    const { subject, organization: name } = token;
    if (token.digest === digest) return { token, principal };
    if (name === undefined) {
      if (subject.kind === 'user' && principal.kind === 'user' && subject.id === principal.id)
        return { token, principal };
      throw concealed();
    }
    enter(name);
    const [caller, organization] = await Promise.all([
      findCaller(reader, principal, name, consistent),
      reader.organizations.find(name, consistent),
    ]);
    requireAcceptedToken(caller, organization);
    if (!organization) throw notFound();
    if (!mayIn({ caller, organization }, tokenAction(organization, subject))) throw concealed();
    return { token, principal };
  });
