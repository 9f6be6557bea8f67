import type { Principal } from '../../domain/directory/records.ts';
import type { Token } from '../../domain/directory/tokens.ts';
import { concealed, notFound } from '../../domain/errors.ts';
import { mayIn, tokenAction } from '../organization-policy.ts';
import { findCaller, requireAcceptedToken, requireIdentity } from './caller.ts';
import { confirmRejection, NOWHERE } from './confirm-rejection.ts';
import type { AuthorizationReader } from './reader.ts';

/** A token, and the principal of a request on it. */
export interface TokenAccess {
  readonly token: Token;
  readonly principal: Principal;
}

/** Checks whether a token is that of the request, or another one of the same user. */
const isOwn = (token: Token, digest: string, principal: Principal): boolean =>
  token.digest === digest ||
  (token.subject.kind === 'user' && principal.kind === 'user' && token.subject.id === principal.id);

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
    if (token && isOwn(token, digest, principal)) return { token, principal };
    if (token?.organization !== undefined) enter(token.organization);
    const { organization: name = NOWHERE.organization } = token ?? NOWHERE;
    const [caller, organization] = await Promise.all([
      findCaller(reader, principal, name, consistent),
      reader.organizations.find(name, consistent),
    ]);
    requireAcceptedToken(caller, organization);
    if (!token) throw notFound();
    if (!organization || !mayIn({ caller, organization }, tokenAction(organization, token.subject))) throw concealed();
    return { token, principal };
  });
