import { authorizeOrganization, isName, type OrganizationAccess } from '../../shared/access/authorize/organization.ts';
import { authorizeRecord } from '../../shared/access/authorize/record.ts';
import { lacking, mayIn, requireOrganizationPermission, seesTeam } from '../../shared/access/organization-policy.ts';
import type { Membership } from '../../shared/domain/directory/records.ts';
import { invalid, invalidRelationship, notFound } from '../../shared/domain/errors.ts';
import { isId } from '../../shared/domain/ids.ts';
import type { Operation } from '../../shared/http/endpoints.ts';
import { paginate, readPage, slice } from '../../shared/jsonapi/pagination.ts';
import { type MembershipView, membershipResource } from '../../shared/resources/organization-memberships/response.ts';
import { orAbsent } from './answers.ts';
import type { DirectoryServices, Group } from './services.ts';

/** Who manages membership knows of everybody, others of themselves. */
const sees = (access: OrganizationAccess, { user }: Membership): boolean =>
  access.caller.principal.id === user || mayIn(access, 'membership.manage');

const asUser = ({ user }: Membership) => ({ kind: 'user' as const, id: user });
const asTeam = (id: string) => ({ kind: 'team' as const, id });

/** Of some teams those that the caller may know of. */
const visibleTeams = async (
  { store }: DirectoryServices,
  access: OrganizationAccess,
  ids: readonly string[],
): Promise<ReadonlySet<string>> => {
  const doubted = ids.filter((id) => !seesTeam(access, { id, visibility: 'secret' }));
  const found = doubted.length === 0 ? () => undefined : await store.findRecords(doubted.map(asTeam));
  const seen = doubted.filter((id) => {
    const team = found('team', id);
    return team !== undefined && seesTeam(access, team);
  });
  return new Set([...ids.filter((id) => !doubted.includes(id)), ...seen]);
};

/** Memberships as they are shown; one whose user is being deleted is not there any more. */
const present = async (
  services: DirectoryServices,
  access: OrganizationAccess,
  memberships: readonly Membership[],
): Promise<readonly MembershipView[]> => {
  const [users, teams] = await Promise.all([
    services.store.findRecords(memberships.map(asUser)),
    Promise.all(memberships.map(({ user, organization }) => services.store.findTeams(user, organization, true))),
  ]);
  const visible = await visibleTeams(services, access, [...new Set(teams.flatMap((ids) => ids ?? []))]);
  return memberships.flatMap((membership, index) => {
    const user = users('user', membership.user);
    const inTeams = (teams[index] ?? []).filter((id) => visible.has(id));
    return user === undefined ? [] : [{ membership, user, teams: inTeams }];
  });
};

/** What a list is narrowed to, told by what it looks for in the users. */
const readFilter = (query: URLSearchParams) => {
  const text = (query.get('q') ?? '').toLowerCase();
  const emails = (query.get('filter[email]') ?? '').toLowerCase().split(',').filter(Boolean);
  if (text === '' && emails.length === 0) return undefined;
  return ({ username, email }: { readonly username: string; readonly email: string }): boolean =>
    [username, email].some((it) => it.toLowerCase().includes(text)) &&
    (emails.length === 0 || emails.includes(email.toLowerCase()));
};

/** `GET /organizations/:organization_name/organization-memberships` */
const list =
  (services: DirectoryServices): Operation<'memberships.list'> =>
  async ({ digest, parameters, query, url }) => {
    const { store } = services;
    const page = readPage(query);
    const filter = readFilter(query);
    // Everybody is active: there is nobody who was invited and has not come.
    const isNobody = !['', 'active'].includes(query.get('filter[status]') ?? '');
    const { organization_name: name } = parameters;
    const [access, members] = await Promise.all([
      authorizeOrganization(store, digest, { organization: name }),
      isName(name) ? store.findMembers(name) : [],
    ]);
    let rows = isNobody ? [] : members.filter((membership) => sees(access, membership));
    if (filter !== undefined) {
      const found = await store.findRecords(rows.map(asUser));
      rows = rows.filter(({ user: id }) => {
        const user = found('user', id);
        return user !== undefined && filter(user);
      });
    }
    const shown = await present(services, access, slice(rows, page));
    return { data: shown.map(membershipResource), ...paginate(page, rows.length, url, query) };
  };

/** @throws DomainError 422 for teams that are not there for the caller; 404 where it may not put anybody into one. */
const checkTeams = async (
  { store }: DirectoryServices,
  access: OrganizationAccess,
  ids: readonly string[],
): Promise<void> => {
  const { organization } = access;
  const found = await store.findRecords(ids.filter((id) => isId('team', id)).map(asTeam));
  const isThere = (id: string): boolean => {
    const team = found('team', id);
    return team?.organization === organization.name && seesTeam(access, team);
  };
  if (!ids.every(isThere)) throw invalidRelationship('teams', 'Team does not exist in this organization');
  if (ids.includes(organization.ownersTeam)) requireOrganizationPermission(access, 'owner.manage');
};

/** `POST /organizations/:organization_name/organization-memberships`: nobody has to accept it, they are in. */
const create =
  (services: DirectoryServices): Operation<'memberships.create'> =>
  async ({ digest, parameters: { organization_name: name }, body: { data } }) => {
    const { email, username } = data.attributes ?? {};
    const teams = [...new Set((data.relationships?.teams?.data ?? []).map(({ id }) => id))];
    const access = await authorizeOrganization(services.store, digest, { organization: name }, (context) =>
      requireOrganizationPermission(context, 'membership.manage'),
    );
    if (email === undefined && username === undefined) throw invalid('email', "Email can't be blank");
    if (email !== undefined && username !== undefined) {
      throw invalid('username', 'Username and email cannot be given both');
    }
    await checkTeams(services, access, teams);
    const { membership, user, created } = await orAbsent(
      services.administration.join(name, username === undefined ? { email: email ?? '' } : { username }, teams),
    );
    if (!created) {
      throw invalid(username === undefined ? 'email' : 'username', 'User belongs to the organization already');
    }
    return { data: membershipResource({ membership, user, teams }) };
  };

/** A membership that a path names by its id, for who may know of it. */
const find = ({ store }: DirectoryServices, digest: string, id: string) =>
  authorizeRecord(
    store,
    digest,
    (consistent) => store.findMembership(id, consistent),
    (access) => {
      if (!sees(access, access.record)) throw notFound();
    },
  );

/** `GET /organization-memberships/:membership_id` */
const show =
  (services: DirectoryServices): Operation<'memberships.show'> =>
  async ({ digest, parameters }) => {
    const access = await find(services, digest, parameters.membership_id);
    const [shown] = await present(services, access, [access.record]);
    if (shown === undefined) throw notFound();
    return { data: membershipResource(shown) };
  };

/** `DELETE /organization-memberships/:membership_id`: with it, the user leaves all teams of the organization. */
const remove =
  (services: DirectoryServices): Operation<'memberships.delete'> =>
  async ({ digest, parameters }) => {
    const access = await find(services, digest, parameters.membership_id);
    requireOrganizationPermission(access, 'membership.manage');
    const { organization, user } = access.record;
    await services.administration.leave(organization, user, (isOwner) => {
      if (isOwner && !mayIn(access, 'owner.manage')) throw lacking('owner.manage');
    });
    return undefined;
  };

export const memberships = (services: DirectoryServices): Group<'memberships'> => ({
  'memberships.list': list(services),
  'memberships.create': create(services),
  'memberships.show': show(services),
  'memberships.delete': remove(services),
});
