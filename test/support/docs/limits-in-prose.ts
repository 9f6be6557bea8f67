import { limits } from '../../../shared/domain/limits.ts';

/**
 * Sentences of the documentation that state a limit in prose, outside of the generated tables. The check compares them
 * with the limits, and finds other statements of the reference with the number of a limit.
 */

const size = (bytes: number): string =>
  bytes % 2 ** 20 === 0 ? `${bytes / 2 ** 20} MiB` : `${(bytes / 2 ** 10).toLocaleString('en')} KiB`;
const number = (limit: number): string => limit.toLocaleString('en');

/** Parts of sentences that state limits, by page. Line breaks do not count. */
const statements: Readonly<Record<string, readonly string[]>> = {
  'docs/concepts/locks.md': [`a reason of at most ${number(limits.lockReason)} characters`],
  'docs/concepts/state.md': [`of more than ${size(limits.state)}`, `Content is at most ${size(limits.state)}`],
  'docs/concepts/tags.md': [
    `It has 1 to ${number(limits.tagName)} letters`,
    `A workspace has at most ${number(limits.tags)} flat tags`,
    `A workspace has at most ${number(limits.bindings)} bindings of its own`,
    `A project has at most ${number(limits.bindings)} bindings`,
  ],
  'docs/concepts/variables.md': [`The value is at most ${size(limits.variableValue)}`],
  'docs/concepts/workspaces.md': [`at most ${number(limits.workspaceName)} characters`],
  'docs/reference/agent-pools-and-vcs-connections.md': [
    `a name of up to ${number(limits.recordName)} letters`,
    `lists of up to ${number(limits.agentPoolScope)} resource identifiers`,
    `a list of up to ${number(limits.vcsConnectionProjects)} resource identifiers`,
  ],
  'docs/reference/authentication.md': [`\`description\` has at most ${number(limits.recordDescription)} characters`],
  'docs/reference/data-retention.md': [`from 1 to ${number(limits.retentionDays)}`],
  'docs/reference/http.md': [
    `a string in double quotes of 1 to ${number(limits.idempotencyKey)} printable`,
    `A body has at most ${size(limits.body)}, or ${size(limits.bodyWithState)} when a state`,
    `A response body has at most ${number(limits.responseBody)} bytes`,
  ],
  'docs/reference/lists.md': [
    `A filter takes at most ${number(limits.filterValues)} values of at most ${number(limits.filterValue)} characters`,
  ],
  'docs/reference/locks.md': [`has at most ${number(limits.lockReason)} characters`],
  'docs/reference/bulk-jobs.md': [
    `either \`ids\`, at most ${number(limits.jobIds)},`,
    `More than ${number(limits.jobItems)} workspaces fail`,
    `per second, from 1 to ${number(limits.jobRate)};`,
  ],
  'docs/reference/login.md': [
    `valid for ${number(limits.codeSeconds)} seconds`,
    `A user has at most ${number(limits.loginTokens)} tokens of logins`,
    `which is ${number(limits.deviceSeconds)} seconds`,
    `After ${number(limits.deviceTries)} wrong codes`,
  ],
  'docs/reference/organizations.md': [
    `1 to ${number(limits.organizationName)} letters`,
    `has up to ${number(limits.username)} letters`,
  ],
  'docs/reference/projects.md': [`The description has at most ${number(limits.recordDescription)} characters`],
  'docs/reference/sessions.md': [
    `A session has at most ${number(limits.sessionTokens)} tokens`,
    `More than ${number(limits.groups)} groups`,
  ],
  'docs/reference/state-versions.md': [
    `larger than ${size(limits.state)}`,
    `A request to create a version has at most ${size(limits.bodyWithState)}`,
  ],
  'docs/reference/tags.md': [
    `The name of a flat tag has 1 to ${number(limits.tagName)} characters`,
    `A binding key has 1 to ${number(limits.bindingKey)} characters, a value up to ${number(limits.bindingValue)}`,
    `A workspace has at most ${number(limits.tags)} flat tags and ${number(limits.bindings)} bindings`,
    `a project has at most ${number(limits.bindings)} bindings`,
    `One request takes at most ${number(limits.tagElements)} elements`,
    `up to ${number(limits.tagElements)} workspaces`,
    `manage up to ${number(limits.reservedTagKeys)} tag keys`,
  ],
  'docs/reference/teams.md': [
    `a name of 1 to ${number(limits.recordName)} letters`,
    `take at most ${number(limits.membersAtOnce)} elements`,
  ],
  'docs/reference/variables.md': [
    `the rest has 1 to ${number(limits.variableKey)} characters`,
    `A description has at most ${number(limits.variableDescription)} characters`,
    `a value at most ${size(limits.variableValue)}`,
    `A workspace has at most ${number(limits.variables)} variables`,
    `It has at most ${number(limits.valueReference)} characters`,
  ],
  'docs/reference/workspaces.md': [
    `A name has 1 to ${number(limits.workspaceName)} characters`,
    `moves up to ${number(limits.movedWorkspaces)} workspaces`,
  ],
};

/** Statements of the reference whose number equals a limit by chance, from the words before the number. */
const otherNumbers: readonly string[] = [
  'workspaces (100, at most 200',
  'Values of more than 500 characters',
  'while the team has more than 40 tokens',
  'the user has more than 40 tokens',
  'Events about consumers name up to 20 ids',
  'a request with more than 40 has several such events',
  'if they are at most 20',
  'A value of more than 2,048 bytes is shown',
  'reads at most 1,000 entries',
  'in two rounds: at most 1,000 workspaces',
  'newest first, with at most 1,000 entries each',
  'If more than 100 rows changed',
  'or more with more than 100 rows',
  'if that was at most 10 seconds ago',
  'A reason of more than 100 characters is stored apart',
  'An assignment of more than 40 elements',
  'Outputs larger than 5 MB in total',
];

const STATEMENT =
  /(?:at most|up to|(?:more|longer|larger) than|(?<![\d.])1 to) (\d[\d,]*\d|\d)( [KM]iB)?(?![\d.]*\d)[^.;:]{0,12}/g;

const numbers = new Set(Object.values(limits).flatMap((limit) => [number(limit), size(limit)]));

/** Writes a page in one line. */
const proseOf = (text: string): string => text.replaceAll(/\s+/g, ' ');

/** Finds statements of limits that a page lacks or states with another number. */
export const missingStatements = (page: string, text: string): readonly string[] =>
  (statements[page] ?? []).filter((statement) => !proseOf(text).includes(statement));

/** Finds statements with the number of a limit that no check compares with the limit. */
export const unknownStatements = (page: string, text: string): readonly string[] => {
  const known = [...(statements[page] ?? []), ...otherNumbers];
  const rest = known.reduce((prose, statement) => prose.replaceAll(statement, ''), proseOf(text));
  return [...rest.matchAll(STATEMENT)]
    .filter(([, digits, unit = '']) => numbers.has(`${digits}${unit}`))
    .map(([statement]) => statement);
};

/** Pages with statements of limits. */
export const pagesWithLimits: readonly string[] = Object.keys(statements);
