import { authenticate } from '../../shared/access/authorize/caller.ts';
import { authorizeOrganization, isName, type OrganizationAccess } from '../../shared/access/authorize/organization.ts';
import { authorizeRecord, type RecordAccess } from '../../shared/access/authorize/record.ts';
import { organizationsOf } from '../../shared/access/caller-organizations.ts';
import { concealNotFound } from '../../shared/access/conceal-not-found.ts';
import {
  lacking,
  mayIn,
  requireOrganizationPermission,
  seesMembership,
  seesTeam,
} from '../../shared/access/organization-policy.ts';
import { presentMemberships, teamReference, userReference } from '../../shared/documents/membership-documents.ts';
import { requireMatch } from '../../shared/domain/changes/entity-tags.ts';
import type { Membership, User } from '../../shared/domain/directory/records.ts';
import { acceptedUntil } from '../../shared/domain/directory/sign-in-policy.ts';
import { invalid, invalidRelationship, notFound } from '../../shared/domain/errors.ts';
import { isId } from '../../shared/domain/ids.ts';
import type { Operations } from '../../shared/http/operation.ts';
import { paginate, readPage, slice } from '../../shared/jsonapi/pagination.ts';
import { now } from '../../shared/lib/clock.ts';
import { readFlags } from '../../shared/list-index/query-values.ts';
import { membershipRequest } from '../../shared/resources/organization-memberships/attributes.ts';
import { membershipResource } from '../../shared/resources/organization-memberships/response.ts';
import { readStatus, shownUsername, statusOf } from '../../shared/resources/organization-memberships/status.ts';
import { memberResource } from '../../shared/resources/users/response.ts';
import type { OrganizationDependencies } from './dependencies.ts';

/**
 * Finds a membership by its id for a caller who sees it.
 * @throws DomainError 401, 404.
 */
const findMembership = (
  { store }: OrganizationDependencies,
  digest: string,
  id: string,
): Promise<RecordAccess<Membership>> =>
  authorizeRecord(
    store,
    digest,
    (consistent) => store.memberships.find(id, consistent),
    (access) => {
      if (!seesMembership(access, access.record)) throw notFound();
    },
  );

/** Reads the filter on users from `q` and `filter[email]`; undefined when the query has neither. */
const readUserFilter = (query: URLSearchParams) => {
  const text = (query.get('q') ?? '').toLowerCase();
  const emails = (query.get('filter[email]') ?? '').toLowerCase().split(',').filter(Boolean);
  if (text === '' && emails.length === 0) return undefined;
  return ({ email, ...user }: Pick<User, 'username' | 'email' | 'invited'>): boolean =>
    [shownUsername(user), email].some((it) => it.toLowerCase().includes(text)) &&
    (emails.length === 0 || emails.includes(email.toLowerCase()));
};

/** @throws DomainError 404 if a caller who is not an owner adds an owner; 422 for a team that the caller does not see (ORG-10). */
const checkTeams = async (
  { store }: OrganizationDependencies,
  access: OrganizationAccess,
  ids: readonly string[],
): Promise<void> => {
  const { organization } = access;
  if (ids.includes(organization.ownersTeam)) requireOrganizationPermission(access, 'owner.manage');
  const found = await store.records.find(ids.filter((id) => isId('team', id)).map(teamReference));
  const isVisible = (id: string): boolean => {
    const team = found('team', id);
    return team?.organization === organization.name && seesTeam(access, team);
  };
  if (!ids.every(isVisible)) throw invalidRelationship('teams', 'Team does not exist in this organization');
};

/** Checks whether the caller has a site token, and may add the first owner of an organization without owners (ORG-2). */
const addsFirstOwner = ({ caller, organization }: OrganizationAccess): boolean =>
  caller.principal.kind === 'site' && organization.ownerless === true;

