/** The times of a membership on which the sign-in policy of its organization depends, in milliseconds. */
export interface SignInTimes {
  /** Time of the last sign-in of the user at an identity provider; absent if there was none since the membership began. */
  readonly signedInAt?: number;
  /** Time until which the user needs no sign-in, because an admin command has exempted them. */
  readonly exemptUntil?: number;
}

const DAY = 86_400_000;

/**
 * Computes until when an organization with the policy `sso` accepts the tokens of a member (POLICY-1).
 * @param days for which a sign-in counts.
 * @returns a time in milliseconds; 0 if it accepts none.
 */
export const acceptedUntil = ({ signedInAt, exemptUntil = 0 }: SignInTimes, days: number): number =>
  Math.max(signedInAt === undefined ? 0 : signedInAt + days * DAY, exemptUntil);
