import { queryOptions } from '@tanstack/react-query';
import { showMembership, showUser } from '../../../../shared/client/memberships.ts';
import { apiRequest } from '../../../../shared/client/request.ts';
import type { DocumentOf, Schemas } from '../../../../shared/client/types.ts';
import { apiQuery } from './query-client.ts';
import { send } from './send.ts';

const LIST = '/api/v2/organizations/{organization_name}/organization-memberships';

/** Builds the query of the members whose names contain a text. */
export const membershipsQuery = (organization: string, search: string) =>
  apiQuery(
    apiRequest('get', LIST, { path: { organization_name: organization }, query: { q: search, 'page[size]': 100 } }),
  );

/** A member of an organization, or a user without a membership that the caller may see. */
export interface Member {
  readonly user: Schemas['User'] | undefined;
  /** The membership with its teams. */
  readonly membership: Omit<DocumentOf<'get', '/api/v2/organization-memberships/{membership_id}'>, 'links'> | undefined;
}

type Filter = { readonly q: string } | { readonly 'filter[status]': 'invited' };

/** Finds the membership of a user among those that match, page after page. */
const findMembership = async (
  organization: string,
  user: string,
  filter: Filter,
  signal: AbortSignal,
): Promise<Member['membership']> => {
  for (let page = 1; ; page += 1) {
    const { document } = await send(
      apiRequest('get', LIST, {
        path: { organization_name: organization },
        query: { ...filter, include: ['teams', 'user'], 'page[number]': page, 'page[size]': 100 },
      }),
      { signal },
    );
    const data = document.data.find(({ relationships }) => relationships.user.data?.id === user);
    if (data !== undefined) return { data, ...(document.included && { included: document.included }) };
    if (page >= document.meta.pagination['total-pages']) return undefined;
  }
};

/**
 * Builds the query of a member by the id of the membership, or by that of the user, which is what histories, locks and teams
 * contain. The API has no list of memberships by user: a user is read first, and then searched for by name. Who was invited has
 * no name yet.
 */
export const memberQuery = (organization: string, id: string) =>
  queryOptions({
    queryKey: ['organizations', organization, 'organization-memberships', 'member', id],
    queryFn: async ({ signal }): Promise<Member> => {
      if (!id.startsWith('user-')) {
        return { user: undefined, membership: (await send(showMembership(id), { signal })).document };
      }
      const user = (await send(showUser(id), { signal })).document.data;
      const membership =
        (await findMembership(organization, id, { q: user.attributes.username }, signal)) ??
        (await findMembership(organization, id, { 'filter[status]': 'invited' }, signal));
      return { user, membership };
    },
  });
