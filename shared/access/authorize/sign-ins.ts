import type { Principal } from '../../domain/directory/records.ts';
import { concealed, notFound } from '../../domain/errors.ts';
import { requireIdentity } from './caller.ts';
import { confirmRejection } from './confirm-rejection.ts';
import type { UserReader } from './user.ts';

/** Subject of a request on the sign-ins of a user, and the caller. */
interface SignInAccess<R> {
  readonly record: R;
  readonly principal: Principal;
}

/**
 * Authorizes a request on the sign-ins of a user: for that user, and for site administrators (SESSION-10).
 * @param find reads what the request names, in parallel with the token of the request.
 * @param userOf returns the id of its user.
 * @throws DomainError 401, 404.
 */
export const authorizeSignIns = <R>(
  reader: Pick<UserReader, 'identities' | 'users'>,
  digest: string,
  find: (consistent: boolean) => Promise<R | undefined>,
  userOf: (record: R) => string,
): Promise<SignInAccess<R>> =>
  confirmRejection(async (consistent) => {
    const [identity, record] = await Promise.all([reader.identities.findToken(digest, consistent), find(consistent)]);
    const principal = requireIdentity(identity);
    const isUser = principal.kind === 'user';
    if (record !== undefined && isUser && principal.id === userOf(record)) return { record, principal };
    const caller = isUser ? await reader.users.find(principal.id, consistent) : undefined;
    if (record === undefined) throw notFound();
    if (principal.kind !== 'site' && caller?.siteAdmin !== true) throw concealed();
    return { record, principal };
  });
