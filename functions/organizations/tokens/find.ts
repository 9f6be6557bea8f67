import { authenticate } from '../../../shared/access/authorize/caller.ts';
import { authorizeOrganization } from '../../../shared/access/authorize/organization.ts';
import { authorizeRecord } from '../../../shared/access/authorize/record.ts';
import { authorizeTeam } from '../../../shared/access/authorize/team.ts';
import { authorizeToken, type TokenAccess } from '../../../shared/access/authorize/token.ts';
import { requireOrganizationPermission, tokenAction } from '../../../shared/access/organization-policy.ts';
import type { Principal } from '../../../shared/domain/directory/records.ts';
import type { Token, TokenSubject } from '../../../shared/domain/directory/tokens.ts';
import { DomainError, notFound } from '../../../shared/domain/errors.ts';
import type { OrganizationDependencies } from '../dependencies.ts';

/** Finds the one token of an organization or a team. @throws DomainError 404 when it has none. */
export const findOwnToken = async ({ store }: OrganizationDependencies, subject: TokenSubject): Promise<Token> => {
  const token = await store.tokens.findOwn(subject);
  if (token === undefined) throw notFound('There is no token.');
  return token;
};

/** Finds a token by its id for a caller who may manage it, and returns both. */
export const findToken = ({ store }: OrganizationDependencies, digest: string, id: string): Promise<TokenAccess> =>
  authorizeToken(store, digest, (consistent) => store.tokens.find(id, consistent));

/**
 * Reads which single token of an organization a request addresses: `?token=audit-trails`, or else the ordinary one.
 * @throws DomainError 400 for another kind (AUTH-18).
 */
export const readTokenKind = (query: URLSearchParams): 'organization' | 'audit-trails' => {
  const kind = query.get('token');
  if (kind === null) return 'organization';
  if (kind === 'audit-trails') return kind;
  throw new DomainError('bad-request', 'There is only one kind of token besides the ordinary one: audit-trails', {
    source: { parameter: 'token' },
  });
};

/** Finds an organization for a caller who may manage its tokens. */
export const authorizeOrganizationToken = ({ store }: OrganizationDependencies, digest: string, organization: string) =>
  authorizeOrganization(store, digest, { organization }, (access) =>
    requireOrganizationPermission(access, 'organization-token.manage'),
  );

/** Finds a team for a caller who may manage its tokens. */
export const authorizeTeamTokens = (dependencies: OrganizationDependencies, digest: string, id: string) =>
  authorizeTeam(dependencies.store, digest, id, (access) =>
    requireOrganizationPermission(access, tokenAction(access.organization, { kind: 'team', id })),
  );

/** Finds an agent pool for a caller who may manage its tokens. */
export const authorizePoolTokens = ({ store, directory }: OrganizationDependencies, digest: string, id: string) =>
  authorizeRecord(
    store,
    digest,
    (consistent) => directory.records.findById('agentPool', id, consistent),
    (access) => requireOrganizationPermission(access, 'agent-pool.manage'),
  );

/** Requires that the caller is the user with the id: the tokens of other users are concealed. */
export const authorizeOwnTokens = async (
  { store }: OrganizationDependencies,
  digest: string,
  id: string,
): Promise<Principal> => {
  const principal = await authenticate(store, digest);
  if (principal.kind !== 'user' || principal.id !== id) throw notFound();
  return principal;
};
