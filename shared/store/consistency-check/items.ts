import type { RecordKind } from '../../domain/directory/records.ts';
import { BASE58_CLASS, isId, prefixes } from '../../domain/ids.ts';
import { limits } from '../../domain/limits.ts';
import { retentionPolicyTypes } from '../../domain/state-versions/retention-policy.ts';
import { isFlat } from '../../domain/tags/tag.ts';
import { dueOf } from '../../domain/workspace/auto-destroy.ts';
import { CHUNK_CAPACITY } from '../../domain/workspace/consumer-set.ts';
import { categories } from '../../domain/workspace/variable.ts';
import { projectAccessIdKey } from '../directory/project-access.ts';
import { tokenSubjectOf } from '../directory/record-items.ts';
import type { Item } from '../dynamodb/item.ts';
import { hasKnownVersion } from '../dynamodb/item-schemas.ts';
import {
  cleanupPartition,
  duePartition,
  type Key,
  keys,
  lists,
  recordKinds,
  sortableTime,
  WORKSPACE,
} from '../dynamodb/keys.ts';
import { generationOf, numberOf } from '../remote-state-consumers/consumer-items.ts';
import { tagsOf } from '../workspaces/tag-items.ts';
import { accessIdKey, workspaceOf } from '../workspaces/workspace-items.ts';
import { runShapes, runSpelling } from './runs.ts';
import { stateShapes, stateSpelling } from './states.ts';

/** What must be so of one item, whatever else the table holds: invariants that need no other item to be checked. */

const text = (value: unknown): string => String(value);
const isMap = (value: unknown): value is Item =>
  typeof value === 'object' && value !== null && !Array.isArray(value) && !(value instanceof Set);
const isCount = (value: unknown, least: number): boolean => Number.isSafeInteger(value) && (value as number) >= least;
const isText = (value: unknown): value is string => typeof value === 'string' && value !== '';
const isSortableTime = (value: unknown): boolean => typeof value === 'string' && /^\d{13}$/.test(value);

/** Where an item must lie, by its content; nothing where its content cannot tell. */
const spelling: Readonly<Record<string, (item: Item) => Partial<Key>>> = {
  organization: ({ name }) => keys.organization(text(name)),
  workspace: ({ id }) => keys.workspace(text(id)),
  'workspace-text': () => ({ sk: keys.workspaceText('').sk }),
  // Claims are held against what they name, in both directions.
  'workspace-name': () => ({ sk: keys.claim('', 'workspace', '').sk }),
  name: () => ({ sk: keys.claim('', 'project', '').sk }),
  username: () => ({ sk: keys.username('').sk }),
  project: ({ id }) => keys.project(text(id)),
  'project-tombstone': ({ id }) => keys.project(text(id)),
  team: ({ id }) => keys.team(text(id)),
  user: ({ id }) => keys.user(text(id)),
  membership: ({ user, organization, team }) => keys.membership(text(user), text(organization), text(team)),
  member: ({ user, team }) => keys.member(text(team), text(user)),
  'organization-membership': ({ user, organization }) => keys.organizationMembership(text(user), text(organization)),
  'organization-member': ({ user, organization }) => keys.organizationMember(text(organization), text(user)),
  'organization-membership-id': ({ id }) => keys.pointer(text(id)),
  // The address is the user's: that is held against it.
  email: ({ user }) => ({ sk: keys.email('', text(user)).sk }),
  token: () => ({ sk: keys.token('').sk }),
  'token-of': (item) => keys.tokenOf(tokenSubjectOf(item), text(item['id'])),
  'token-id': ({ id }) => keys.pointer(text(id)),
  ...Object.fromEntries(
    (Object.keys(recordKinds) as RecordKind[]).map((kind) => [kind, ({ id }: Item) => keys.record(kind, text(id))]),
  ),
  releases: () => keys.releases(),
  'project-access-id': ({ project, team }) => projectAccessIdKey(text(project), text(team)),
  'workspace-access-id': ({ workspace, team }) => accessIdKey(text(workspace), text(team)),
  variable: ({ workspace, category, key }) => keys.variable(text(workspace), text(category), text(key)),
  'variable-id': ({ id }) => keys.pointer(text(id)),
  command: ({ principal, id }) => keys.command(text(principal), text(id)),
  consumers: (item) => ({ sk: keys.consumers('', generationOf(item), numberOf(item)).sk }),
  ...runSpelling,
  ...stateSpelling,
};

