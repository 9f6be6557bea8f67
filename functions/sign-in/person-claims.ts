import type { IdentityProvider } from '../../shared/domain/identity-providers.ts';
import { limits } from '../../shared/domain/limits.ts';
import { LEEWAY_SECONDS } from '../../shared/domain/workload-identities/check-claims.ts';
import { type Claims, findClaim } from '../../shared/domain/workload-identities/conditions.ts';
import {
  malformedGroups,
  missingClaim,
  missingGroup,
  moreGroupsThanUsable,
  otherClock,
  otherLevel,
  tooManyGroups,
} from './sign-in-problems.ts';

/** A person as the identity token describes them. */
export interface PersonClaims {
  readonly subject: string;
  readonly username: string;
  readonly email: string | undefined;
  readonly emailVerified: boolean;
  /** Groups, once each. Undefined if the identity token has no groups claim. */
  readonly groups: readonly string[] | undefined;
  /** Session of the identity provider. */
  readonly sid: string | undefined;
}

/** Age that a new identity token may have, in seconds. Entra ID dates its tokens back by five minutes. */
const MOST_AGE = 300;

/** Returns a claim by its name, or by a JSON pointer. */
const claimOf = (claims: Claims, name: string): unknown => {
  if (name.startsWith('/')) return findClaim(claims, name);
  return Object.hasOwn(claims, name) ? claims[name] : undefined;
};

/** Returns a claim that is a text. Half a surrogate pair is none: two of them would count as the same text once they are stored. */
const textOf = (claims: Claims, name: string): string | undefined => {
  const value = claimOf(claims, name);
  return typeof value === 'string' && value !== '' && value.isWellFormed() ? value : undefined;
};

/** Returns the subject of an identity token. */
export const subjectOf = (claims: Claims): string | undefined => textOf(claims, 'sub');

/** Returns the name of the claim that contains another one. */
const outermost = (name: string): string => (name.startsWith('/') ? (name.split('/')[1] ?? '') : name);

/** Tells whether an identity token states that it lacks a claim for its size (OpenID Connect Core, 5.6.2; Entra ID). */
const isOmitted = (claims: Claims, name: string): boolean => {
  const elsewhere = claims['_claim_names'];
  const isElsewhere = typeof elsewhere === 'object' && elsewhere !== null && Object.hasOwn(elsewhere, outermost(name));
  return isElsewhere || claims['hasgroups'] === true || claims['hasgroups'] === 'true';
};

const groupsOf = (claims: Claims, provider: IdentityProvider): readonly string[] | undefined => {
  const { groupsClaim } = provider;
  const value = claimOf(claims, groupsClaim);
  if (value === undefined || value === null) {
    if (isOmitted(claims, groupsClaim)) throw tooManyGroups(provider);
    return undefined;
  }
  const groups = Array.isArray(value) ? value : [value];
  if (!groups.every((group) => typeof group === 'string')) throw malformedGroups(provider, groupsClaim);
  const distinct = [...new Set(groups)].filter((group) => group !== '');
  if (distinct.length > limits.groups) throw moreGroupsThanUsable(provider);
  return distinct;
};

/** Tells whether only other identity providers are trusted for the domain of an e-mail address (SIGNIN-4). */
export const isOfOthers = (
  email: string,
  { name }: IdentityProvider,
  providers: readonly IdentityProvider[],
): boolean => {
  const domain = email.slice(email.lastIndexOf('@') + 1).toLowerCase();
  const trusted = providers.filter(({ trustedEmailDomains }) => trustedEmailDomains.includes(domain));
  return trusted.length > 0 && !trusted.some((one) => one.name === name);
};

/**
 * Reads the claims of an identity token whose signature, issuer, audience and nonce are valid (SIGNIN-4).
 * @param now in milliseconds.
 * @throws SignInProblem
 */
export const readPerson = (claims: Claims, provider: IdentityProvider, now: number): PersonClaims => {
  const { usernameClaim, emailClaim, requiredAcr, requiredGroups } = provider;
  const age = now / 1_000 - Number(claims['iat']);
  if (!(age >= -LEEWAY_SECONDS && age <= MOST_AGE + LEEWAY_SECONDS)) throw otherClock(provider);
  if (requiredAcr !== undefined && claims['acr'] !== requiredAcr) throw otherLevel(provider);
  const groups = groupsOf(claims, provider);
  if (requiredGroups.length > 0 && !requiredGroups.some((group) => groups?.includes(group)))
    throw missingGroup(provider);
  const subject = subjectOf(claims);
  if (subject === undefined) throw missingClaim(provider, 'sub', 'the account');
  const username = textOf(claims, usernameClaim);
  if (username === undefined) throw missingClaim(provider, usernameClaim, 'the name of the user');
  return {
    subject,
    username,
    email: textOf(claims, emailClaim),
    // The claim is about the address in `email`, and about no other one.
    emailVerified: emailClaim === 'email' && claims['email_verified'] === true,
    groups,
    sid: textOf(claims, 'sid'),
  };
};
