import { limits } from '../../../shared/domain/limits.ts';
import { MAX_PAGE_SIZE } from '../../../shared/jsonapi/pagination.ts';
import { markdownTable } from './generated-tables.ts';

const groups = ['workspace-limits', 'variable-limits', 'directory-limits', 'request-limits'] as const;

const numbers = { ...limits, pageSize: MAX_PAGE_SIZE };
type Limit = keyof typeof numbers;

/** Subject of each limit in the reference, with its table and its unit. The rows have the order of the entries. */
const subjects: Readonly<
  Record<
    Limit,
    readonly [
      group: (typeof groups)[number],
      subject: string,
      unit?: 'bytes' | 'days' | 'milliseconds' | 'minutes' | 'seconds',
    ]
  >
> = {
  workspaceName: ['workspace-limits', 'name'],
  description: ['workspace-limits', 'description'],
  lockReason: ['workspace-limits', 'lock reason'],
  leaseSeconds: ['workspace-limits', 'lease of a lock', 'seconds'],
  workingDirectory: ['workspace-limits', 'working directory'],
  branch: ['workspace-limits', 'branch'],
  identifier: ['workspace-limits', 'repository identifier'],
  sourceName: ['workspace-limits', 'source name'],
  sourceUrl: ['workspace-limits', 'source URL'],
  importedText: ['workspace-limits', 'host, organization, name, author and commit of the source of an import'],
  importedId: ['workspace-limits', 'id at the source of an import'],
  jobItems: ['workspace-limits', 'number of workspaces of a bulk job'],
  jobIds: ['workspace-limits', 'number of workspaces that a bulk job names by id'],
  jobRate: ['workspace-limits', 'number of workspaces that a bulk job changes within a second'],
  jobNote: ['workspace-limits', 'note of a bulk job'],
  version: ['workspace-limits', 'version of the infrastructure tool'],
  tagsRegex: ['workspace-limits', 'tags regex'],
  patterns: ['workspace-limits', 'number of trigger patterns, and of trigger prefixes'],
  pattern: ['workspace-limits', 'trigger pattern or prefix'],
  tagName: ['workspace-limits', 'flat tag'],
  bindingKey: ['workspace-limits', 'binding key'],
  bindingValue: ['workspace-limits', 'binding value'],
  tags: ['workspace-limits', 'number of flat tags'],
  bindings: ['workspace-limits', 'number of bindings of a workspace or project'],
  tagElements: ['workspace-limits', 'number of elements in a request for tags'],
  retentionDays: ['workspace-limits', 'retention of state versions', 'days'],
  variableKey: ['variable-limits', 'key, without the white space around it'],
  variableKeyAsSent: ['variable-limits', 'key, with the white space around it'],
  variableDescription: ['variable-limits', 'description'],
  variableValue: ['variable-limits', 'value', 'bytes'],
  valueReference: ['variable-limits', 'value reference'],
  allowedValueReferences: ['variable-limits', 'number of prefixes of allowed value references'],
  allowedValueReference: ['variable-limits', 'prefix of allowed value references'],
  variables: ['variable-limits', 'number of variables of a workspace'],
  verifications: [
    'variable-limits',
    'number of values of a variable that a user, team or organization verifies within a minute',
  ],
  variableSetDescription: ['variable-limits', 'description of a variable set'],
  variablesOfSet: ['variable-limits', 'number of variables of a variable set'],
  variableSetAssignments: ['variable-limits', 'number of workspaces, and of projects, of a variable set'],
  globalVariables: ['variable-limits', 'number of variables of all global variable sets of an organization'],
  organizationName: ['directory-limits', 'name of an organization'],
  projectName: ['directory-limits', 'name of a project'],
  recordName: [
    'directory-limits',
    'name of a team, agent pool, SSH key, VCS connection, variable set or workload identity',
  ],
  ssoTeamId: ['directory-limits', 'id of a team at an identity provider'],
  recordDescription: ['directory-limits', 'description of a project or token'],
  username: ['directory-limits', 'username'],
  email: ['directory-limits', 'e-mail address'],
  reservedTagKeys: ['directory-limits', 'number of tag keys that an organization reserves'],
  sessionTokens: ['directory-limits', 'number of tokens of a session'],
  groups: ['directory-limits', 'number of groups of a person at an identity provider'],
  sessionMinutes: ['directory-limits', 'timeout of a session', 'minutes'],
  tokenTtl: ['directory-limits', 'limit of the lifetime of tokens', 'milliseconds'],
  secret: ['directory-limits', 'private key, token of a VCS provider'],
  membersAtOnce: ['directory-limits', 'number of users in a request that changes the members of a team'],
  members: ['directory-limits', 'number of elements of other relationships in a request'],
  vcsConnectionProjects: ['directory-limits', 'number of projects that may use a VCS connection'],
  agentPoolScope: ['directory-limits', 'number of workspaces, and of projects, in the scope of an agent pool'],
  workloadConditions: ['directory-limits', 'number of conditions of a workload identity'],
  workloadValues: ['directory-limits', 'number of values in a condition'],
  workloadValue: ['directory-limits', 'claim or value in a condition, issuer, audience'],
  workloadScope: ['directory-limits', 'number of projects, and of workspaces, of a workload identity'],
  workloadMinutes: ['directory-limits', 'lifetime of a token of a workload identity', 'minutes'],
  failedExchanges: ['directory-limits', 'number of failed exchanges of a workload identity and an address in a minute'],
  loginTokens: ['directory-limits', 'number of tokens of logins that a user has'],
  codeSeconds: ['directory-limits', 'lifetime of an authorization code of a login', 'seconds'],
  deviceSeconds: ['directory-limits', 'lifetime of the codes of a device login', 'seconds'],
  deviceTries: ['directory-limits', 'number of wrong codes of device logins that a user types in ten minutes'],
  identityToken: ['request-limits', 'identity token'],
  form: ['request-limits', 'form', 'bytes'],
  movedWorkspaces: ['directory-limits', 'number of workspaces that a request moves'],
  id: ['request-limits', 'id'],
  expiry: ['request-limits', 'time'],
  idempotencyKey: ['request-limits', '`Idempotency-Key`'],
  filterValues: ['request-limits', 'number of values of a filter'],
  filterValue: ['request-limits', 'value of a filter'],
  pageSize: ['request-limits', 'page size'],
  body: ['request-limits', 'request body', 'bytes'],
  bodyWithState: ['request-limits', 'request body that may contain a state', 'bytes'],
  responseBody: ['request-limits', 'response body', 'bytes'],
  state: ['request-limits', 'state', 'bytes'],
  stateWithResources: ['request-limits', 'state whose resources are listed', 'bytes'],
  listedInstances: ['request-limits', 'number of instances of resources in such a state'],
  resourceCounts: [
    'request-limits',
    'number of types, and of modules, whose resources are counted in a list of resources',
  ],
  readmeInEvent: ['request-limits', 'README.md in an event'],
  readme: ['request-limits', 'stored README.md', 'bytes'],
};

const bytesText = (bytes: number): string =>
  bytes % 2 ** 20 === 0
    ? `${bytes / 2 ** 20} MiB`
    : bytes % 2 ** 10 === 0
      ? `${bytes / 2 ** 10} KiB`
      : `${bytes.toLocaleString('en')} bytes`;

const maximum = (limit: Limit): string => {
  const [, , unit] = subjects[limit];
  if (unit === 'bytes') return bytesText(numbers[limit]);
  return `${numbers[limit].toLocaleString('en')}${unit === undefined ? '' : ` ${unit}`}`;
};

/** Generated tables of `docs/reference/limits.md`, by the names of their marks. */
export const limitTables = Object.fromEntries(
  groups.map((group) => [
    group,
    markdownTable(
      ['Subject', 'Maximum'],
      (Object.keys(subjects) as Limit[])
        .filter((limit) => subjects[limit][0] === group)
        .map((limit) => [subjects[limit][1], maximum(limit)]),
    ),
  ]),
);
