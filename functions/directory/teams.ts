import { authorizeOrganization, type OrganizationAccess } from '../../shared/access/authorize/organization.ts';
import { authorizeRecord, type RecordAccess } from '../../shared/access/authorize/record.ts';
import {
  mayIn,
  requireOrganizationPermission,
  seesTeam,
  tokenAction,
} from '../../shared/access/organization-policy.ts';
import {
  lackingPermission,
  type OrganizationPermission,
  organizationPermissions,
} from '../../shared/domain/directory/grants.ts';
import { OWNERS_TEAM, type Team, type User } from '../../shared/domain/directory/records.ts';
import { DomainError, invalid, notFound } from '../../shared/domain/errors.ts';
import { isId } from '../../shared/domain/ids.ts';
import { nameTaken } from '../../shared/domain/transitions/transition.ts';
import type { Operation } from '../../shared/http/endpoints.ts';
import { paginate, readPage, slice } from '../../shared/jsonapi/pagination.ts';
import type { TeamAttributes } from '../../shared/resources/teams/request.ts';
import { type TeamView, teamWithMembers } from '../../shared/resources/teams/response.ts';
import { userResource } from '../../shared/resources/users/response.ts';
import { createTeam, updateTeam } from '../../shared/store/directory/teams.ts';
import { orAbsent, sameResource } from './answers.ts';
import type { DirectoryServices, Group } from './services.ts';

/** What the caller may do with a team; the owners are the owners' business. */
const permissionsOf = (access: OrganizationAccess, { id, name }: Team): TeamView['permissions'] => {
  const isOwners = name === OWNERS_TEAM;
  const mayManage = mayIn(access, isOwners ? 'owner.manage' : 'team.manage');
  return {
    'can-update-membership': mayIn(access, isOwners ? 'owner.manage' : 'membership.manage'),
    'can-update-organization-access': !isOwners && mayIn(access, 'organization-access.manage'),
    'can-update-visibility': mayManage,
    'can-update-api-token': mayIn(access, tokenAction(access.organization, { kind: 'team', id })),
    'can-destroy': !isOwners && mayManage,
  };
};

/** Teams as they are shown, with who is in each; those users too, where they are asked for. */
const present = async (
  { store }: DirectoryServices,
  access: OrganizationAccess,
  teams: readonly Team[],
  include: ReadonlySet<'users'>,
) => {
  const members = await Promise.all(teams.map(({ id }) => store.findTeamMembers(id)));
  const data = teams.map((team, index) =>
    teamWithMembers({ team, users: members[index] ?? [], permissions: permissionsOf(access, team) }),
  );
  if (!include.has('users')) return { data };
  const found = await store.findRecords(members.flat().map(({ id }) => ({ kind: 'user', id })));
  const ids = [...new Set(members.flat().map(({ id }) => id))];
  return { data, included: ids.flatMap((id) => found('user', id) ?? []).map((user) => userResource(user)) };
};

const presentOne = async (...given: [DirectoryServices, OrganizationAccess, Team, ReadonlySet<'users'>?]) => {
  const [services, access, team, include = new Set()] = given;
  const { data, ...rest } = await present(services, access, [team], include);
  const [resource] = data;
  if (resource === undefined) throw new TypeError('A team is presented as nothing');
  return { data: resource, ...rest };
};

/** `GET /organizations/:organization_name/teams` */
const list =
  (services: DirectoryServices): Operation<'teams.list'> =>
  async ({ digest, parameters, query, include, url }) => {
    const page = readPage(query);
    const access = await authorizeOrganization(services.store, digest, { organization: parameters.organization_name });
    const text = (query.get('q') ?? '').toLowerCase();
    const names = (query.get('filter[names]') ?? '').split(',').filter(Boolean);
    const rows = (await services.administration.records.listAll('team', access.organization.name)).filter(
      (team) =>
        seesTeam(access, team) &&
        team.name.toLowerCase().includes(text) &&
        (names.length === 0 || names.includes(team.name)),
    );
    const shown = await present(services, access, slice(rows, page), include);
    return { ...shown, ...paginate(page, rows.length, url, query) };
  };

/**
 * What a team may do once a request has changed it: what the request leaves out stays.
 * @throws DomainError 422 for a permission without the one that it needs.
 */
const permissionsAfter = (
  before: Team['permissions'],
  asked: TeamAttributes['organization-access'],
): readonly OrganizationPermission[] | undefined => {
  if (asked === undefined || Object.keys(asked).length === 0) return undefined;
  if (before === 'owners') throw new DomainError('unprocessable', 'The owners team may do everything.');
  const permissions = organizationPermissions.filter((name) => asked[name] ?? before.includes(name));
  const lacking = lackingPermission(permissions);
  if (lacking !== undefined) {
    throw invalid(
      `organization-access.${lacking.of}`,
      `Organization access ${lacking.of} requires ${lacking.permission}`,
    );
  }
  return permissions;
};

/** `POST /organizations/:organization_name/teams` */
const create =
  (services: DirectoryServices): Operation<'teams.create'> =>
  async ({ digest, parameters: { organization_name: organization }, body: { data } }) => {
    const { name, visibility = 'secret', 'organization-access': asked } = data.attributes ?? {};
    const access = await authorizeOrganization(services.store, digest, { organization }, (context) => {
      requireOrganizationPermission(context, 'team.manage');
      if (asked && Object.values(asked).includes(true))
        requireOrganizationPermission(context, 'organization-access.manage');
    });
    if (name === undefined) throw invalid('name', "Name can't be blank");
    const permissions = permissionsAfter([], asked) ?? [];
    const { record, created } = await orAbsent(
      createTeam(services.administration, { organization, name, visibility, permissions }),
    );
    if (!created) throw nameTaken();
    return presentOne(services, access, record);
  };

