import type { User } from '../../domain/directory/records.ts';
import { DomainError } from '../../domain/errors.ts';
import { membershipStatuses } from './attributes.ts';

export type MembershipStatus = (typeof membershipStatuses)[number];

/** Returns the status of the memberships of a user (ORG-9). */
export const statusOf = ({ invited }: Pick<User, 'invited'>): MembershipStatus => (invited ? 'invited' : 'active');

/** Returns the username that memberships of a user show: none while the user is only invited (ORG-9). */
export const shownUsername = ({ invited, username }: Pick<User, 'invited' | 'username'>): string =>
  invited ? '' : username;

/** Reads `filter[status]`; undefined without it. @throws DomainError 400 for an unknown status. */
export const readStatus = (query: URLSearchParams): MembershipStatus | undefined => {
  const parameter = 'filter[status]';
  const text = query.get(parameter) || undefined;
  const status = membershipStatuses.find((one) => one === text);
  if (status === text) return status;
  throw new DomainError('bad-request', `${parameter} must be one of: ${membershipStatuses.join(', ')}`, {
    source: { parameter },
  });
};
