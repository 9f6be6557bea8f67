import type { ClaimCondition } from '../directory/records.ts';
import { wildcard } from '../wildcard.ts';

/** Claims of an identity token, by name. */
export type Claims = Readonly<Record<string, unknown>>;

/** Returns the members that a JSON pointer names, from the outside in; undefined for a text that is none (RFC 6901). */
const membersOf = (pointer: string): readonly string[] | undefined => {
  if (!/^(\/([^~/]|~[01])*)+$/.test(pointer)) return undefined;
  const parts = pointer.slice(1).split('/');
  return parts.map((part) => part.replaceAll('~1', '/').replaceAll('~0', '~'));
};

/** Tells whether a text is a JSON pointer to a claim. */
export const isClaimPointer = (pointer: string): boolean => membersOf(pointer)?.every((name) => name !== '') === true;

/** Returns the claim that a JSON pointer names; undefined if there is none. It does not look into lists. */
export const findClaim = (claims: Claims, pointer: string): unknown => {
  let value: unknown = claims;
  for (const name of membersOf(pointer) ?? ['']) {
    const isObject = typeof value === 'object' && value !== null && !Array.isArray(value);
    if (!isObject || !Object.hasOwn(value as object, name)) return undefined;
    value = (value as Claims)[name];
  }
  return value;
};

/**
 * Returns a claim as text; undefined if it is neither a text, a number nor a boolean, or a number so large that it may have been
 * another one in the token, which `JSON.parse` has rounded (WI-4).
 */
export const textOfClaim = (value: unknown): string | undefined => {
  if (typeof value === 'number') return Math.abs(value) <= Number.MAX_SAFE_INTEGER ? String(value) : undefined;
  return typeof value === 'string' || typeof value === 'boolean' ? String(value) : undefined;
};

/** The characters that `*` does not match. */
const SEPARATORS = /([/:])/;

/** Tells whether a pattern has a character that a claim must have besides separators. */
export const isSelective = (pattern: string): boolean => /[^*/:]/.test(pattern);

/**
 * Tells whether a text matches a pattern in which `*` stands for any characters except `/` and `:` (WI-4).
 * @example
 * matchesPattern('repo:acme/network:ref:refs/heads/*', 'repo:acme/network:ref:refs/heads/main') // true
 */
export const matchesPattern = (pattern: string, text: string): boolean => {
  const [expected, actual] = [pattern.split(SEPARATORS), text.split(SEPARATORS)];
  return expected.length === actual.length && expected.every((part, index) => wildcard(part)(actual[index] as string));
};

/** Tells whether the claims of an identity token meet a condition. */
export const meets = (claims: Claims, condition: ClaimCondition): boolean => {
  const text = textOfClaim(findClaim(claims, condition.claim));
  if (text === undefined) return false;
  return 'equals' in condition ? condition.equals.includes(text) : matchesPattern(condition.matches, text);
};
