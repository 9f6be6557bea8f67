import { messageFrom } from '../../command-line.ts';
import type { LocalAccess } from './data-folder.ts';
import { openOwnerApi, type Resource } from './owner-api.ts';

const OWNERS = 'owners';
const BUILDERS = 'builders';

/**
 * Gives the groups of the embedded identity provider rights in the demo organization: its people own it, or are in a team
 * that reads workspaces. A group that the organization has already is kept.
 */
const mapGroups = async (access: LocalAccess): Promise<void> => {
  const send = openOwnerApi(access);
  const organization = `/organizations/${access.organization}`;
  const { attributes } = await send('GET', organization);
  if (attributes['owners-team-saml-role-id'] !== null) return;
  const [team] = await send<readonly Resource[]>('GET', `${organization}/teams?filter%5Bnames%5D=${BUILDERS}`);
  const mapped = { name: BUILDERS, 'sso-team-id': BUILDERS };
  if (team === undefined) {
    const access = { 'organization-access': { 'read-workspaces': true } };
    await send('POST', `${organization}/teams`, { type: 'teams', attributes: { ...mapped, ...access } });
  } else await send('PATCH', `/teams/${team.id}`, { type: 'teams', id: team.id, attributes: mapped });
  // Last, because it marks the groups as mapped.
  await send('PATCH', organization, { type: 'organizations', attributes: { 'owners-team-saml-role-id': OWNERS } });
};

/** Maps the groups of the embedded identity provider in the demo organization. A failure is reported, and changes nothing else. */
export const mapDemoGroups = async (access: LocalAccess, onStep: (step: string) => void): Promise<void> => {
  if (access.organization === undefined || access.token === undefined) return;
  try {
    await mapGroups(access);
  } catch (error) {
    onStep(`The groups of the identity provider are not mapped in ${access.organization}: ${messageFrom(error)}`);
  }
};
