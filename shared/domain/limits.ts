/** Seconds of the shortest lease of a lock (LOCK-18): long compared with the differences between clocks. */
export const MIN_LEASE_SECONDS = 60;

/** Minutes of the shortest lifetime of a token of a workload identity (WI-2). */
export const MIN_WORKLOAD_MINUTES = 5;
/** Minutes of that lifetime if a request does not state it. */
export const WORKLOAD_MINUTES = 60;

/**
 * Maximum lengths of texts in characters, maximum sizes in bytes, and maximum numbers of elements (LIMIT-1 to LIMIT-4).
 * A longer text is rejected with 422 in a body and with 400 in a query.
 */
export const limits = {
  workspaceName: 90,
  description: 1_000,
  lockReason: 1_000,
  /** Seconds of the lease of a lock. */
  leaseSeconds: 86_400,
  workingDirectory: 255,
  branch: 255,
  /** Name of a repository, such as `acme/network`. */
  identifier: 255,
  sourceName: 255,
  sourceUrl: 2_048,
  /** Host, organization, name, author or commit of the source of an import. */
  importedText: 255,
  /** Id at that source. Keys of S3 have at most 1,024 bytes. */
  importedId: 1_024,
  /** Workspaces of a bulk job, and of one that names them by id. */
  jobItems: 100_000,
  jobIds: 1_000,
  /** Workspaces that a bulk job changes within a second. */
  jobRate: 200,
  jobNote: 1_000,
  tagsRegex: 512,
  /** Elements of a list of trigger patterns or trigger prefixes. */
  patterns: 100,
  pattern: 255,
  version: 255,
  id: 255,
  /** Days for which a retention policy keeps state versions: a century. */
  retentionDays: 36_500,
  tagName: 255,
  bindingKey: 128,
  bindingValue: 256,
  /** Flat tags of a workspace. */
  tags: 40,
  /** Bindings of a workspace or of a project. */
  bindings: 10,
  /** Elements of a request. More than a workspace can have, because it may have some of them already. */
  tagElements: 100,
  variableKey: 128,
  /** Key with surrounding white space, which is removed. */
  variableKeyAsSent: 1_024,
  variableDescription: 512,
  /** Bytes. */
  variableValue: 256 * 1024,
  valueReference: 2_048,
  /** Prefixes of allowed value references. They lie on the organization or project, which most requests read. */
  allowedValueReferences: 20,
  allowedValueReference: 512,
  /** Variables of a workspace. One response can contain all of them. */
  variables: 1_000,
  /** Values of a variable that a user, team or organization verifies within a minute (VAR-16). */
  verifications: 30,
  /** Description of a variable set. */
  variableSetDescription: 512,
  /** Variables of a variable set. */
  variablesOfSet: 1_000,
  /** Workspaces, and projects, that a variable set is assigned to. */
  variableSetAssignments: 1_000,
  /** Variables of all global variable sets of an organization. One item contains their keys. */
  globalVariables: 500,
  /** Value of the header `Idempotency-Key`. */
  idempotencyKey: 255,
  filterValue: 256,
  filterValues: 100,
  organizationName: 40,
  projectName: 40,
  /** Name of a team or of another record of an organization. */
  recordName: 90,
  /** Id of a team at an identity provider. */
  ssoTeamId: 255,
  /** Description of a project or a token. */
  recordDescription: 256,
  /** Private key of an SSH key, or token of a VCS provider. */
  secret: 16_384,
  /** Users that one request adds to a team or removes from it. */
  membersAtOnce: 100,
  username: 60,
  /** Elements of a relationship in a request, such as the teams of a new organization membership. */
  members: 20,
  /** Workspaces, or projects, in each list of the scope of an agent pool. */
  agentPoolScope: 1_000,
  /** Projects that may use a VCS connection. */
  vcsConnectionProjects: 1_000,
  /** Conditions of a workload identity. */
  workloadConditions: 20,
  /** Values of a condition. */
  workloadValues: 50,
  /** Claim or value in a condition. */
  workloadValue: 512,
  /** Projects, and workspaces, in the scope of a workload identity. They lie on each of its tokens, which requests read. */
  workloadScope: 50,
  /** Minutes of the lifetime of a token of a workload identity. */
  workloadMinutes: 720,
  /** Identity token, in characters. */
  identityToken: 16_384,
  /** Failed exchanges in a minute, for each workload identity and address of a client. */
  failedExchanges: 10,
  /** Tokens of logins that a user has at most. A further one replaces the oldest. */
  loginTokens: 20,
  /** Seconds for which an authorization code is valid. */
  codeSeconds: 60,
  /** Seconds for which the codes of a device login are valid. */
  deviceSeconds: 600,
  /** Wrong user codes of a person within the validity of a code. */
  deviceTries: 5,
  /** Bytes of a form. */
  form: 64 * 1024,
  /** Tokens that a session has at a time. They are renewed in one transaction with the session. */
  sessionTokens: 10,
  /** Groups of a person at an identity provider. */
  groups: 1_000,
  /** Workspaces that one request moves. */
  movedWorkspaces: 100,
  email: 254,
  /** Tag keys that an organization reserves. They lie on its item, which every request reads. */
  reservedTagKeys: 20,
  /** Minutes of a session: one year. */
  sessionMinutes: 525_600,
  /** Milliseconds of the longest lifetime of tokens that an organization can set: 100 years of 365.25 days. */
  tokenTtl: 3_155_760_000_000,
  /** Time in a request, as text. */
  expiry: 64,
  /** Characters of a README.md in an event. */
  readmeInEvent: 100 * 1024,
  /** Bytes of a stored README.md. The rest is removed. */
  readme: 256 * 1024,
  /** Bytes of a request body. A larger one is rejected with 413. */
  body: 1024 * 1024,
  /**
   * Bytes of a request body that may contain a state. Lambda accepts events of 6 MiB, of which the body in base64 takes
   * 5.9 MiB; the rest is for headers.
   */
  bodyWithState: 4_500 * 1024,
  /** Bytes of a state. */
  state: 100 * 1024 * 1024,
  /** Bytes of a state whose resources are listed: the content is read for each request. */
  stateWithResources: 25 * 1024 * 1024,
  /** Instances of resources, also of data sources, in such a state: they are held in memory. */
  listedInstances: 100_000,
  /** Types, and modules, whose numbers of resources are in a response. */
  resourceCounts: 500,
  /** Bytes of a response body after Lambda has encoded it as JSON. Lambda rejects responses above 6 MB. */
  responseBody: 5_000_000,
} as const;
