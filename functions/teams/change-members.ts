import { authorizeTeam } from '../../shared/access/authorize/team.ts';
import { concealNotFound } from '../../shared/access/conceal-not-found.ts';
import { requireOrganizationPermission } from '../../shared/access/organization-policy.ts';
import { OWNERS_TEAM, type User } from '../../shared/domain/directory/records.ts';
import { DomainError } from '../../shared/domain/errors.ts';
import { isId } from '../../shared/domain/ids.ts';
import type { Operation } from '../../shared/http/operation.ts';
import type { TeamDependencies } from './dependencies.ts';

/** Finds a user by id or username. */
const findUser = async ({ store, directory }: TeamDependencies, idOrName: string): Promise<User | undefined> => {
  const id = isId('user', idOrName) ? idOrName : await directory.users.findId(idOrName);
  return id === undefined ? undefined : store.users.find(id, true);
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
export const changeMembers =
  (dependencies: TeamDependencies, by: 'users' | 'memberships', change: 'add' | 'remove') =>
  async ({
    contextFor,
    digest,
    parameters,
    body: { data },
  }: Pick<Parameters<Operation<MembersRoute>>[0], 'contextFor' | 'digest' | 'parameters' | 'body'>) => {
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
      const user = await findUser(dependencies, membership?.user ?? id);
      const isMember = user && (await store.identities.findTeams(user.id, organization.name, true)) !== undefined;
      return isMember ? user.username : undefined;
    });
    const request = contextFor(caller);
    for (const username of usernames) {
      await concealNotFound<unknown>(directory.members[change](request, organization.name, team.id, username));
    }
    return undefined;
  };