/** A team that a path names by its id, for who may know of it. */
export const teamFor = (
  { store }: DirectoryServices,
  digest: string,
  id: string,
  decideOn: (access: RecordAccess<Team>) => void = () => undefined,
): Promise<RecordAccess<Team>> =>
  authorizeRecord(
    store,
    digest,
    (consistent) => store.findTeam(id, consistent),
    (access) => {
      if (!seesTeam(access, access.record)) throw notFound();
      decideOn(access);
    },
  );

/** Managing teams is enough for all but the owners. */
const requireManaging = (access: RecordAccess<Team>): void =>
  requireOrganizationPermission(access, access.record.name === OWNERS_TEAM ? 'owner.manage' : 'team.manage');

/** `GET /teams/:team_id` */
const show =
  (services: DirectoryServices): Operation<'teams.show'> =>
  async ({ digest, parameters, include }) => {
    const access = await teamFor(services, digest, parameters.team_id);
    return presentOne(services, access, access.record, include);
  };

/** `PATCH /teams/:team_id` */
const update =
  (services: DirectoryServices): Operation<'teams.update'> =>
  async ({ digest, parameters: { team_id: id }, body: { data } }) => {
    const { name, visibility, 'organization-access': asked = {} } = data.attributes ?? {};
    const access = await teamFor(services, digest, id, (context) => {
      requireManaging(context);
      if (Object.keys(asked).length > 0) requireOrganizationPermission(context, 'organization-access.manage');
    });
    sameResource(data.id, id);
    const team = await orAbsent(
      updateTeam(services.administration, access.organization.name, id, ({ permissions: before }) => {
        const permissions = permissionsAfter(before, asked);
        return {
          ...(name !== undefined && { newName: name }),
          ...(visibility && { visibility }),
          ...(permissions && { permissions }),
        };
      }),
    );
    return presentOne(services, access, team);
  };

/** `DELETE /teams/:team_id`: it is nobody's at once; what it was granted goes with it. */
const remove =
  ({ administration, removalFor, ...services }: DirectoryServices): Operation<'teams.delete'> =>
  async ({ id, digest, parameters }) => {
    const access = await teamFor(
      { administration, removalFor, ...services },
      digest,
      parameters.team_id,
      requireManaging,
    );
    const { organization, id: team } = access.record;
    const item = await administration.records.findItem('team', organization, team);
    if (item !== undefined) await removalFor({ id, principal: access.caller.principal }).begin(item);
    return undefined;
  };

/** Who is named in the body, by the names of users; `find` reads one, and knows them by id or by name. */
const namesOf = async (
  given: readonly { readonly id: string }[],
  find: (id: string) => Promise<string | undefined>,
): Promise<readonly string[]> => {
  const names = await Promise.all([...new Set(given.map(({ id }) => id))].map(find));
  const unknown = names.indexOf(undefined);
  if (unknown >= 0) {
    throw new DomainError('unprocessable', 'User does not belong to this organization', {
      source: { pointer: `/data/${unknown}/id` },
    });
  }
  return names as readonly string[];
};

/** By the id or the username. */
const userOf = async ({ store, administration }: DirectoryServices, name: string): Promise<User | undefined> => {
  const id = isId('user', name) ? name : (await administration.findUserItem(name))?.['id'];
  return id === undefined ? undefined : store.findUser(String(id), true);
};

type MembersRoute = 'teams.add-users' | 'teams.remove-users' | 'teams.add-memberships' | 'teams.remove-memberships';

/**
 * `POST` and `DELETE /teams/:team_id/relationships/…`. Who is in already, or is not, is passed over: a request that was
 * interrupted can be repeated.
 */
const changeMembers =
  (services: DirectoryServices, by: 'users' | 'memberships', change: 'addMember' | 'removeMember') =>
  async ({
    digest,
    parameters,
    body: { data },
  }: Pick<Parameters<Operation<MembersRoute>>[0], 'digest' | 'parameters' | 'body'>) => {
    const { store, administration } = services;
    const { organization, record: team } = await teamFor(services, digest, parameters.team_id, (access) =>
      requireOrganizationPermission(access, access.record.name === OWNERS_TEAM ? 'owner.manage' : 'membership.manage'),
    );
    const names = await namesOf(data, async (id) => {
      const membership = by === 'memberships' ? await store.findMembership(id, true) : undefined;
      if (by === 'memberships' && membership?.organization !== organization.name) return undefined;
      const user = await userOf(services, membership?.user ?? id);
      const belongs = user && (await store.findTeams(user.id, organization.name, true)) !== undefined;
      return belongs ? user.username : undefined;
    });
    for (const name of names) await orAbsent<unknown>(administration[change](organization.name, team.id, name));
    return undefined;
  };

export const teams = (services: DirectoryServices): Group<'teams'> => ({
  'teams.list': list(services),
  'teams.create': create(services),
  'teams.show': show(services),
  'teams.update': update(services),
  'teams.delete': remove(services),
  'teams.add-users': changeMembers(services, 'users', 'addMember'),
  'teams.remove-users': changeMembers(services, 'users', 'removeMember'),
  'teams.add-memberships': changeMembers(services, 'memberships', 'addMember'),
  'teams.remove-memberships': changeMembers(services, 'memberships', 'removeMember'),
});
