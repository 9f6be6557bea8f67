import type { Membership, User } from '../../domain/directory/records.ts';
import { type Resource, toMany, toOne, toOneLinked } from '../../jsonapi/document.ts';
import { timestamp } from '../../lib/clock.ts';
import { BASE_PATH } from '../../routes/api.ts';
import type { ComputedValues } from '../attribute-table.ts';
import type { attributes } from './attributes.ts';
import { shownUsername, statusOf } from './status.ts';

/** A membership of an organization, with the teams that the caller may know of. */
export interface MembershipView {
  readonly membership: Membership;
  readonly user: User;
  readonly teams: readonly string[];
}

/**
 * Builds the resource of a membership. Its status follows the user (ORG-9): who is only invited has chosen no username yet. The
 * teams have one order in every response, whatever the order of the request was.
 */
export const membershipResource = ({ membership, user, teams }: MembershipView): Resource => ({
  id: membership.id,
  type: 'organization-memberships',
  attributes: {
    status: statusOf(user),
    username: shownUsername(user),
    email: user.email,
    'created-at': timestamp(membership.createdAt),
  } satisfies ComputedValues<typeof attributes>,
  relationships: {
    organization: toOne('organizations', membership.organization),
    user: toOneLinked('users', user.id),
    teams: toMany('teams', teams.toSorted()),
  },
  links: { self: `${BASE_PATH}/organization-memberships/${membership.id}` },
});
