import { cutText } from '../../domain/cut-text.ts';
import type { Lock, Workspace } from '../../domain/workspace/workspace-record.ts';
import type { Attributes } from '../dynamodb/expressions.ts';
import { type Item, isDuePartition, sortableTime } from '../dynamodb/keys.ts';
import { tagsOf } from './tag-items.ts';

/** Names of the stored attributes. Short names keep an item small: a write costs by the kilobyte. */
export const workspaceAttributes = {
  id: 'id',
  organization: 'org',
  name: 'name',
  project: 'prj',
  createdAt: 'ca',
  updatedAt: 'ua',
  latestChangeAt: 'la',
  settings: 'set',
  text: 'txt',
  textRevision: 'x',
  overwrites: 'ow',
  vcsRepo: 'vcs',
  sshKey: 'ssh',
  tags: 'tags',
  access: 'acc',
  hasVariables: 'hv',
  variableCount: 'vn',
  consumers: 'cons',
  retentionPolicy: 'pol',
  run: 'run',
  runStatus: 'rs',
  runAt: 'ra',
  runCount: 'rn',
  runMetrics: 'kpi',
  hasConfigurations: 'hc',
  hasVariableSets: 'hvs',
  configurationVersion: 'cv',
  readme: 'rdm',
  revision: 'rev',
  fence: 'fence',
  sequence: 'seq',
  change: 'chg',
  lock: 'lock',
  lockReason: 'lr',
  released: 'rel',
  stateVersions: 'sn',
  pending: 'pend',
  intermediate: 'inter',
  current: 'cur',
  serial: 'serial',
  lineage: 'lineage',
  md5: 'md5',
  listedSettings: 'ls',
  listedAt: 'lk',
  activityAt: 'aa',
  projectInactivity: 'pi',
  destroyRequested: 'dr',
  due: 'dk',
  deletedAt: 'gone',
  purgeAt: 'pa',
  restoration: 'rst',
} as const satisfies { readonly [K in keyof Required<Omit<Workspace, 'stored'>>]: string };
const names = new Map(Object.entries({ ...workspaceAttributes, dueShard: 'd' }));
/**
 * Attributes that are copied from the item without conversion. `due` is not one: only some partitions hold due times.
 */
const readable = Object.entries(workspaceAttributes).filter(([name]) => name !== 'due');

/** Characters of the reason that the lock contains. The index behind lists projects the lock, so it must stay small. */
const SHORT_REASON = 100;
/** Returns the reason of a lock if it is stored apart from the lock, because it is long (STORE-31). */
export const longReason = (lock: Lock | undefined): string | undefined =>
  lock !== undefined && lock.reason.length > SHORT_REASON ? lock.reason : undefined;

const encodeLock = (lock: Lock): Lock =>
  longReason(lock) === undefined ? lock : { ...lock, reason: cutText(lock.reason, SHORT_REASON) };
const encode = (path: string, value: unknown): unknown => {
  if (path === 'lock') return encodeLock(value as Lock);
  return path === 'listedAt' || path === 'due' ? sortableTime(value as number) : value;
};
/** Names and encodings of the attributes of a workspace, for expressions. */
export const attributes: Attributes = { names, encode };

/** Conversions of stored values. Other values are stored as they are. */
export const decoders: { readonly [K in keyof Workspace]?: (stored: unknown) => unknown } = {
  tags: tagsOf,
  listedAt: Number,
};

/** Returns the stored name of an attribute. @param path name in the domain, or a path that starts with it. */
export const storedName = (path: string): string => {
  const [first = ''] = path.split('.');
  return names.get(first) ?? first;
};

/** Converts members of a workspace to attributes of its item. */
export const storedAttributes = (of: object): Item =>
  Object.fromEntries(Object.entries(of).map(([name, value]) => [storedName(name), encode(name, value)]));

/** Returns the revision of the separate long text item; undefined if the workspace has none. */
export const textRevision = (item: Item): number | undefined => item['x'] as number | undefined;

/** Converts the item of a workspace, and its long text item if it has one, to a workspace. */
export const workspaceOf = (item: Item, text?: Item): Workspace => {
  // Iterates over the known names, because iterating over an item is slow and a list converts a page of workspaces.
  const workspace: Record<string, unknown> = {};
  for (const [name, stored] of readable) {
    const value = item[stored];
    if (value !== undefined) workspace[name] = value;
  }
  const { lock, lockReason: reason } = workspace as Partial<Workspace>;
  if (lock !== undefined && reason !== undefined) workspace['lock'] = { ...lock, reason };
  if (text !== undefined) workspace['text'] = text['txt'];
  if (isDuePartition(item['d'])) workspace['due'] = Number(item['dk']);
  workspace['tags'] = tagsOf(item['tags']);
  workspace['listedAt'] = Number(item['lk']);
  return workspace as unknown as Workspace;
};
