import { apiRequest } from './request.ts';

/** Returns the name of a member, or the e-mail address of an invited member, who has no name yet. */
export const memberName = ({
  attributes,
}: {
  readonly attributes: { readonly username: string; readonly email: string };
}): string => attributes.username || attributes.email;

const LIST = '/api/v2/organizations/{organization_name}/organization-memberships';

/** Describes the request of one page of the members of an organization whose names contain a text, with their teams. */
export const listMemberships = (organization: string, number: number, search = '') =>
  apiRequest('get', LIST, {
    path: { organization_name: organization },
    query: {
      ...(search !== '' && { q: search }),
      include: ['teams', 'user'],
      'page[number]': number,
      'page[size]': 20,
    },
  });

/** Describes the request of a membership with its teams. */
export const showMembership = (id: string) =>
  apiRequest('get', '/api/v2/organization-memberships/{membership_id}', {
    path: { membership_id: id },
    query: { include: ['teams', 'user'] },
  });

/** Describes the request of a user who shares an organization with the caller (AUTH-7). */
export const showUser = (id: string) => apiRequest('get', '/api/v2/users/{user_id}', { path: { user_id: id } });

/** Describes the addition or the invitation of a user by the e-mail address (ORG-9). */
export const inviteMember = (organization: string, email: string, team: string) =>
  apiRequest('post', LIST, {
    path: { organization_name: organization },
    body: {
      data: {
        type: 'organization-memberships',
        attributes: { email },
        relationships: { teams: { data: [{ type: 'teams', id: team }] } },
      },
    },
  });

/** Describes the removal of a member from an organization and all of its teams (ORG-12). */
export const removeMember = (id: string) =>
  apiRequest('delete', '/api/v2/organization-memberships/{membership_id}', { path: { membership_id: id } });
