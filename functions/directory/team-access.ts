import { seesTeam } from '../../shared/access/organization-policy.ts';
import type { AuthorizationContext } from '../../shared/access/workspace-policy.ts';
import type { Team } from '../../shared/domain/directory/records.ts';
import { DomainError, invalid, notFound } from '../../shared/domain/errors.ts';
import type { Store } from '../../shared/store/store.ts';

/** What access to a workspace and access to a project have in common. */

/** As a sentence begins with it: `State versions`. */
const inWords = (attribute: string): string =>
  attribute.charAt(0).toUpperCase() + attribute.slice(1).replaceAll('-', ' ');

/** @throws DomainError 422 for a part beside a level that says it already (TEAM-9). */
export const refuseParts = (level: string, attributes: readonly string[]): void => {
  const [attribute] = attributes;
  if (attribute === undefined) return;
  const name = attribute.split('.').at(-1) ?? attribute;
  throw invalid(
    attribute,
    `${inWords(name)} is read-only when access level is '${level}'; use the 'custom' access level to set this attribute.`,
  );
};

/** Whether a caller may know of a team, whatever it has access to. */
const knowsOf = (context: AuthorizationContext, team: Team | undefined): team is Team =>
  team?.organization === context.organization.name && seesTeam(context, team);

/**
 * Of the teams that have access those that a caller may know of. Who manages access sees all, or they could not tell
 * who has some.
 */
export const visibleTeams = async (
  store: Store,
  context: AuthorizationContext,
  managesAccess: boolean,
  teams: readonly string[],
): Promise<readonly string[]> => {
  if (managesAccess) return teams;
  const found = await store.findRecords(teams.map((id) => ({ kind: 'team', id })));
  return teams.filter((id) => knowsOf(context, found('team', id)));
};

/** @throws DomainError 404 for what a list of visible teams does not have. */
export const requireVisible = async (
  store: Store,
  context: AuthorizationContext,
  managesAccess: boolean,
  team: string,
  consistent: boolean,
): Promise<void> => {
  if (!managesAccess && !knowsOf(context, await store.findTeam(team, consistent))) throw notFound();
};

/**
 * @param found the team that a body names.
 * @throws DomainError 404 where it is another organization's, or secret, as where it is not there.
 */
export const requireTeam = async (context: AuthorizationContext, found: Promise<Team | undefined>): Promise<void> => {
  if (!knowsOf(context, await found)) throw notFound('There is no such team.');
};

/** @throws DomainError 400 where a list does not say of what. */
export const requiredFilter = (query: URLSearchParams, parameter: string): string => {
  const id = query.get(parameter);
  if (!id) throw new DomainError('bad-request', `${parameter} is missing`, { source: { parameter } });
  return id;
};
