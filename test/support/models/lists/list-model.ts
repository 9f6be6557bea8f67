import * as fc from 'fast-check';

/** Reference model of lists: evaluates every rule on every row, without an index. */
export interface ModelRow {
  readonly id: string;
  readonly name: string;
  readonly project: string;
  /** Flat tags have null. */
  readonly tags: Readonly<Record<string, string | null>>;
  readonly runStatus: string | null;
  readonly runAt: number | null;
  readonly createdAt: number;
  /** Without a state, the time of the creation. */
  readonly latestChangeAt: number;
  readonly lockedBy: string | null;
  readonly lockedAt: number | null;
  /** Null inherits. */
  readonly executionMode: 'remote' | 'local' | null;
  readonly deletionProtection: boolean | null;
  readonly infraVersion: string;
  /** Null was not imported. */
  readonly importedFrom: { readonly host: string; readonly id: string } | null;
  /** Ids of teams that may read it. */
  readonly teams: readonly string[];
}

export interface ModelProject {
  readonly id: string;
  readonly bindings: Readonly<Record<string, string>>;
  readonly defaultExecutionMode: 'remote' | 'local' | null;
  readonly defaultDeletionProtection: boolean | null;
  readonly teams: readonly string[];
}

/** A query, before it is spelt; undefined parts are left out. */
export interface ModelQuery {
  readonly name?: string | undefined;
  readonly wildcard?: string | undefined;
  readonly tags?: readonly string[] | undefined;
  readonly excludedTags?: readonly string[] | undefined;
  readonly project?: string | undefined;
  readonly statuses?: readonly string[] | undefined;
  readonly locked?: boolean | undefined;
  readonly lockedBy?: string | undefined;
  readonly lockedSince?: number | undefined;
  readonly lockedBefore?: number | undefined;
  readonly changedSince?: number | undefined;
  readonly changedBefore?: number | undefined;
  readonly modes?: readonly string[] | undefined;
  readonly version?: string | undefined;
  readonly isProtected?: boolean | undefined;
  readonly sourceHost?: string | undefined;
  readonly sourceId?: string | undefined;
  readonly tagged?: readonly { readonly key: string; readonly value?: string | undefined }[] | undefined;
  readonly sort?: string | undefined;
}

const literally = (text: string): string => text.replaceAll(/[^a-z0-9]/gi, '\\$&');
/** As a regular expression: what the service must not do. */
export const matchesWildcard = (pattern: string, name: string): boolean =>
  new RegExp(`^${pattern.split('*').map(literally).join('.*')}$`, 'is').test(name);

/** Defaults of the organization with which the queries are evaluated. Versions are exact, so no releases are needed. */
export const MODEL_CONTEXT = {
  organization: { defaultExecutionMode: 'remote', defaultDeletionProtection: false },
  releases: [],
} as const;

/** Returns the versions that a filter finds. The model has one constraint. */
const admitted = (version: string): readonly string[] => (version === '< 1.9.0' ? ['1.8.0'] : [version]);

const inForce = (row: ModelRow, project: ModelProject | undefined) => ({ ...project?.bindings, ...row.tags });

const hasState = ({ createdAt, latestChangeAt }: ModelRow): boolean => createdAt !== latestChangeAt;

const matches = (row: ModelRow, project: ModelProject | undefined, query: ModelQuery): boolean => {
  const tags = Object.keys(row.tags);
  return (
    (!query.name || row.name.toLowerCase().includes(query.name.toLowerCase())) &&
    (!query.wildcard || matchesWildcard(query.wildcard, row.name)) &&
    (query.tags ?? []).every((tag) => tags.includes(tag)) &&
    (query.excludedTags ?? []).every((tag) => !tags.includes(tag)) &&
    (!query.project || row.project === query.project) &&
    (!query.statuses?.length || query.statuses.includes(row.runStatus ?? '')) &&
    (query.locked === undefined || query.locked === (row.lockedBy !== null)) &&
    (!query.lockedBy || row.lockedBy === query.lockedBy) &&
    (query.lockedSince === undefined || (row.lockedAt !== null && row.lockedAt >= query.lockedSince)) &&
    (query.lockedBefore === undefined || (row.lockedAt !== null && row.lockedAt < query.lockedBefore)) &&
    (query.changedSince === undefined || (hasState(row) && row.latestChangeAt >= query.changedSince)) &&
    (query.changedBefore === undefined || (hasState(row) && row.latestChangeAt < query.changedBefore)) &&
    (!query.modes?.length || query.modes.includes(row.executionMode ?? project?.defaultExecutionMode ?? 'remote')) &&
    (!query.version || admitted(query.version).includes(row.infraVersion)) &&
    (query.isProtected === undefined ||
      query.isProtected === (row.deletionProtection ?? project?.defaultDeletionProtection ?? false)) &&
    (!query.sourceHost || row.importedFrom?.host === query.sourceHost) &&
    (!query.sourceId || row.importedFrom?.id === query.sourceId) &&
    (query.tagged ?? []).every(({ key, value }) =>
      Object.entries(inForce(row, project)).some(([one, its]) => one === key && (!value || its === value)),
    )
  );
};

