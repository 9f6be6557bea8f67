import { authorizeOrganization, type OrganizationAccess } from '../../shared/access/authorize/organization.ts';
import type { RecordAccess } from '../../shared/access/authorize/record.ts';
import { authorizeTeam } from '../../shared/access/authorize/team.ts';
import { concealNotFound } from '../../shared/access/conceal-not-found.ts';
import {
  mayIn,
  requireOrganizationPermission,
  seesMembership,
  seesTeam,
  tokenAction,
} from '../../shared/access/organization-policy.ts';
import { presentMemberships } from '../../shared/documents/membership-documents.ts';
import {
  lackingPermission,
  type OrganizationPermission,
  teamPermissions,
} from '../../shared/domain/directory/grants.ts';
import { type Membership, OWNERS_TEAM, type Team, type User } from '../../shared/domain/directory/records.ts';
import { DomainError, invalid } from '../../shared/domain/errors.ts';
import { isId } from '../../shared/domain/ids.ts';
import { nameTaken } from '../../shared/domain/transitions/transition.ts';
import type { OperationRequest, Operations } from '../../shared/http/operation.ts';
import type { Document, Resource } from '../../shared/jsonapi/document.ts';
import { paginate, readPage, slice } from '../../shared/jsonapi/pagination.ts';
import { requireSameId } from '../../shared/jsonapi/require-same-id.ts';
import { defaultSettings } from '../../shared/resources/attribute-table.ts';
import { attributes, type TeamAttributes, teamRequest } from '../../shared/resources/teams/attributes.ts';
import { type TeamView, teamWithMembers } from '../../shared/resources/teams/response.ts';
import { userResource } from '../../shared/resources/users/response.ts';
import type { TeamInclude } from '../../shared/routes/teams.ts';
import type { TeamDependencies } from './dependencies.ts';

/** Requires the right to change the team: for the owners team only owners have it (TEAM-3). */
const requireTeamManagement = (access: RecordAccess<Team>): void =>
  requireOrganizationPermission(access, access.record.name === OWNERS_TEAM ? 'owner.manage' : 'team.manage');

/**
 * Computes the organization permissions of a team after a request; an omitted permission does not change.
 * @returns undefined when the request changes none.
 * @throws DomainError 422 for the owners team, and for a permission without another one that it requires (TEAM-4).
 */
const permissionsAfter = (
  before: Team['permissions'],
  requested: TeamAttributes['organization-access'],
): readonly OrganizationPermission[] | undefined => {
  if (requested === undefined || Object.keys(requested).length === 0) return undefined;
  if (before === 'owners') throw new DomainError('unprocessable', 'The owners team may do everything.');
  const permissions = teamPermissions.filter((name) => requested[name] ?? before.includes(name));
  const lacking = lackingPermission(permissions);
  if (lacking !== undefined) {
    throw invalid(
      `organization-access.${lacking.of}`,
      `Organization access ${lacking.of} requires ${lacking.permission}`,
    );
  }
  return permissions;
};

/** Computes the permissions of the caller on a team. Only owners may change the owners team. */
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

/** Finds the memberships of the members of teams that the caller sees. */
const findMemberships = async (
  { store }: TeamDependencies,
  access: OrganizationAccess,
  users: readonly string[],
): Promise<ReadonlyMap<string, Membership>> => {
  const memberships = await store.memberships.findAll(access.organization.name, users);
  return new Map(memberships.filter((one) => seesMembership(access, one)).map((one) => [one.user, one]));
};

