/** The prefix of each kind of id (contract 1.9); an id is its prefix and 16 characters of base 58. */
export const prefixes = {
  workspace: 'ws-',
  project: 'prj-',
  team: 'team-',
  user: 'user-',
  token: 'at-',
  organization: 'org-',
  agentPool: 'apool-',
  sshKey: 'sshkey-',
  vcsClient: 'oc-',
  vcsConnection: 'ot-',
  appInstallation: 'ghain-',
  retentionPolicy: 'drp-',
  tag: 'tag-',
  tagBinding: 'tb-',
  lock: 'lock-',
  event: 'evt-',
} as const;

export type IdKind = keyof typeof prefixes;

/** Letters and digits without those that look alike (0 O I l). */
export const BASE58 = '123456789ABCDEFGHJKLMNPQRSTUVWXYZabcdefghijkmnopqrstuvwxyz';

const body = /^[1-9A-HJ-NP-Za-km-z]{16}$/;

/** Whether a text has the form of an id of that kind; anything else need not be looked up. */
export const isId = (kind: IdKind, text: string): boolean =>
  text.startsWith(prefixes[kind]) && body.test(text.slice(prefixes[kind].length));
