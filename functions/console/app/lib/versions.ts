const EXACT = /^\d+\.\d+\.\d+$/;

/** Returns whether a text is an exact version, and not a pre-release. */
export const isExactVersion = (text: string): boolean => EXACT.test(text);

/** Returns whether an exact version is older than another one. Constraints and pre-releases are not compared. */
const isOlder = (version: unknown, other: unknown): boolean =>
  typeof version === 'string' &&
  typeof other === 'string' &&
  EXACT.test(version) &&
  EXACT.test(other) &&
  version.localeCompare(other, 'en', { numeric: true }) < 0;

/**
 * Returns a warning if a version of the tool may not be able to read the state.
 * @param writer version that has written the state, or the present one if that is not known; undefined without a state.
 */
export const warnOfOlder = (version: unknown, writer: string | null | undefined): string | undefined =>
  isOlder(version, writer) ? `Older than version ${writer} of the state, which it may not be able to read.` : undefined;
