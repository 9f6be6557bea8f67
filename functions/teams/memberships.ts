import { authorizeTeam } from '../../shared/access/authorize/team.ts';
import { seesMembership } from '../../shared/access/organization-policy.ts';
import { presentMemberships } from '../../shared/documents/membership-documents.ts';
import type { User } from '../../shared/domain/directory/records.ts';
import { isId } from '../../shared/domain/ids.ts';
import type { Operation } from '../../shared/http/operation.ts';
import { paginate, readPage, slice } from '../../shared/jsonapi/pagination.ts';
import { readSort } from '../../shared/jsonapi/sort.ts';
import { readFlags } from '../../shared/list-index/query-values.ts';
import { readStatus, statusOf } from '../../shared/resources/organization-memberships/status.ts';
import type { TeamDependencies } from './dependencies.ts';

/**
 * Reads the filters and the order of the members of a team (TEAM-15). Users with the same status keep their order.
 * @returns undefined without a filter and an order, so that the users need not be read.
 * @throws DomainError 400 for an unknown value.
 */
const readSelection = (query: URLSearchParams): ((users: readonly User[]) => readonly User[]) | undefined => {
  const status = readStatus(query);
  const [isServiceAccount] = readFlags(query, 'filter[is_service_account]');
  const order = readSort(query, ['status']);
  if (status === undefined && isServiceAccount === undefined && order === undefined) return undefined;
  const rank = (user: User): number => (order?.sign ?? 0) * Number(statusOf(user) === 'invited');
  return (users) =>
    users
      .filter((user) => status === undefined || statusOf(user) === status)
      .filter((user) => isServiceAccount === undefined || user.serviceAccount === isServiceAccount)
      .toSorted((a, b) => rank(a) - rank(b));
};

/** `GET /teams/:team_id/relationships/organization-memberships`: the memberships of the members that the caller sees (TEAM-15). */
export const listTeamMemberships: Operation<'teams.list-memberships', TeamDependencies> = async (
  { digest, parameters: { team_id: id }, query, url },
  { store },
) => {
  const page = readPage(query);
  const select = readSelection(query);
  const [access, members] = await Promise.all([
    authorizeTeam(store, digest, id),
    isId('team', id) ? store.teams.listMembers(id) : [],
  ]);
  const seen = members.filter((member) => seesMembership(access, { user: member.id }));
  const found = select && (await store.records.find(seen.map((member) => ({ kind: 'user', id: member.id }))));
  const rows = select && found ? select(seen.flatMap((member) => found('user', member.id) ?? [])) : seen;
  const shown = slice(rows, page).map((member) => member.id);
  const memberships = await store.memberships.findAll(access.organization.name, shown);
  const ofUsers = new Map(memberships.map((membership) => [membership.user, membership]));
  const { data } = await presentMemberships(
    store,
    access,
    shown.flatMap((user) => ofUsers.get(user) ?? []),
    new Set(),
  );
  return { data, ...paginate(page, rows.length, url, query) };
};
