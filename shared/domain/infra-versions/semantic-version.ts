/**
 * Semantic version without build metadata (https://semver.org). The package `semver` creates some ninety regular
 * expressions when a function loads it.
 */
export interface SemanticVersion {
  readonly text: string;
  readonly major: number;
  readonly minor: number;
  readonly patch: number;
  /** Identifiers after the hyphen; empty for a release that is not a prerelease. */
  readonly prerelease: readonly string[];
}

const FORM =
  /^(0|[1-9]\d*)\.(0|[1-9]\d*)\.(0|[1-9]\d*)(?:-((?:0|[1-9]\d*|\d*[A-Za-z-][\dA-Za-z-]*)(?:\.(?:0|[1-9]\d*|\d*[A-Za-z-][\dA-Za-z-]*))*))?$/;

/**
 * Parses a full version: no padding, no `v`, no build metadata, no number beyond 2^53.
 * @returns undefined for any other text.
 */
export const parseVersion = (text: string): SemanticVersion | undefined => {
  const parts = FORM.exec(text);
  if (parts === null) return undefined;
  const [major, minor, patch] = [Number(parts[1]), Number(parts[2]), Number(parts[3])];
  if (!Number.isSafeInteger(major) || !Number.isSafeInteger(minor) || !Number.isSafeInteger(patch)) return undefined;
  return { text, major, minor, patch, prerelease: parts[4]?.split('.') ?? [] };
};

const compareNumbers = (one: number, other: number): number => Math.sign(one - other);

const isNumeric = (identifier: string): boolean => /^\d+$/.test(identifier);

/** Numeric identifiers are lower than others. */
const compareIdentifiers = (one: string, other: string): number => {
  if (isNumeric(one) && isNumeric(other)) return compareNumbers(Number(one), Number(other));
  if (isNumeric(one) !== isNumeric(other)) return isNumeric(one) ? -1 : 1;
  return one === other ? 0 : one < other ? -1 : 1;
};

/** A prerelease is lower than its release. With equal identifiers, the longer list is higher. */
const comparePrereleases = (one: readonly string[], other: readonly string[]): number => {
  if (one.length === 0 || other.length === 0) return compareNumbers(other.length, one.length);
  for (const [index, identifier] of one.entries()) {
    const another = other[index];
    const order = another === undefined ? 1 : compareIdentifiers(identifier, another);
    if (order !== 0) return order;
  }
  return compareNumbers(one.length, other.length);
};

/** Compares two versions by their precedence (https://semver.org, 11). @returns -1, 0 or 1. */
export const compareVersions = (one: SemanticVersion, other: SemanticVersion): number =>
  compareNumbers(one.major, other.major) ||
  compareNumbers(one.minor, other.minor) ||
  compareNumbers(one.patch, other.patch) ||
  comparePrereleases(one.prerelease, other.prerelease);