export const membershipOperations = {
  /** `GET /organizations/:organization_name/organization-memberships` (ORG-11) */
  'memberships.list': async (
    { digest, parameters: { organization_name: name }, query, include, url },
    dependencies,
  ) => {
    const { store } = dependencies;
    const page = readPage(query);
    const filter = readUserFilter(query);
    const status = readStatus(query);
    const [isAccepted] = readFlags(query, 'filter[tokens-accepted]');
    const [access, members] = await Promise.all([
      authorizeOrganization(store, digest, { organization: name }),
      isName(name) ? store.memberships.list(name) : [],
    ]);
    const at = now();
    const seen = members.filter(
      (membership) =>
        seesMembership(access, membership) &&
        (isAccepted === undefined || isAccepted === acceptedUntil(membership, dependencies.freshnessDays) > at),
    );
    const candidates = status === 'invited' ? seen.filter(({ invited }) => invited) : seen;
    // Only users who were invited once can be invited now.
    const isTested = ({ invited }: Membership): boolean =>
      filter !== undefined || (status !== undefined && invited === true);
    const found = await store.records.find(candidates.filter(isTested).map(userReference));
    const rows = candidates.filter((membership) => {
      const user = found('user', membership.user);
      if (!isTested(membership)) return true;
      if (user === undefined || filter?.(user) === false) return false;
      return status === undefined || status === statusOf(user);
    });
    const presented = await presentMemberships(store, access, slice(rows, page), include);
    return { ...presented, ...paginate(page, rows.length, url, query) };
  },

  /** `GET /organization-memberships`: the memberships of the user of the token in all organizations (ORG-14). */
  'memberships.list-own': async ({ digest, query, include, url }, { store }) => {
    const page = readPage(query);
    const principal = await authenticate(store, digest);
    const all = principal.kind === 'user' ? await organizationsOf(store, principal) : [];
    const rows = all.toSorted((a, b) => (a.organization.name < b.organization.name ? -1 : 1));
    const shown = slice(rows, page);
    const names = shown.map(({ organization }) => organization.name);
    const memberships = await store.memberships.findOf(principal.id, names);
    const documents = await Promise.all(
      shown.map((access) => {
        const { name } = access.organization;
        const own = memberships.filter(({ organization }) => organization === name);
        return presentMemberships(store, access, own, include);
      }),
    );
    const included = documents.flatMap((document) => document.included ?? []);
    return {
      data: documents.flatMap(({ data }) => data),
      ...(include.size > 0 && { included: [...new Map(included.map((one) => [one.id, one])).values()] }),
      ...paginate(page, rows.length, url, query),
    };
  },

  /** `GET /organization-memberships/:membership_id` */
  'memberships.show': async ({ digest, parameters, include }, dependencies) => {
    const access = await findMembership(dependencies, digest, parameters.membership_id);
    const { data, ...rest } = await presentMemberships(dependencies.store, access, [access.record], include);
    const [membership] = data;
    if (membership === undefined) throw notFound();
    return { data: membership, ...rest };
  },

  /** `POST /organizations/:organization_name/organization-memberships`: adds a user, or invites an e-mail address (ORG-9). */
  'memberships.create': async (
    { contextFor, digest, parameters: { organization_name: name }, body: { data } },
    dependencies,
  ) => {
    const { email, username } = membershipRequest(data.attributes ?? {});
    const requested = [...new Set((data.relationships?.teams?.data ?? []).map(({ id }) => id))];
    const target = { organization: name, admits: 'site' } as const;
    const access = await authorizeOrganization(dependencies.store, digest, target, (context) => {
      if (!addsFirstOwner(context)) requireOrganizationPermission(context, 'membership.manage');
    });
    if (email === undefined && username === undefined) throw invalid('email', "Email can't be blank");
    if (email !== undefined && username !== undefined) {
      throw invalid('username', 'Username and email cannot be given both');
    }
    const isFirstOwner = addsFirstOwner(access);
    const teams = isFirstOwner ? [access.organization.ownersTeam] : requested;
    if (!isFirstOwner) await checkTeams(dependencies, access, teams);
    const invited = username === undefined ? { email: email ?? '' } : { username };
    const request = contextFor(access.caller);
    const { membership, user, created } = await concealNotFound(
      dependencies.directory.members.join(request, name, invited, teams, isFirstOwner),
    );
    if (!created) {
      throw invalid(username === undefined ? 'email' : 'username', 'User belongs to the organization already');
    }
    return { data: membershipResource({ membership, user, teams }), included: [memberResource(user)] };
  },

  /** `DELETE /organization-memberships/:membership_id`: the user leaves the organization and all of its teams (ORG-12). */
  'memberships.delete': async ({ contextFor, digest, parameters }, dependencies) => {
    const access = await findMembership(dependencies, digest, parameters.membership_id);
    requireOrganizationPermission(access, 'membership.manage');
    const { id, organization, user } = access.record;
    const request = contextFor(access.caller);
    requireMatch(request.precondition, { id });
    await dependencies.directory.members.leave(request, organization, user, (isOwner) => {
      if (isOwner && !mayIn(access, 'owner.manage')) throw lacking('owner.manage');
    });
    return undefined;
  },
} satisfies Partial<Operations<'organizations', OrganizationDependencies>>;
