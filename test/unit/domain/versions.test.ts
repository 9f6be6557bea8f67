import { test } from '@fast-check/vitest';
import fc from 'fast-check';
import semver from 'semver';
import { describe, expect } from 'vitest';
import { defaultReleases, knownReleases } from '../../../shared/domain/infra-versions/releases.ts';
import { compareVersions, parseVersion } from '../../../shared/domain/infra-versions/semantic-version.ts';
import {
  atLeast,
  isExact,
  isOlder,
  newestStable,
  parseWanted,
  resolveVersion,
  sortVersions,
} from '../../../shared/domain/infra-versions/versions.ts';
import { cpuSeconds } from '../../support/setup/deadline.ts';
import { bounded } from '../../support/setup/run-budget.ts';

const releases = [
  '0.15.3',
  '0.15.4',
  '1.4.7',
  '1.5.0',
  '1.5.7',
  '1.9.8',
  '1.10.0',
  '1.10.5',
  '2.0.0',
  '2.1.0-beta1',
  '2.1.0-rc2',
];

describe('resolveVersion', () => {
  test.each([
    ['latest', '2.0.0'],
    ['1.5.0', '1.5.0'],
    ['2.1.0-beta1', '2.1.0-beta1'],
    ['= 2.1.0-beta1', '2.1.0-beta1'],
    ['=1.5.0', '1.5.0'],
    [' 1.5.0 ', '1.5.0'],
    ['1.5', '1.5.0'],
    ['2', '2.0.0'],
    ['~> 1.5', '1.10.5'],
    ['~>1.5.0', '1.5.7'],
    ['~> 1.5.1', '1.5.7'],
    ['~> 1', '2.0.0'],
    ['~> 0.15', '0.15.4'],
    ['>= 1.5', '2.0.0'],
    ['>= 1.5, < 2', '1.10.5'],
    ['>=1.5,<2,!=1.10.5', '1.10.0'],
    ['  >  1.5.0  ,  <=  1.9.8  ', '1.9.8'],
    ['< 1.10', '1.9.8'],
    ['!= 2.0.0', '1.10.5'],
    ['> 2.0.0-beta1', '2.0.0'],
    ['>= 1.10.0-rc1, < 1.10.1', '1.10.0'],
    ['~> 1.5.0-beta1', '1.5.7'],
  ])('resolves "%s" to %s', (wanted, expected) => {
    expect(resolveVersion(wanted, releases)).toBe(expected);
  });

  test.each(['1.5.1', '2.1.0-beta2', '99.0.0', '1.10.7'])(
    'resolves "%s", which is no known release, to itself',
    (exact) => {
      expect(resolveVersion(exact, releases)).toBe(exact);
    },
  );

  test.each([
    '= 1.5.1',
    '= 3.0.0',
    '3',
    '> 2.0.0',
    '~> 1.11',
    '~> 1.5.8',
    '~> 3',
    '>= 2.1.0-beta1',
    '~> 2.1.0-beta1',
    '>= 1.5, < 1.5',
    '= 2.1.0-beta1, > 1',
    '= 1.5.0, = 1.5.7',
  ])('finds no release for "%s"', (wanted) => {
    expect(parseWanted(wanted)).toBeDefined();
    expect(resolveVersion(wanted, releases)).toBeUndefined();
  });

  test('finds nothing without stable releases', () => {
    expect(resolveVersion('latest', [])).toBeUndefined();
    expect(resolveVersion('>= 0', ['2.1.0-beta1'])).toBeUndefined();
    expect(newestStable(['2.1.0-beta1'])).toBeUndefined();
  });

  test('accepts releases in any order and ignores texts that are not versions', () => {
    expect(newestStable(['garbage', ...releases.toReversed(), 'v9.0.0', '9.0'])).toBe('2.0.0');
    expect(resolveVersion('>= 1', ['garbage', 'v9.0.0', '1.5.0', '1.4.7'])).toBe('1.5.0');
  });
});

describe('the syntax of versions', () => {
  test.each([
    ['1.5.0', 'exact'],
    ['1.15.0-beta1', 'exact'],
    ['1.5', 'constraint'],
    ['= 1.5.0', 'constraint'],
    ['~> 1.5', 'constraint'],
    ['1.5.0, 1.5.0', 'constraint'],
    ['latest', 'latest'],
  ])('parses "%s" as the kind %s', (text, kind) => {
    expect(parseWanted(text)?.kind).toBe(kind);
    expect(parseWanted(text)).toBeDefined();
    expect(isExact(text)).toBe(kind === 'exact');
  });

  test.each([
    '',
    ' ',
    ',',
    '>= 1.5,',
    ', 1.5',
    '>= 1.5,, < 2',
    '>=',
    '> = 1.5',
    '=> 1.5',
    '== 1.5',
    '~ 1.5',
    '^1.5',
    '>= 1.5 < 2',
    '>= 1.5 || < 1',
    '1.x',
    '1.5.*',
    '1.5.0.0',
    '1..5',
    '1.',
    '.5',
    '-1',
    '1.5.0-',
    '1.5.0-a..b',
    '1.5.0-01',
    '01.5.0',
    'v1.5.0',
    '1.5.0+build',
    '1.5.0\n',
    '99999999999999999999.0.0',
    'LATEST',
    ' latest',
    'newest',
    '١.٥.٠',
  ])('rejects %j', (text) => {
    expect(parseWanted(text)).toBeUndefined();
    expect(parseWanted(text)).toBeUndefined();
    expect(isExact(text)).toBe(false);
    expect(resolveVersion(text, releases)).toBeUndefined();
  });

  test('rejects a text of more than 255 characters', () => {
    const clauses = (length: number) =>
      '>=1,'
        .repeat(64)
        .slice(0, length - 1)
        .padEnd(length, ' ');
    expect(parseWanted(`${clauses(248)}, < 9.9`)).toBeDefined();
    expect(`${clauses(248)}, < 9.9`).toHaveLength(255);
    expect(parseWanted(`${clauses(249)}, < 9.9`)).toBeUndefined();
  });
});