type Key = string | number | null;
const compare = (a: Key, b: Key): number => (a === b ? 0 : a === null ? 1 : b === null ? -1 : a < b ? -1 : 1);

const keyOf = (row: ModelRow, attribute: string): Key =>
  ({
    name: row.name,
    'latest-change-at': row.latestChangeAt,
    'locked-at': row.lockedAt,
    'current-run.created-at': row.runAt,
  })[attribute] ?? null;

/** The rows of a list, in order. `teams` are the caller's; undefined: it may read everything. */
export const expectedRows = (
  rows: readonly ModelRow[],
  projects: readonly ModelProject[],
  query: ModelQuery,
  teams?: readonly string[],
): ModelRow[] => {
  const sort = query.sort ?? 'name';
  const attribute = sort.replace(/^-/, '');
  return rows
    .filter((row) => {
      const project = projects.find(({ id }) => id === row.project);
      const mayRead =
        teams === undefined || teams.some((team) => row.teams.includes(team) || project?.teams.includes(team));
      return mayRead && matches(row, project, query);
    })
    .sort((a, b) => {
      const [first, second] = [keyOf(a, attribute), keyOf(b, attribute)];
      const backwards = sort.startsWith('-') && first !== null && second !== null;
      return (backwards ? compare(second, first) : compare(first, second)) || compare(a.id, b.id);
    });
};

const spellTime = (time: number | undefined): string | undefined =>
  time === undefined ? undefined : new Date(time).toISOString();

/** The parameters of a query, as a client might spell them. */
export const spell = (query: ModelQuery, encoded = true): string => {
  const parameters: [string, string | undefined][] = [
    ['search[name]', query.name],
    ['search[wildcard-name]', query.wildcard],
    ['search[tags]', query.tags?.join(',')],
    ['search[exclude-tags]', query.excludedTags?.join(' , ')],
    ['filter[project][id]', query.project],
    ['filter[current-run][status]', query.statuses?.join(',')],
    ['filter[locked]', query.locked?.toString()],
    ['filter[locked-by][id]', query.lockedBy],
    ['filter[locked-since]', spellTime(query.lockedSince)],
    ['filter[locked-before]', spellTime(query.lockedBefore)],
    ['filter[changed-since]', spellTime(query.changedSince)],
    ['filter[changed-before]', spellTime(query.changedBefore)],
    ['filter[execution-mode]', query.modes?.join(',')],
    [query.version === '1.9.8' ? 'filter[terraform-version]' : 'filter[infra-version]', query.version],
    ['filter[deletion-protection]', query.isProtected?.toString()],
    ['filter[imported-from][host]', query.sourceHost],
    ['filter[imported-from][id]', query.sourceId],
    ...(query.tagged ?? []).flatMap(({ key, value }, index): [string, string | undefined][] => [
      [`filter[tagged][${index}][key]`, key],
      [`filter[tagged][${index}][value]`, value],
    ]),
    ['sort', query.sort],
  ];
  return parameters
    .filter((pair): pair is [string, string] => pair[1] !== undefined)
    .map(([name, value]) => `${encoded ? encodeURIComponent(name) : name}=${encodeURIComponent(value)}`)
    .join('&');
};