const isRecordKind = (ty: string): ty is RecordKind => Object.hasOwn(recordKinds, ty);

/** The keys of the list index that an item must have by its content alone; workspaces and projects need more. */
const listProblems = (ty: string, { l, lk, organization, name }: Item): string[] => {
  if (['workspace', 'project', 'project-tombstone'].includes(ty)) {
    return isText(l) && isSortableTime(lk) ? [] : ['its keys of the list index are no partition and time'];
  }
  if (ty === 'team' || isRecordKind(ty)) {
    const isRight = l === lists.records(text(organization), ty) && lk === name;
    return isRight ? [] : ["its keys of the list index are not its organization's and its name"];
  }
  return l === undefined && lk === undefined ? [] : ['it stands in the list index, where it does not belong'];
};

const tagProblems = (stored: unknown): string[] => {
  // Before there were tags, a workspace had an empty map and a project nothing.
  if (stored === undefined || (isMap(stored) && Object.keys(stored).length === 0)) return [];
  if (!Array.isArray(stored) || !stored.every(isMap)) return ['its tags are no list of tags'];
  const isWhole = ({ key, value, at }: Item): boolean =>
    isText(key) && isCount(at, 1) && (value === undefined || isText(value));
  const tags = tagsOf(stored);
  const flat = tags.filter(isFlat).length;
  return [
    ...(stored.every(isWhole) ? [] : ['a tag of it lacks its key or its time, or has an empty value']),
    ...(new Set(tags.map(({ key }) => key)).size === tags.length ? [] : ['it has a tag twice']),
    ...(flat <= limits.tags && tags.length - flat <= limits.bindings ? [] : ['it has more tags than it may']),
  ];
};

const projectProblems = ({ acc, defaults, tags, closing, gone }: Item): string[] => [
  ...((closing === undefined) === (gone === undefined) ? [] : ['lists and readers do not agree whether it is closing']),
  ...(isMap(acc) && isMap(defaults) ? [] : ['it has no grants, or no defaults']),
  ...tagProblems(tags),
  ...(tagsOf(tags).some((tag) => isMap(tag) && isFlat(tag))
    ? ['it has a tag without a value, which only workspaces have']
    : []),
];

const policyProblems = (policy: unknown): string[] => {
  if (policy === undefined) return [];
  const { id, type, deleteOlderThanDays: days } = isMap(policy) ? policy : ({} as Item);
  const isFor = type === 'data-retention-policy-dont-deletes' ? days === null : isCount(days, 1);
  const isWhole = isId('retentionPolicy', text(id)) && retentionPolicyTypes.some((known) => known === type) && isFor;
  return isWhole ? [] : ['its data retention policy says nothing that can be done'];
};

const variableProblems = (item: Item): string[] => {
  const { id, category, key, value, sealed, description, hcl, createdAt, version } = item;
  const isNamed = isId('variable', text(id)) && isText(key) && categories.some((known) => known === category);
  const isOpen = typeof value === 'string' && sealed === undefined;
  const isEncrypted = sealed instanceof Uint8Array && value === undefined;
  return [
    ...(isNamed ? [] : ['it has no id, category or key of a variable']),
    ...(isOpen || isEncrypted ? [] : ['it has neither a value nor a sealed one, or both']),
    ...(typeof hcl === 'boolean' && (description === null || typeof description === 'string')
      ? []
      : ['its flags or its description are missing']),
    ...(isCount(createdAt, 1) && isText(version) ? [] : ['it has no time, or no version']),
  ];
};