/** Builds the resources of teams with the ids of their members, and includes users and memberships (TEAM-14). */
const presentTeams = async (
  dependencies: TeamDependencies,
  access: OrganizationAccess,
  teams: readonly Team[],
  include: ReadonlySet<TeamInclude>,
): Promise<{ readonly data: readonly Resource[]; readonly included?: readonly Resource[] }> => {
  const { store } = dependencies;
  const members = await Promise.all(teams.map(({ id }) => store.teams.listMembers(id)));
  const users = [...new Set(members.flat().map(({ id }) => id))];
  const [found, memberships] = await Promise.all([
    include.has('users') ? store.records.find(users.map((id) => ({ kind: 'user', id }))) : undefined,
    include.has('organization_memberships') ? findMemberships(dependencies, access, users) : undefined,
  ]);
  const data = teams.map((team, index) => {
    const inTeam = members[index] ?? [];
    return teamWithMembers({
      team,
      users: inTeam,
      memberships: memberships && inTeam.flatMap(({ id }) => memberships.get(id) ?? []),
      permissions: permissionsOf(access, team),
    });
  });
  if (include.size === 0) return { data };
  const ofMemberships = memberships && (await presentMemberships(store, access, [...memberships.values()], new Set()));
  return {
    data,
    included: [
      ...users.flatMap((id) => found?.('user', id) ?? []).map((user) => userResource(user)),
      ...(ofMemberships?.data ?? []),
    ],
  };
};

/** Builds the document of one team. */
const presentTeam = async (
  dependencies: TeamDependencies,
  access: OrganizationAccess,
  team: Team,
  include: ReadonlySet<TeamInclude> = new Set(),
): Promise<Document> => {
  const { data, ...rest } = await presentTeams(dependencies, access, [team], include);
  const [resource] = data;
  if (resource === undefined) throw new TypeError('The response mapping of teams returned no resource');
  return { data: resource, ...rest };
};

/**
 * Finds a member of an organization by id or username. The reads are the same for a user who does not exist and for one of
 * other organizations (PERM-21).
 */
const findMember = async (
  { store, directory }: TeamDependencies,
  idOrName: string,
  organization: string,
): Promise<User | undefined> => {
  const id = (isId('user', idOrName) ? idOrName : await directory.users.findId(idOrName)) ?? '';
  const [user, teams] = await Promise.all([store.users.find(id, true), store.identities.findTeams(id, organization)]);
  return teams === undefined ? undefined : user;
};

/**
 * Finds the usernames of the users that a body lists.
 * @param find returns the username for an id or name, undefined for a user outside the organization.
 * @throws DomainError 422 that points to the first user outside the organization.
 */
