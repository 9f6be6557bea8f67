const EXACT = /^\d+\.\d+\.\d+$/;

/** Returns whether an exact version is older than another one. Constraints and pre-releases are not compared. */
export const isOlder = (version: unknown, other: unknown): boolean =>
  typeof version === 'string' &&
  typeof other === 'string' &&
  EXACT.test(version) &&
  EXACT.test(other) &&
  version.localeCompare(other, 'en', { numeric: true }) < 0;
