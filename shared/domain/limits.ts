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
  /** Of teams and whatever else an organization has. */
  recordName: 90,
  /** Of projects and tokens. */
  recordDescription: 256,
  /** Of a key or a token of others, in characters. */
  secret: 16_384,
  /** Who are put into a team, or taken out of it, in one request. */
  membersAtOnce: 100,
  username: 60,
  /** Teams and users that one request puts together. */
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
  /** The same where a state may be part of it. */
  bodyWithState: 4 * 1024 * 1024,
  /** Bytes of a state. */
  state: 100 * 1024 * 1024,
  /**
   * Bytes of an answer's body once Lambda has put it into its own JSON: at 6 MB it would refuse to hand the answer over.
   */
  answer: 5_000_000,
} as const;
