import { seesTeam } from '../../shared/access/organization-policy.ts';
import type { AuthorizationContext } from '../../shared/access/workspace-policy.ts';
import type { Team } from '../../shared/domain/directory/records.ts';
import { DomainError, invalid, notFound } from '../../shared/domain/errors.ts';
import type { Document, Resource } from '../../shared/jsonapi/document.ts';
import { paginate, readPageOf, slice } from '../../shared/jsonapi/pagination.ts';
import { teamResource } from '../../shared/resources/teams/response.ts';
import type { Store } from '../../shared/store/store.ts';

/** Rules that access to a workspace and access to a project have in common. */

/** Writes an attribute as the beginning of a sentence: `State versions`. */
const sentenceCase = (attribute: string): string =>
  attribute.charAt(0).toUpperCase() + attribute.slice(1).replaceAll('-', ' ');

/** @throws DomainError 422 for a part of custom access together with a level, which determines all parts (TEAM-9). */
export const requireNoParts = (level: string, attributes: readonly string[]): void => {
  const [attribute] = attributes;
  if (attribute === undefined) return;
  const name = attribute.split('.').at(-1) ?? attribute;
  throw invalid(
    attribute,
    `${sentenceCase(name)} is read-only when access level is '${level}'; use the 'custom' access level to set this attribute.`,
  );
};

/** Checks whether the caller sees a team of the organization, independent of its access. */
const isVisible = (context: AuthorizationContext, team: Team | undefined): team is Team =>
  team?.organization === context.organization.name && seesTeam(context, team);

/**
 * Returns the ids of those teams with access that the caller sees. Managers of access see all of them, or they could
 * not know which teams have access.
 */
export const visibleTeams = async (
  store: Store,
  context: AuthorizationContext,
  managesAccess: boolean,
  teams: readonly string[],
): Promise<readonly string[]> => {
  if (managesAccess) return teams;
  const found = await store.records.find(teams.map((id) => ({ kind: 'team', id })));
  return teams.filter((id) => isVisible(context, found('team', id)));
};

/** @throws DomainError 404 for a team that `visibleTeams` would not return. */
export const requireVisible = async (
  store: Store,
  context: AuthorizationContext,
  managesAccess: boolean,
  team: string,
  consistent: boolean,
): Promise<void> => {
  if (!managesAccess && !isVisible(context, await store.teams.find(team, consistent))) throw notFound();
};

/**
 * Requires that the caller sees the team that a body refers to.
 * @throws DomainError 404 when it does not exist, is secret, or belongs to another organization (TEAM-11).
 */
export const requireTeam = async (context: AuthorizationContext, found: Promise<Team | undefined>): Promise<void> => {
  if (!isVisible(context, await found)) throw notFound('There is no such team.');
};

/** Builds the resources of the teams that the caller may see, for responses that include teams (TEAM-14). */
export const includedTeams = async (
  store: Store,
  context: AuthorizationContext,
  ids: readonly string[],
): Promise<readonly Resource[]> => {
  const found = await store.records.find(ids.map((id) => ({ kind: 'team', id })));
  return ids
    .map((id) => found('team', id))
    .filter((team) => isVisible(context, team))
    .map(teamResource);
};

const TEAM = 'filter[team][id]';

/** A list of the access of all teams, or of one, to a workspace or a project. */
export interface AccessToSubject {
  /** Id of the workspace or the project. */
  readonly subject: string;
  readonly team: string | undefined;
}

/** A list of the access of one team to all workspaces or projects. */
interface AccessOfTeam {
  readonly subject?: never;
  readonly team: string;
}

/**
 * Reads which access a list shows (TEAM-8).
 * @param parameter filter by the id of the workspace or the project.
 * @throws DomainError 400 for a list without a filter.
 */
export const readAccessFilter = (query: URLSearchParams, parameter: string): AccessToSubject | AccessOfTeam => {
  const [subject, team] = [query.get(parameter), query.get(TEAM) || undefined];
  if (subject) return { subject, team };
  if (team !== undefined) return { team };
  throw new DomainError('bad-request', `${parameter} or ${TEAM} is missing`, { source: { parameter } });
};

/**
 * Presents a page of the access of teams, in the order of its ids (TEAM-8).
 * @param include returns the resources that the shown teams include.
 */
export const presentAccess = async (
  rows: readonly { readonly team: string; readonly resource: Resource }[],
  { query, url }: { readonly query: URLSearchParams; readonly url: string },
  include: (teams: readonly string[]) => Promise<Pick<Document, 'included'>>,
): Promise<Document> => {
  const sorted = rows.toSorted((a, b) => (a.resource.id < b.resource.id ? -1 : 1));
  const page = readPageOf(sorted, query);
  const shown = slice(sorted, page);
  const included = await include(shown.map(({ team }) => team));
  return { data: shown.map(({ resource }) => resource), ...included, ...paginate(page, sorted.length, url, query) };
};