const TAGS = ['env', 'Env', 'team', 'cost:center', 'x_1'];
const VALUES = ['prod', 'dev', 'Prod'];
const STATUSES = ['applied', 'planned', 'errored'];
const HOLDERS = ['user-a', 'run-b'];
const HOSTS = ['app.terraform.io', 'states'];
const SOURCE_IDS = ['ws-1', 'env:/prod/net', 'states'];
export const ROW_TEAMS = ['team-a', 'team-b'];

/** Few letters, so that names are alike; the same few times and tags, so that ties and hits are common. */
const name = fc.stringMatching(/^[abAB_-]{1,6}$/);
const time = fc.integer({ min: 1, max: 4 }).map((units) => 1_700_000_000_000 + units);
const tags = fc.dictionary(fc.constantFrom(...TAGS), fc.option(fc.constantFrom(...VALUES)), { maxKeys: 4 });
const teams = fc.subarray(ROW_TEAMS);

export const modelRow = (projects: readonly string[]): fc.Arbitrary<Omit<ModelRow, 'id'>> =>
  fc
    .record({
      name,
      project: fc.constantFrom(...projects),
      tags,
      runStatus: fc.option(fc.constantFrom(...STATUSES)),
      runAt: time,
      createdAt: time,
      latestChangeAt: time,
      lockedBy: fc.option(fc.constantFrom(...HOLDERS)),
      lockedAt: time,
      executionMode: fc.option(fc.constantFrom('remote', 'local')),
      deletionProtection: fc.option(fc.boolean()),
      infraVersion: fc.constantFrom('1.9.8', '1.8.0'),
      importedFrom: fc.option(fc.record({ host: fc.constantFrom(...HOSTS), id: fc.constantFrom(...SOURCE_IDS) })),
      teams,
    })
    .map((row) => ({
      ...row,
      runAt: row.runStatus === null ? null : row.runAt,
      lockedAt: row.lockedBy === null ? null : row.lockedAt,
    }));

export const modelProject = (id: string): fc.Arbitrary<ModelProject> =>
  fc.record({
    id: fc.constant(id),
    bindings: fc.dictionary(fc.constantFrom(...TAGS), fc.constantFrom(...VALUES), { maxKeys: 2 }),
    defaultExecutionMode: fc.option(fc.constantFrom('remote', 'local')),
    defaultDeletionProtection: fc.option(fc.boolean()),
    teams,
  });

const optional = <T>(of: fc.Arbitrary<T>) => fc.option(of, { nil: undefined, freq: 2 });

export const modelQuery = (projects: readonly string[]): fc.Arbitrary<ModelQuery> =>
  fc.record({
    name: optional(fc.oneof(fc.stringMatching(/^[abAB_-]{0,3}$/), fc.constant('%'))),
    wildcard: optional(fc.stringMatching(/^[abAB_*.-]{0,6}$/)),
    tags: optional(fc.subarray([...TAGS, 'absent'], { maxLength: 2 })),
    excludedTags: optional(fc.subarray([...TAGS, 'absent'], { maxLength: 2 })),
    project: optional(fc.constantFrom(...projects, 'prj-absent', '')),
    statuses: optional(fc.subarray([...STATUSES, 'canceled'])),
    locked: optional(fc.boolean()),
    lockedBy: optional(fc.constantFrom(...HOLDERS, 'user-absent', '')),
    lockedSince: optional(time),
    lockedBefore: optional(time),
    changedSince: optional(time),
    changedBefore: optional(time),
    modes: optional(fc.subarray(['remote', 'local', 'agent'])),
    version: optional(fc.constantFrom('1.9.8', '1.8.0', '1.0.0', '< 1.9.0')),
    isProtected: optional(fc.boolean()),
    sourceHost: optional(fc.constantFrom(...HOSTS, 'App.terraform.io', '')),
    sourceId: optional(fc.constantFrom(...SOURCE_IDS, 'ws-', '')),
    tagged: optional(
      fc.array(fc.record({ key: fc.constantFrom(...TAGS), value: optional(fc.constantFrom(...VALUES, '')) }), {
        maxLength: 2,
      }),
    ),
    sort: optional(
      fc.constantFrom(
        ...['name', 'current-run.created-at', 'latest-change-at', 'locked-at'].flatMap((attribute) => [
          attribute,
          `-${attribute}`,
        ]),
      ),
    ),
  });