/** Of a variable that was deleted it stays for a while, and leads nowhere. */
const variableIdProblems = (item: Item): string[] => {
  const { organization, workspace, project, category, key, gone, request, ttl } = item;
  if (![organization, workspace, project].every(isText)) return ['it does not say whose variable it leads to'];
  const leads = isText(category) && isText(key);
  const isAlive = gone === undefined && ttl === undefined && leads;
  const isTombstone = isCount(gone, 1) && isCount(ttl, 1) && isText(request) && category === undefined;
  return isAlive || isTombstone ? [] : ['it neither leads to a variable nor says that it was deleted'];
};

const GENERATION = new RegExp(`^${BASE58_CLASS}{12}$`);

const consumerSetProblems = (set: unknown): string[] => {
  if (set === undefined) return [];
  const { generation, chunks, changes, atMost } = isMap(set) ? set : ({} as Item);
  const isWhole = GENERATION.test(text(generation)) && isCount(chunks, 1) && isCount(changes, 1) && isCount(atMost, 0);
  return isWhole && Number.isInteger(Math.log2(chunks as number)) ? [] : ['it does not say where its consumers are'];
};

const chunkProblems = (item: Item): string[] => {
  const { ids, n } = item;
  const of = ids instanceof Set ? [...ids] : [];
  const isWhole =
    GENERATION.test(generationOf(item)) &&
    isCount(n, 0) &&
    (ids === undefined || (of.length > 0 && of.length <= CHUNK_CAPACITY)) &&
    of.every((id) => isId('workspace', `${prefixes.workspace}${id}`));
  return isWhole ? [] : ['it is no chunk of consumers, or holds too many, or what is no id'];
};

const workspaceProblems = (item: Item): string[] => {
  const { id, set, ow, lock, fence, seq, rev, chg, gone, ttl, d, dk, txt, x, acc, tags, hv, vn } = item;
  const problems: string[] = [];
  const must = (holds: boolean, problem: string): void => {
    if (!holds) problems.push(problem);
  };
  must(isMap(set) && isMap(ow) && isMap(acc), 'settings, overwrites or grants are missing');
  must(isCount(seq, 1), 'its sequence number is not 1 or more');
  must(isCount(rev, 1), 'its revision is not 1 or more');
  must(isCount(fence, 0), 'its fence is no count');
  must(hv === undefined ? vn === undefined : hv === true && isCount(vn, 0), 'it does not count its variables');
  must(
    isMap(chg) && isText(chg['id']) && isText(chg['type']) && isMap(chg['actor']) && isCount(chg['at'], 1),
    'what happened to it last is not said',
  );
  if (lock !== undefined) {
    const { kind, by, name, reason, at, id: lockId } = isMap(lock) ? lock : ({} as Item);
    const isWhole = ['User', 'Team', 'Run'].includes(text(kind)) && [lockId, by, name].every(isText);
    must(isWhole && typeof reason === 'string' && isCount(at, 1), 'its lock does not say who holds it');
    must(isCount(fence, 1), 'it is locked, and its fence has never been raised');
  }
  if (gone !== undefined) {
    must(isCount(gone, 1) && isCount(ttl, 1), 'it is deleted, but not for a time');
    must(isQueuedForCleanup(item) || (d === undefined && dk === undefined), 'it is deleted, but due for destruction');
    must(x === undefined, 'it is deleted, but has long text');
    return problems;
  }
  must(ttl === undefined, 'it is alive, but would expire');
  problems.push(...tagProblems(tags));
  problems.push(...policyProblems(item['pol']), ...consumerSetProblems(item['cons']));
  must((x === undefined) === (txt !== undefined), 'its text lies neither in it nor beside it, or in both');
  if (isMap(set) && isMap(ow)) {
    const due = dueOf(workspaceOf(item));
    const [shard, time] = due === undefined ? [undefined, undefined] : [duePartition(text(id)), sortableTime(due)];
    must(d === shard && dk === time, 'its keys of the due index are not what its settings say');
    must(ow['executionMode'] === (set['executionMode'] !== null), 'it overwrites the execution mode without its own');
    must(ow['agentPool'] === true || set['agentPool'] === null, 'it has an agent pool without overwriting it');
  }
  return problems;
};

