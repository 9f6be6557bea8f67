import { useQuery } from '@tanstack/react-query';
import { membershipsQuery } from './memberships.ts';

/**
 * Returns the names of the first 100 members of an organization by the ids of their users and, after these, of their memberships.
 * Others have only their id.
 */
export const useMemberNames = (organization: string, isNeeded: boolean): ReadonlyMap<string, string> => {
  const members = useQuery({ ...membershipsQuery(organization, ''), enabled: isNeeded, retry: false });
  const memberships = members.data?.document.data ?? [];
  return new Map([
    ...memberships.flatMap(({ attributes: { username }, relationships: { user } }) =>
      user.data === null ? [] : [[user.data.id, username] as const],
    ),
    ...memberships.map(({ id, attributes: { username } }) => [id, username] as const),
  ]);
};