describe('atLeast', () => {
  test.each([
    ['0.15.4', true],
    ['0.15.5', true],
    ['1.0.0', true],
    ['0.15.3', false],
    ['0.15.4-rc1', false],
    ['0.9.11', false],
    ['latest', false],
    ['~> 1.5', false],
    ['', false],
  ])('comparing "%s" with the minimum 0.15.4 returns %s', (version, expected) => {
    expect(atLeast(version, '0.15.4')).toBe(expected);
  });
});

describe('isOlder', () => {
  test.each([
    ['1.9.8', '1.10.0', true],
    ['1.10.0-rc1', '1.10.0', true],
    ['1.10.0', '1.10.0', false],
    ['1.10.1', '1.10.0', false],
    ['~> 1.9', '1.10.0', false],
    ['1.9.8', '', false],
  ])('comparing "%s" with "%s" returns %s', (version, other, expected) => {
    expect(isOlder(version, other)).toBe(expected);
  });
});

describe('the releases of an installation', () => {
  test('are the default releases, sorted and without repetition', () => {
    expect(defaultReleases[0]).toBe('0.10.0');
    expect(defaultReleases).toContain('1.5.7');
    expect(defaultReleases).not.toContain('1.5.8');
    expect(defaultReleases).toEqual(sortVersions(new Set(defaultReleases)));
    expect(defaultReleases.at(-1)).toBe(newestStable(defaultReleases));
    expect(knownReleases({ added: [], removed: [] })).toEqual(defaultReleases);
  });

  test('contain added releases and omit removed ones', () => {
    const listIndex = knownReleases({
      added: ['99.0.0', '1.5.8', '99.0.0-rc1', '1.5.0', 'garbage', '99.1.0'],
      removed: ['1.5.7', '99.1.0', 'never-there'],
    });
    expect(listIndex).toHaveLength(defaultReleases.length + 2);
    expect(listIndex.slice(-2)).toEqual(['99.0.0-rc1', '99.0.0']);
    expect(resolveVersion('~> 1.5.0', listIndex)).toBe('1.5.8');
    expect(resolveVersion('= 1.5.7', listIndex)).toBeUndefined();
    expect(resolveVersion('= 99.1.0', listIndex)).toBeUndefined();
  });
});

