import { limits } from '../limits.ts';
import { compareVersions, parseVersion, type SemanticVersion } from './semantic-version.ts';

/**
 * Selection of the release of the infrastructure tool that a workspace uses (`infra-version`, WS-38 and WS-39): an exact
 * version, `latest`, or a constraint in HashiCorp's syntax, which differs from npm's. Clauses separated by `,` must all
 * hold, and `~> 1.5` allows only the rightmost number to grow: `>= 1.5, < 2`.
 */

type Operator = '=' | '!=' | '>' | '>=' | '<' | '<=' | '~>';

interface Clause {
  readonly operator: Operator;
  /** A partial version is padded: `1.5` is 1.5.0. */
  readonly version: SemanticVersion;
  /** Number of given parts, 1 to 3, which `~>` depends on. */
  readonly precision: number;
}

export type Wanted =
  | { readonly kind: 'latest' }
  | { readonly kind: 'exact'; readonly version: string }
  | { readonly kind: 'constraint'; readonly clauses: readonly Clause[] };

/** The first character of each part distinguishes it from the previous one, so matching never backtracks. */
const clausePattern =
  /^ *(?:(?<operator>=|!=|>=?|<=?|~>) *)?(?<major>\d+)(?:\.(?<minor>\d+)(?:\.(?<patch>\d+))?)?(?:-(?<prerelease>[\dA-Za-z.-]+))? *$/;

const parseClause = (text: string): Clause | undefined => {
  const parts = clausePattern.exec(text)?.groups;
  if (parts === undefined) return undefined;
  const { operator = '=', major, minor, patch, prerelease } = parts;
  const version = parseVersion(
    `${major}.${minor ?? 0}.${patch ?? 0}${prerelease === undefined ? '' : `-${prerelease}`}`,
  );
  if (version === undefined) return undefined;
  return {
    operator: operator as Operator,
    version,
    precision: [major, minor, patch].filter((number) => number !== undefined).length,
  };
};

/** Parses a version, a constraint or `latest`; undefined for any other text. */
export const parseWanted = (text: string): Wanted | undefined => {
  if (text.length > limits.version) return undefined;
  if (text === 'latest') return { kind: 'latest' };
  if (parseVersion(text) !== undefined) return { kind: 'exact', version: text };
  const clauses: Clause[] = [];
  for (const part of text.split(',')) {
    const clause = parseClause(part);
    if (clause === undefined) return undefined;
    clauses.push(clause);
  }
  return { kind: 'constraint', clauses };
};

/** Tells whether a text is a full version, which selects exactly one release. */
export const isExact = (text: string): boolean => parseWanted(text)?.kind === 'exact';

const orderings: Record<Exclude<Operator, '~>'>, (order: number) => boolean> = {
  '=': (order) => order === 0,
  '!=': (order) => order !== 0,
  '>': (order) => order > 0,
  '>=': (order) => order >= 0,
  '<': (order) => order < 0,
  '<=': (order) => order <= 0,
};

const isPrerelease = (version: SemanticVersion): boolean => version.prerelease.length > 0;

const admits = ({ operator, version, precision }: Clause, release: SemanticVersion): boolean => {
  const order = compareVersions(release, version);
  // A prerelease is selected only if it is named.
  if (isPrerelease(release)) return operator === '=' && order === 0;
  if (operator !== '~>') return orderings[operator](order);
  return (
    order >= 0 &&
    (precision < 2 || release.major === version.major) &&
    (precision < 3 || release.minor === version.minor)
  );
};

const parseAll = (versions: Iterable<string>): SemanticVersion[] =>
  [...versions].map(parseVersion).filter((version) => version !== undefined);

const newest = (releases: readonly SemanticVersion[]): string | undefined =>
  releases.reduce<SemanticVersion | undefined>(
    (best, release) => (best === undefined || compareVersions(release, best) > 0 ? release : best),
    undefined,
  )?.text;

/** Returns the newest release that is not a prerelease. */
export const newestStable = (releases: readonly string[]): string | undefined =>
  newest(parseAll(releases).filter((release) => !isPrerelease(release)));

/**
 * Selects the release that a text stands for: an exact version itself, known or not, else the newest known release that
 * meets the constraint.
 * @param text an exact version, a constraint or `latest`.
 * @returns undefined if no release matches, or if the text is invalid.
 * @example
 * resolveVersion('~> 1.5', ['1.4.7', '1.5.7', '1.6.0']); // '1.6.0'
 * resolveVersion('~> 1.5.0', ['1.4.7', '1.5.7', '1.6.0']); // '1.5.7'
 */
export const resolveVersion = (text: string, releases: readonly string[]): string | undefined => {
  const wanted = parseWanted(text);
  switch (wanted?.kind) {
    case undefined:
      return undefined;
    case 'latest':
      return newestStable(releases);
    case 'exact':
      return wanted.version;
    case 'constraint':
      return newest(parseAll(releases).filter((release) => wanted.clauses.every((clause) => admits(clause, release))));
  }
};

/**
 * Tells whether a release is an exact version, or meets a constraint. A constraint admits a prerelease only if it names it.
 * @param wanted an exact version or a constraint; no release meets any other text.
 */
export const meetsVersion = (release: string | undefined, wanted: string): boolean => {
  const parsed = parseWanted(wanted);
  const full = release === undefined ? undefined : parseVersion(release);
  if (full === undefined || parsed === undefined || parsed.kind === 'latest') return false;
  return parsed.kind === 'exact'
    ? full.text === parsed.version
    : parsed.clauses.every((clause) => admits(clause, full));
};

/** Tells whether a full version is at least the minimum; false for any other text. */
export const atLeast = (version: string, minimum: string): boolean => {
  const full = parseVersion(version);
  const least = parseVersion(minimum);
  return full !== undefined && least !== undefined && compareVersions(full, least) >= 0;
};

/** Tells whether a full version is older than another one; false for any other texts. */
export const isOlder = (version: string, other: string): boolean => atLeast(other, version) && !atLeast(version, other);

/** Sorts full versions, the newest last, and omits other texts. */
export const sortVersions = (versions: Iterable<string>): readonly string[] =>
  parseAll(versions)
    .sort(compareVersions)
    .map(({ text }) => text);
