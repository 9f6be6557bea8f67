import type { User } from '../../domain/directory/records.ts';
import { concealed, notFound } from '../../domain/errors.ts';
import { isId } from '../../domain/ids.ts';
import { requireIdentity } from './caller.ts';
import { confirmRefusal } from './confirm-refusal.ts';
import type { AuthorizationReader } from './reader.ts';

/** Reads of authorization on users. */
export interface UserReader extends AuthorizationReader {
  readonly findUser: (id: string, consistent: boolean) => Promise<User | undefined>;
  /** The teams of a user, by the names of the organizations that the user belongs to. */
  readonly findMemberships: (user: string, consistent: boolean) => Promise<ReadonlyMap<string, readonly string[]>>;
}

/**
 * Authorizes a request on a user: for that user, and for callers who share an organization with them.
 * @throws DomainError 401, 404.
 */
export const authorizeUser = (reader: UserReader, digest: string, id: string): Promise<User> =>
  confirmRefusal(async (consistent) => {
    const [identity, user, memberships] = await Promise.all([
      reader.findToken(digest, consistent),
      reader.findUser(id, consistent),
      isId('user', id) ? reader.findMemberships(id, consistent) : undefined,
    ]);
    const principal = requireIdentity(identity);
    if (!user || memberships === undefined || principal.kind === 'site' || principal.kind === 'run') throw notFound();
    if (principal.id === user.id) return user;
    const organizations =
      principal.kind === 'user'
        ? [...(await reader.findMemberships(principal.id, consistent)).keys()]
        : [principal.organization];
    if (!organizations.some((organization) => memberships.has(organization))) throw concealed();
    return user;
  });
