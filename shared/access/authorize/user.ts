import type { User } from '../../domain/directory/records.ts';
import { concealed, notFound } from '../../domain/errors.ts';
import { isId } from '../../domain/ids.ts';
import type { MembershipReader } from '../caller-organizations.ts';
import { requireIdentity } from './caller.ts';
import { confirmRejection } from './confirm-rejection.ts';
import type { AuthorizationReader, FindById } from './reader.ts';

/** Reads of authorization on users. */
export interface UserReader extends AuthorizationReader {
  readonly users: { readonly find: FindById<User> };
  readonly identities: AuthorizationReader['identities'] & MembershipReader['identities'];
}

/**
 * Authorizes a request on a user: for that user, and for callers who share an organization with them.
 * @throws DomainError 401, 404.
 */
export const authorizeUser = (reader: UserReader, digest: string, id: string): Promise<User> =>
  confirmRejection(async (consistent) => {
    const [identity, user, memberships] = await Promise.all([
      reader.identities.findToken(digest, consistent),
      reader.users.find(id, consistent),
      isId('user', id) ? reader.identities.findMemberships(id, consistent) : undefined,
    ]);
    const principal = requireIdentity(identity);
    if (principal.kind === 'site' || principal.kind === 'run') throw notFound();
    if (user && principal.id === user.id) return user;
    const organizations =
      principal.kind === 'user'
        ? [...(await reader.identities.findMemberships(principal.id, consistent)).keys()]
        : [principal.organization];
    if (!user || memberships === undefined) throw notFound();
    if (!organizations.some((organization) => memberships.has(organization))) throw concealed();
    return user;
  });
