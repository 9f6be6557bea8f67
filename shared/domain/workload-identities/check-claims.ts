import { cutText } from '../cut-text.ts';
import type { WorkloadIdentity } from '../directory/records.ts';
import { type Claims, findClaim, meets, textOfClaim } from './conditions.ts';

/** One check of an identity token: of its signature, of a claim that every token has, or of a condition (WI-7). */
export interface TokenCheck {
  /** Subject of the check: `format`, `signature`, or a JSON pointer to a claim. */
  readonly subject: string;
  readonly isMet: boolean;
  readonly expected: string;
  /** Value in the token; null if it has none, or none that can be compared. */
  readonly actual: string | null;
}

/** Seconds by which clocks may differ (WI-7). */
export const LEEWAY_SECONDS = 60;
/** Seconds for which an identity token is accepted after it was issued, even if it expires later (WI-7). */
export const MOST_SECONDS = 3_600;

/** Longest value of a claim that a check shows. */
const SHOWN = 512;

const shown = (value: unknown): string | null => {
  if (Array.isArray(value)) return 'a list';
  const text = textOfClaim(value);
  if (text !== undefined) return cutText(text, SHOWN);
  if (value === undefined) return null;
  return typeof value === 'number' ? 'a number that is too large' : 'an object';
};

const isTime = (value: unknown): value is number => typeof value === 'number' && Number.isFinite(value);

/** Shows a time claim in seconds since the epoch as a timestamp. */
const shownTime = (value: unknown): string | null => {
  if (!isTime(value)) return shown(value);
  const date = new Date(value * 1_000);
  return Number.isNaN(date.getTime()) ? String(value) : date.toISOString();
};

const names = (audience: unknown): readonly unknown[] => (Array.isArray(audience) ? audience : [audience]);

/** Checks the claims that every identity token has. @param now seconds since the epoch. */
const checkStandardClaims = (
  { iss, aud, exp, nbf, iat }: Claims,
  { issuer, audience }: Pick<WorkloadIdentity, 'issuer' | 'audience'>,
  now: number,
): TokenCheck[] => [
  { subject: '/iss', isMet: iss === issuer, expected: issuer, actual: shown(iss) },
  {
    subject: '/aud',
    isMet: names(aud).includes(audience),
    expected: audience,
    actual: Array.isArray(aud) ? cutText(names(aud).map(shown).join(', '), SHOWN) : shown(aud),
  },
  {
    subject: '/exp',
    isMet: isTime(exp) && exp > now - LEEWAY_SECONDS,
    expected: 'a time in the future',
    actual: shownTime(exp),
  },
  {
    subject: '/nbf',
    isMet: nbf === undefined || (isTime(nbf) && nbf <= now + LEEWAY_SECONDS),
    expected: 'a time in the past, or none',
    actual: shownTime(nbf),
  },
  {
    subject: '/iat',
    isMet: isTime(iat) && iat <= now + LEEWAY_SECONDS && iat >= now - MOST_SECONDS - LEEWAY_SECONDS,
    expected: 'a time within the last hour',
    actual: shownTime(iat),
  },
];

/**
 * Checks the claims of an identity token against a workload identity (WI-7).
 * @param now seconds since the epoch.
 * @returns a check for each claim that every token has, and for each condition.
 */
export const checkClaims = (claims: Claims, identity: WorkloadIdentity, now: number): readonly TokenCheck[] => [
  ...checkStandardClaims(claims, identity, now),
  ...identity.conditions.map((condition) => ({
    subject: condition.claim,
    isMet: meets(claims, condition),
    expected: 'equals' in condition ? cutText(condition.equals.join(' or '), SHOWN) : condition.matches,
    actual: shown(findClaim(claims, condition.claim)),
  })),
];
