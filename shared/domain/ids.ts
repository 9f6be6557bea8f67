import { createHmac } from 'node:crypto';

/** The prefix of each kind of id (HTTP-10); an id is its prefix and 16 characters of base 58. */
export const prefixes = {
  workspace: 'ws-',
  project: 'prj-',
  team: 'team-',
  user: 'user-',
  token: 'at-',
  organization: 'org-',
  membership: 'ou-',
  agentPool: 'apool-',
  sshKey: 'sshkey-',
  vcsClient: 'oc-',
  vcsConnection: 'ot-',
  appInstallation: 'ghain-',
  retentionPolicy: 'drp-',
  tag: 'tag-',
  tagBinding: 'tb-',
  reservedTagKey: 'rtk-',
  tokenTtlPolicy: 'ttl-',
  workspaceAccess: 'tws-',
  projectAccess: 'tprj-',
  lock: 'lock-',
  variable: 'var-',
  variableSet: 'varset-',
  run: 'run-',
  plan: 'plan-',
  apply: 'apply-',
  configurationVersion: 'cv-',
  ingressAttributes: 'ia-',
  event: 'evt-',
  stateVersion: 'sv-',
  stateOutput: 'wsout-',
  stateResource: 'wsr-',
  workloadIdentity: 'wi-',
  session: 'ss-',
  linkedIdentity: 'li-',
  bulkJob: 'bulk-',
} as const;

export type IdKind = keyof typeof prefixes;

/** Letters and digits without those that look alike (0 O I l). */
export const BASE58 = '123456789ABCDEFGHJKLMNPQRSTUVWXYZabcdefghijkmnopqrstuvwxyz';

/** A character of that alphabet, as a class of regular expressions. */
export const BASE58_CLASS = '[1-9A-HJ-NP-Za-km-z]';

/** Regular expression of the part of an id after its prefix (HTTP-10). */
export const ID_BODY = `${BASE58_CLASS}{16}`;

const body = new RegExp(`^${ID_BODY}$`);

/** Tells whether a text has the form of an id of that kind. */
export const isId = (kind: IdKind, text: string): boolean =>
  text.startsWith(prefixes[kind]) && body.test(text.slice(prefixes[kind].length));

/** A number as so many characters. */
export const toBase58 = (number: number, length: number): string => {
  let text = '';
  for (let left = number; text.length < length; left = Math.floor(left / BASE58.length)) {
    text = BASE58.charAt(left % BASE58.length) + text;
  }
  return text;
};

/** Decodes a base 58 text to a number. The text must contain base 58 characters only. */
export const fromBase58 = (text: string): number =>
  [...text].reduce((number, character) => number * BASE58.length + BASE58.indexOf(character), 0);

/** Computes 16 base 58 characters from two texts: always the same ones, and different ones for other texts. */
export const computed = (one: string, other: string): string => {
  const base = BigInt(BASE58.length);
  let number = BigInt(`0x${createHmac('sha256', one).update(other).digest('hex')}`);
  let text = '';
  for (let length = 0; length < 16; length++) {
    text += BASE58[Number(number % base)];
    number /= base;
  }
  return text;
};

/** Computes the id of something that is identified by two texts, so that the id need not be stored. */
export const computedId = (kind: IdKind, one: string, other: string): string => prefixes[kind] + computed(one, other);

/**
 * Computes the id of the record that a request creates. A later attempt of the request finds it by that id (HTTP-38).
 * @param request id of the request.
 * @param part distinguishes several records of one kind that one request creates.
 */
export const derivedId = (kind: IdKind, request: string, part = ''): string =>
  computedId(kind, request, `${kind}/${part}`);