/** Noted where the cleanup looks for it. */
const isQueuedForCleanup = ({ pk, id, sk, d, dk }: Item): boolean =>
  d === cleanupPartition(text(sk === WORKSPACE ? id : pk)) && isSortableTime(dk);

const cleanupProblems = (item: Item): string[] => {
  if (item['ty'] === 'workspace') return [];
  const isClosing = item['closing'] !== undefined;
  if (isClosing && !isQueuedForCleanup(item)) return ['it is closing, but nothing would finish that'];
  const isDue = item['d'] !== undefined || item['dk'] !== undefined;
  // Chunks of consumers are noted until it is clear whether they came into force.
  if (['consumers', 'state-remains'].includes(text(item['ty'])) && isQueuedForCleanup(item)) return [];
  // Projects, until their workspaces have heard what they pass on.
  if (item['untold'] !== undefined)
    return isQueuedForCleanup(item) ? [] : ['it has workspaces to tell, and nothing would'];
  return isDue && !isClosing ? ['it stands in the due index, where it does not belong'] : [];
};

const shapes: Readonly<Record<string, (item: Item) => string[]>> = {
  workspace: workspaceProblems,
  'workspace-text': ({ txt, rev }) => (isMap(txt) && isCount(rev, 1) ? [] : ['it has no text, or no revision']),
  organization: ({ acc, shards, spreadAt, snapshotAt, retentionPolicy }) => [
    ...(isMap(acc) && isCount(shards, 1) ? [] : ['it has no grants, or no shards']),
    ...(Number.isInteger(Math.log2(shards as number)) ? [] : ['its shards are no power of two']),
    ...([spreadAt, snapshotAt].every((at) => at === undefined || isCount(at, 1))
      ? []
      : ['it does not say since when it is spread, or from when its snapshot is']),
    ...policyProblems(retentionPolicy),
  ],
  project: projectProblems,
  consumers: chunkProblems,
  'project-tombstone': ({ gone, ttl }) =>
    isCount(gone, 1) && isCount(ttl, 1) ? [] : ['it is deleted, but not for a time'],
  team: ({ permissions }) =>
    permissions === 'owners' || Array.isArray(permissions) ? [] : ['it does not say what it may do'],
  variable: variableProblems,
  'variable-id': variableIdProblems,
  ...runShapes,
  ...stateShapes,
  command: ({ fingerprint, ttl }) =>
    isText(fingerprint) && isCount(ttl, 1) ? [] : ['it does not say which command it is, or until when'],
  releases: ({ added, removed }) =>
    [added, removed].every((set) => set === undefined || set instanceof Set) ? [] : ['its versions are no sets'],
};

/** What is wrong with an item by itself. */
export const problemsOf = (item: Item): string[] => {
  const ty = text(item['ty']);
  const spell = Object.hasOwn(spelling, ty) ? spelling[ty] : undefined;
  if (spell === undefined) return [`its type, ${ty}, is not known`];
  const { pk = item['pk'], sk } = spell(item);
  const shape = Object.hasOwn(shapes, ty) ? shapes[ty] : undefined;
  return [
    ...(hasKnownVersion(item) ? [] : [`its schema version, ${text(item['v'])}, is not known`]),
    ...(item['pk'] === pk && item['sk'] === sk ? [] : ['its key is not what its content spells']),
    ...listProblems(ty, item),
    ...cleanupProblems(item),
    ...(shape?.(item) ?? []),
  ];
};
