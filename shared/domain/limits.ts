/**
 * Maximum lengths of texts in characters, and maximum numbers of list elements (LIMIT-1 to LIMIT-4). Exceeding one is 422
 * in a body and 400 in a query.
 */
export const limits = {
  workspaceName: 90,
  description: 1_000,
  lockReason: 1_000,
  workingDirectory: 255,
  branch: 255,
  identifier: 255,
  sourceName: 255,
  sourceUrl: 2_048,
  tagsRegex: 512,
  patterns: 100,
  pattern: 255,
  version: 255,
  id: 255,
  /** Of state versions that are kept: a century. */
  retentionDays: 36_500,
  tagName: 255,
  bindingKey: 128,
  bindingValue: 256,
  /** On one workspace: flat tags, and bindings with a value; as many bindings on one project. */
  tags: 40,
  bindings: 10,
  /** In one request. More than fit on a workspace, because some of them may already be there. */
  tagElements: 100,
  variableKey: 128,
  /** A key including surrounding white space, which is removed. */
  variableKeyAsSent: 1_024,
  variableDescription: 512,
  /** In bytes. */
  variableValue: 256 * 1024,
  /** Of one workspace. One response can contain all of them. */
  variables: 1_000,
  filterValue: 256,
  filterValues: 100,
  organizationName: 40,
  projectName: 40,
  /** Of teams and other records of an organization. */
  recordName: 90,
  /** Of projects and tokens. */
  recordDescription: 256,
  /** Of a key or a token of others, in characters. */
  secret: 16_384,
  /** Users that one request adds to a team or removes from it. */
  membersAtOnce: 100,
  username: 60,
  /** Teams and users that one request adds to each other. */
  members: 20,
  /** Workspaces that one request moves. */
  movedWorkspaces: 100,
  email: 254,
  expiry: 64,
  /** Of a README.md: characters of one in an event, and bytes that are kept of any. */
  readmeInEvent: 100 * 1024,
  readme: 256 * 1024,
  /** Bytes of a request body; larger is 413. */
  body: 1024 * 1024,
  /** Bytes of a request body that may contain a state. */
  bodyWithState: 4 * 1024 * 1024,
  /** Bytes of a state. */
  state: 100 * 1024 * 1024,
  /**
   * Bytes of a response body after Lambda has encoded it as JSON. Lambda rejects responses above 6 MB.
   */
  answer: 5_000_000,
} as const;
