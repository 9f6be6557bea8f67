import { useQuery } from '@tanstack/react-query';
import { membershipsQuery } from './memberships.ts';

/** Returns the names of the first 100 members of an organization by the ids of their users. Others have only their id. */
export const useMemberNames = (organization: string, isNeeded: boolean): ReadonlyMap<string, string> => {
  const members = useQuery({ ...membershipsQuery(organization, ''), enabled: isNeeded, retry: false });
  return new Map(
    (members.data?.document.data ?? []).flatMap(({ attributes, relationships: { user } }) =>
      user.data === null ? [] : [[user.data.id, attributes.username]],
    ),
  );
};