const usernamesOf = async (
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

type MembersRoute = 'teams.add-users' | 'teams.remove-users' | 'teams.add-memberships' | 'teams.remove-memberships';

/**
 * `POST` and `DELETE /teams/:team_id/relationships/users` and `.../organization-memberships` (TEAM-5). Adding a member or
 * removing a user who is none changes nothing, so that an interrupted request can be repeated.
 */
const changeMembers =
  (by: 'users' | 'memberships', change: 'add' | 'remove') =>
  async (
    { contextFor, digest, parameters, body: { data } }: OperationRequest<MembersRoute>,
    dependencies: TeamDependencies,
  ) => {
    const { store, directory } = dependencies;
    const {
      caller,
      organization,
      record: team,
    } = await authorizeTeam(dependencies.store, digest, parameters.team_id, (access) =>
      requireOrganizationPermission(access, access.record.name === OWNERS_TEAM ? 'owner.manage' : 'membership.manage'),
    );
    const usernames = await usernamesOf(data, async (id) => {
      const membership = by === 'memberships' ? await store.memberships.find(id, true) : undefined;
      if (by === 'memberships' && membership?.organization !== organization.name) return undefined;
      return (await findMember(dependencies, membership?.user ?? id, organization.name))?.username;
    });
    const request = contextFor(caller);
    for (const username of usernames) {
      await concealNotFound<unknown>(directory.members[change](request, organization.name, team.id, username));
    }
    return undefined;
  };

export const teamOperations = {
  /** `GET /organizations/:organization_name/teams`: the teams that the caller sees (TEAM-2). */
  'teams.list': async ({ digest, parameters, query, include, url }, dependencies) => {
    const page = readPage(query);
    const access = await authorizeOrganization(dependencies.store, digest, {
      organization: parameters.organization_name,
    });
    const text = (query.get('q') ?? '').toLowerCase();
    const names = (query.get('filter[names]') ?? '').split(',').filter(Boolean);
    const teams = await dependencies.directory.records.listAll('team', access.organization.name);
    const rows = teams.filter(
      (team) =>
        seesTeam(access, team) &&
        team.name.toLowerCase().includes(text) &&
        (names.length === 0 || names.includes(team.name)),
    );
    const presented = await presentTeams(dependencies, access, slice(rows, page), include);
    return { ...presented, ...paginate(page, rows.length, url, query) };
  },

  /** `GET /teams/:team_id` */
  'teams.show': async ({ digest, parameters, include }, dependencies) => {
    const access = await authorizeTeam(dependencies.store, digest, parameters.team_id);
    return presentTeam(dependencies, access, access.record, include);
  },

  /** `POST /organizations/:organization_name/teams` (TEAM-3) */
  'teams.create': async (
    { contextFor, digest, parameters: { organization_name: organization }, body: { data } },
    dependencies,
  ) => {
    const { name, organizationAccess: requested, ...settings } = teamRequest(data.attributes ?? {});
    const access = await authorizeOrganization(dependencies.store, digest, { organization }, (context) => {
      requireOrganizationPermission(context, 'team.manage');
      if (requested && Object.values(requested).includes(true)) {
        requireOrganizationPermission(context, 'organization-access.manage');
      }
    });
    if (name === undefined) throw invalid('name', "Name can't be blank");
    const permissions = permissionsAfter([], requested) ?? [];
    const { record, created } = await concealNotFound(
      dependencies.directory.teams.create(contextFor(access.caller), {
        ...defaultSettings(attributes),
        ...settings,
        ...{ organization, name, permissions },
      }),
    );
    if (!created) throw nameTaken();
    return presentTeam(dependencies, access, record);
  },

  /** `PATCH /teams/:team_id` (TEAM-3). The body is validated for a team that the caller may change (HTTP-11). */
  'teams.update': async ({ contextFor, digest, parameters: { team_id: id }, body: readBody }, dependencies) => {
    const access = await authorizeTeam(dependencies.store, digest, id, (context) => {
      requireTeamManagement(context);
      const { organizationAccess = {} } = teamRequest(readBody().data.attributes ?? {});
      if (Object.keys(organizationAccess).length > 0) {
        requireOrganizationPermission(context, 'organization-access.manage');
      }
    });
    const { data } = readBody();
    const { name, organizationAccess: requested = {}, ...settings } = teamRequest(data.attributes ?? {});
    requireSameId(data.id, id);
    const team = await concealNotFound(
      dependencies.directory.teams.update(
        contextFor(access.caller),
        access.organization.name,
        id,
        ({ permissions: before }) => {
          const permissions = permissionsAfter(before, requested);
          return {
            ...settings,
            ...(name !== undefined && { newName: name }),
            ...(permissions && { permissions }),
          };
        },
      ),
    );
    return presentTeam(dependencies, access, team);
  },

  /** `DELETE /teams/:team_id`: revokes everything that was granted to the team (TEAM-6). */
  'teams.delete': async ({ contextFor, digest, parameters }, dependencies) => {
    const access = await authorizeTeam(dependencies.store, digest, parameters.team_id, requireTeamManagement);
    const { organization, id: team } = access.record;
    await dependencies.removal.beginRecord(contextFor(access.caller), 'team', organization, team);
    return undefined;
  },

  'teams.add-users': changeMembers('users', 'add'),
  'teams.remove-users': changeMembers('users', 'remove'),
  'teams.add-memberships': changeMembers('memberships', 'add'),
  'teams.remove-memberships': changeMembers('memberships', 'remove'),
} satisfies Partial<Operations<'teams', TeamDependencies>>;