describe('for every constraint, resolveVersion', () => {
  // A model of its own: a version is a triple and perhaps a prerelease number, and `~>` is the range it stands for.
  type Triple = readonly [number, number, number];
  interface Release {
    readonly numbers: Triple;
    readonly prerelease: number | undefined;
  }
  interface Clause {
    readonly operator: '' | '=' | '!=' | '>' | '>=' | '<' | '<=' | '~>';
    readonly numbers: readonly [number, ...number[]];
    readonly spaces: string;
  }

  const write = ({ numbers, prerelease }: Release) =>
    numbers.join('.') + (prerelease === undefined ? '' : `-rc${prerelease}`);
  const rank = ([major = 0, minor = 0, patch = 0]: readonly number[]) => major * 10_000 + minor * 100 + patch;

  const holds = ({ operator, numbers }: Clause, release: Triple): boolean => {
    const have = rank(release);
    const want = rank(numbers);
    if (operator === '' || operator === '=') return have === want;
    if (operator === '!=') return have !== want;
    if (operator === '>') return have > want;
    if (operator === '>=') return have >= want;
    if (operator === '<') return have < want;
    if (operator === '<=') return have <= want;
    const [major, minor] = numbers;
    const end = [Number.POSITIVE_INFINITY, rank([major + 1]), rank([major, (minor ?? 0) + 1])][numbers.length - 1] ?? 0;
    return have >= want && have < end;
  };

  const number = fc.integer({ min: 0, max: 12 });
  const triples = fc.tuple(number, number, number);
  const listIndexes = fc.uniqueArray(
    fc.record<Release>({ numbers: triples, prerelease: fc.option(fc.integer({ min: 1, max: 2 }), { nil: undefined }) }),
    { selector: write, maxLength: 30 },
  );
  const clauses = fc.record<Clause>({
    operator: fc.constantFrom('', '=', '!=', '>', '>=', '<', '<=', '~>'),
    numbers: fc.oneof(fc.tuple(number), fc.tuple(number, number), triples),
    spaces: fc.constantFrom('', ' ', '  '),
  });
  const constraints = fc.array(clauses, { minLength: 1, maxLength: 4 });
  const text = (all: readonly Clause[]) =>
    all.map(({ operator, numbers, spaces }) => `${spaces}${operator}${spaces}${numbers.join('.')}${spaces}`).join(',');

  test.prop([constraints, listIndexes], bounded(200))(
    'returns the newest stable release that satisfies it',
    (constraint, all) => {
      const meeting = all.filter(
        ({ numbers, prerelease }) => prerelease === undefined && constraint.every((clause) => holds(clause, numbers)),
      );
      const chosen = resolveVersion(text(constraint), all.map(write));
      const wanted = parseWanted(text(constraint));
      expect(wanted).toBeDefined();
      // A full version without an operator is no constraint: it stands for itself.
      if (wanted?.kind === 'exact') {
        expect(chosen).toBe(wanted.version);
        return;
      }
      expect(chosen !== undefined).toBe(meeting.length > 0);
      if (chosen === undefined) return;
      const best = meeting.find((release) => write(release) === chosen);
      expect(best).toBeDefined();
      expect(meeting.every(({ numbers }) => rank(numbers) <= rank(best?.numbers ?? []))).toBe(true);
    },
  );

  test.prop([listIndexes, fc.nat()])(
    'returns an exact version, also a prerelease, whether or not it was released',
    (all, pick) => {
      const written = all.map(write);
      const wanted = written[pick % Math.max(written.length, 1)] ?? '1.0.0';
      const others = written.filter((release) => release !== wanted);
      for (const known of [written, others]) expect(resolveVersion(wanted, known)).toBe(wanted);
      expect(resolveVersion(`= ${wanted}`, written)).toBe(written.length === 0 ? undefined : wanted);
      expect(resolveVersion(`= ${wanted}`, others)).toBeUndefined();
    },
  );

  test.prop([triples, triples])('agrees with atLeast about the order of versions', (version, minimum) => {
    expect(atLeast(version.join('.'), minimum.join('.'))).toBe(rank(version) >= rank(minimum));
  });
});

describe('for every text, resolveVersion', () => {
  const pieces = fc.constantFrom(
    '=',
    '!',
    '<',
    '>',
    '~',
    ',',
    '.',
    '-',
    ' ',
    '0',
    '1',
    '25',
    'beta',
    'latest',
    '\n',
    '+',
  );
  const texts = fc.oneof(
    fc.string({ unit: 'binary' }),
    fc.array(pieces, { maxLength: 40 }).map((all) => all.join('')),
  );

  test.prop([texts, fc.array(texts)])('throws nothing and returns only releases', (text, garbage) => {
    const all = [...garbage, ...releases];
    const resolved = resolveVersion(text, all);
    if (resolved !== undefined) {
      expect(parseWanted(text)).toBeDefined();
      expect(all).toContain(resolved);
    }
    expect(atLeast(text, '0.15.4')).toBeTypeOf('boolean');
    expect(isExact(text)).toBe(parseWanted(text)?.kind === 'exact');
    expect(sortVersions(all)).toEqual(expect.arrayContaining(releases));
  });

  test.each([' ', '1', '.', ',', '>=1,', '1.', '-', '1-', '~', '1 '])(
    'parses many repetitions of %j without backtracking',
    async (piece) => {
      const long = piece.repeat(500_000);
      const seconds = await cpuSeconds(() => {
        expect(parseWanted(long)).toBeUndefined();
        expect(parseWanted(`${long.slice(0, 254)}!`)).toBeUndefined();
      });
      expect(seconds).toBeLessThan(5);
    },
  );
});

describe('for every text, parseVersion and compareVersions', () => {
  const numbers = fc.oneof(
    fc.constantFrom('0', '1', '9', '10', '01', '9007199254740992'),
    fc.stringMatching(/^\d{1,3}$/),
  );
  const identifiers = fc.oneof(fc.constantFrom('a', 'A', 'rc', 'rc1', '-', '0', '2', '10', '02', '2a', ''), numbers);
  const versions = fc
    .tuple(fc.array(numbers, { minLength: 2, maxLength: 4 }), fc.array(identifiers, { maxLength: 3 }))
    .map(([parts, prerelease]) =>
      [parts.join('.'), ...(prerelease.length > 0 ? [prerelease.join('.')] : [])].join('-'),
    );

  test.prop([versions, versions])('agree with the package semver', (one, other) => {
    for (const text of [one, other]) {
      expect(parseVersion(text)?.text).toBe(semver.parse(text)?.version === text ? text : undefined);
    }
    const [left, right] = [parseVersion(one), parseVersion(other)];
    if (left && right) expect(compareVersions(left, right)).toBe(semver.compare(one, other));
  });
});
