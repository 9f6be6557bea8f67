import type SemVer from 'semver/classes/semver.js';
import compare from 'semver/functions/compare.js';
import parse from 'semver/functions/parse.js';
import { limits } from '../limits.ts';

/**
 * Which release of the infra tool a workspace uses (`infra-version`, WS-38 and WS-39): an exact version, `latest`, or a
 * constraint in HashiCorp's syntax, which is not npm's: clauses joined by `,` must all hold, and `~> 1.5` lets only the
 * rightmost number given grow: `>= 1.5, < 2`.
 */

type Operator = '=' | '!=' | '>' | '>=' | '<' | '<=' | '~>';

interface Clause {
  readonly operator: Operator;
  /** A partial version is padded: `1.5` is 1.5.0. */
  readonly version: SemVer;
  /** How many numbers were given, 1 to 3: `~>` depends on it. */
  readonly precision: number;
}

export type Wanted =
  | { readonly kind: 'latest' }
  | { readonly kind: 'exact'; readonly version: string }
  | { readonly kind: 'constraint'; readonly clauses: readonly Clause[] };

/** A full version as it is written, `1.5.7` or `1.15.0-beta1`: no padding, no `v`, no build metadata. */
const parseFull = (text: string): SemVer | undefined => {
  const version = parse(text);
  return version?.version === text ? version : undefined;
};

/** Every part is told from the next by its first character, so that matching never goes back. */
const clausePattern =
  /^ *(?:(?<operator>=|!=|>=?|<=?|~>) *)?(?<major>\d+)(?:\.(?<minor>\d+)(?:\.(?<patch>\d+))?)?(?:-(?<prerelease>[\dA-Za-z.-]+))? *$/;

const parseClause = (text: string): Clause | undefined => {
  const parts = clausePattern.exec(text)?.groups;
  if (parts === undefined) return undefined;
  const { operator = '=', major, minor, patch, prerelease } = parts;
  const version = parse(`${major}.${minor ?? 0}.${patch ?? 0}${prerelease === undefined ? '' : `-${prerelease}`}`);
  if (version === null) return undefined;
  return {
    operator: operator as Operator,
    version,
    precision: [major, minor, patch].filter((number) => number !== undefined).length,
  };
};

/** What a text asks for; undefined where it is neither a version, nor a constraint, nor `latest`. */
export const parseWanted = (text: string): Wanted | undefined => {
  if (text.length > limits.version) return undefined;
  if (text === 'latest') return { kind: 'latest' };
  if (parseFull(text) !== undefined) return { kind: 'exact', version: text };
  const clauses: Clause[] = [];
  for (const part of text.split(',')) {
    const clause = parseClause(part);
    if (clause === undefined) return undefined;
    clauses.push(clause);
  }
  return { kind: 'constraint', clauses };
};

export const isVersionSyntax = (text: string): boolean => parseWanted(text) !== undefined;

/** Whether a text is one full version, which is then the only release it can mean. */
export const isExact = (text: string): boolean => parseWanted(text)?.kind === 'exact';

const orderings: Record<Exclude<Operator, '~>'>, (order: number) => boolean> = {
  '=': (order) => order === 0,
  '!=': (order) => order !== 0,
  '>': (order) => order > 0,
  '>=': (order) => order >= 0,
  '<': (order) => order < 0,
  '<=': (order) => order <= 0,
};

const isPrerelease = (version: SemVer): boolean => version.prerelease.length > 0;

const admits = ({ operator, version, precision }: Clause, release: SemVer): boolean => {
  const order = compare(release, version);
  // Nobody gets a prerelease without naming it.
  if (isPrerelease(release)) return operator === '=' && order === 0;
  if (operator !== '~>') return orderings[operator](order);
  return (
    order >= 0 &&
    (precision < 2 || release.major === version.major) &&
    (precision < 3 || release.minor === version.minor)
  );
};

const parseAll = (versions: Iterable<string>): SemVer[] =>
  [...versions].map(parseFull).filter((version) => version !== undefined);

const newest = (releases: readonly SemVer[]): string | undefined =>
  releases.reduce<SemVer | undefined>(
    (best, release) => (best === undefined || compare(release, best) > 0 ? release : best),
    undefined,
  )?.version;

export const newestStable = (releases: readonly string[]): string | undefined =>
  newest(parseAll(releases).filter((release) => !isPrerelease(release)));

/**
 * The release in force: an exact version itself if it was released, else the newest release that meets the constraint.
 * Undefined where there is none, or where the text is no version syntax.
 */
export const resolveVersion = (text: string, releases: readonly string[]): string | undefined => {
  const wanted = parseWanted(text);
  switch (wanted?.kind) {
    case undefined:
      return undefined;
    case 'latest':
      return newestStable(releases);
    case 'exact':
      return releases.includes(wanted.version) ? wanted.version : undefined;
    case 'constraint':
      return newest(parseAll(releases).filter((release) => wanted.clauses.every((clause) => admits(clause, release))));
  }
};

/** Whether a full version is the minimum or later; false for anything but a full version. */
export const atLeast = (version: string, minimum: string): boolean => {
  const full = parseFull(version);
  return full !== undefined && compare(full, minimum) >= 0;
};

/** Full versions in order, the newest last; anything else is left out. */
export const sortVersions = (versions: Iterable<string>): readonly string[] =>
  parseAll(versions)
    .sort(compare)
    .map(({ version }) => version);
