import { isDeepStrictEqual } from 'node:util';
import type { RecordKind } from '../../domain/directory/records.ts';
import { BASE58_CLASS, isId, prefixes } from '../../domain/ids.ts';
import { limits } from '../../domain/limits.ts';
import { retentionPolicyTypes } from '../../domain/state-versions/retention-policy.ts';
import { isFlat } from '../../domain/tags/tag.ts';
import { computeDueTime } from '../../domain/workspace/auto-destroy.ts';
import { CHUNK_CAPACITY } from '../../domain/workspace/consumer-set.ts';
import { categories } from '../../domain/workspace/variable.ts';
import { listedSettings } from '../../domain/workspace/workspace-record.ts';
import { projectAccessIdKey } from '../directory/projects/project-access.ts';
import type { Item } from '../dynamodb/item.ts';
import { hasKnownVersion } from '../dynamodb/item-schemas.ts';
import {
  cleanupPartition,
  duePartition,
  type Key,
  keys,
  listPartition,
  recordKinds,
  requestCountKey,
  sortableTime,
  WORKSPACE,
} from '../dynamodb/keys.ts';
import { generationOf, numberOf } from '../items/consumer-items.ts';
import { tokenSubjectOf } from '../items/record-items.ts';
import { tagsOf } from '../items/tag-items.ts';
import { accessIdKey, workspaceOf } from '../items/workspace-items.ts';
import { historyShapes, historySpelling } from './history.ts';
import { runShapes, runSpelling } from './runs.ts';
import { stateShapes, stateSpelling } from './states.ts';
import { variableSetShapes, variableSetSpelling } from './variable-sets.ts';

/** Invariants of a single item, which can be checked without any other item. */

const text = (value: unknown): string => String(value);
const isMap = (value: unknown): value is Item =>
  typeof value === 'object' && value !== null && !Array.isArray(value) && !(value instanceof Set);
const isCount = (value: unknown, least: number): boolean => Number.isSafeInteger(value) && (value as number) >= least;
const isText = (value: unknown): value is string => typeof value === 'string' && value !== '';
const isSortableTime = (value: unknown): boolean => typeof value === 'string' && /^\d{13}$/.test(value);

/** Builds the key, or the part of it, that follows from the content of an item. */
const spelling: Readonly<Record<string, (item: Item) => Partial<Key>>> = {
  organization: ({ name }) => keys.organization(text(name)),
  workspace: ({ id }) => keys.workspace(text(id)),
  'workspace-text': () => ({ sk: keys.workspaceText('').sk }),
  // Claims are compared with the claimed item in both directions, in directory.ts and workspaces.ts.
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
  // The address is compared with that of the user, in directory.ts.
  email: ({ user }) => ({ sk: keys.email('', text(user)).sk }),
  token: () => ({ sk: keys.token('').sk }),
  'token-of': (item) => keys.tokenOf(tokenSubjectOf(item), text(item['id'])),
  'token-id': ({ id }) => keys.pointer(text(id)),
  'token-use': ({ id }) => keys.tokenUse(text(id)),
  refusals: ({ id, minute }) => keys.refusals(text(id), Number(minute)),
  'reserved-tag-key-id': ({ id }) => keys.pointer(text(id)),
  // The tombstone of a record or of an entry at its owner has the key of that item.
  tombstone: ({ sk }) => ({ sk: text(sk) }),
  ...Object.fromEntries(
    (Object.keys(recordKinds) as RecordKind[]).map((kind) => [kind, ({ id }: Item) => keys.record(kind, text(id))]),
  ),
  releases: () => keys.releases(),
  'project-access-id': ({ project, team }) => projectAccessIdKey(text(project), text(team)),
  'workspace-access-id': ({ workspace, team }) => accessIdKey(text(workspace), text(team)),
  variable: ({ workspace, variableSet, category, key }) =>
    keys.variable(text(workspace ?? variableSet), text(category), text(key)),
  ...variableSetSpelling,
  'variable-id': ({ id }) => keys.pointer(text(id)),
  command: ({ principal, id }) => keys.command(text(principal), text(id)),
  'verification-count': ({ digest, minute }) => keys.verificationCount(text(digest), Number(minute)),
  'request-count': ({ digest, window }) => requestCountKey(text(digest), Number(window)),
  job: ({ id }) => keys.job(text(id)),
  consumers: (item) => ({ sk: keys.consumers('', generationOf(item), numberOf(item)).sk }),
  ...runSpelling,
  ...stateSpelling,
  ...historySpelling,
};

const isRecordKind = (ty: string): ty is RecordKind => Object.hasOwn(recordKinds, ty);

/** Checks the list index keys. The partition of workspaces and projects depends on their organization: see references.ts. */
const listProblems = (ty: string, { l, lk, organization, name }: Item): string[] => {
  if (['workspace', 'project', 'project-tombstone'].includes(ty)) {
    return isText(l) && isSortableTime(lk) ? [] : ['its list index keys are not a partition and a time'];
  }
  if (ty === 'team' || isRecordKind(ty)) {
    const isRight = l === listPartition.records(text(organization), ty) && lk === name;
    return isRight ? [] : ['its list index keys do not match its organization and name'];
  }
  // Those of a variable set are checked with the rest of it.
  if (ty === 'variable-set') return [];
  return l === undefined && lk === undefined ? [] : ['it is in the list index but must not be'];
};

const tagProblems = (stored: unknown): string[] => {
  // Earlier versions stored an empty map on a workspace, and nothing on a project.
  if (stored === undefined || (isMap(stored) && Object.keys(stored).length === 0)) return [];
  if (!Array.isArray(stored) || !stored.every(isMap)) return ['its tags are not a list of tags'];
  const isValid = ({ key, value, at }: Item): boolean =>
    isText(key) && isCount(at, 1) && (value === undefined || isText(value));
  const tags = tagsOf(stored);
  const flat = tags.filter(isFlat).length;
  return [
    ...(stored.every(isValid) ? [] : ['one of its tags has no key, no time or an empty value']),
    ...(new Set(tags.map(({ key }) => key)).size === tags.length ? [] : ['it has the same tag twice']),
    ...(flat <= limits.tags && tags.length - flat <= limits.bindings ? [] : ['it has more tags than allowed']),
  ];
};

const projectProblems = ({ acc, defaults, tags, closing, gone }: Item): string[] => [
  ...((closing === undefined) === (gone === undefined)
    ? []
    : ['its attributes closing and gone contradict each other']),
  ...(isMap(acc) && isMap(defaults) ? [] : ['its team access or its default settings are missing']),
  ...tagProblems(tags),
  ...(tagsOf(tags).some((tag) => isMap(tag) && isFlat(tag))
    ? ['it has a tag without a value, which only a workspace may have']
    : []),
];

const agentPoolProblems = (item: Item): string[] => {
  const { organizationScoped: scoped, allowedWorkspaces, allowedProjects, excludedWorkspaces } = item;
  const isList = (list: unknown, kind: 'workspace' | 'project'): boolean =>
    list === undefined ||
    (Array.isArray(list) &&
      list.every((id) => isId(kind, text(id))) &&
      new Set(list).size === list.length &&
      list.length <= limits.agentPoolScope);
  const areLists =
    isList(allowedWorkspaces, 'workspace') &&
    isList(allowedProjects, 'project') &&
    isList(excludedWorkspaces, 'workspace');
  return areLists && (scoped === undefined || typeof scoped === 'boolean') ? [] : ['its scope is invalid'];
};

const policyProblems = (policy: unknown): string[] => {
  if (policy === undefined) return [];
  const { id, type, deleteOlderThanDays: days } = isMap(policy) ? policy : ({} as Item);
  const isFor = type === 'data-retention-policy-dont-deletes' ? days === null : isCount(days, 1);
  const isValid = isId('retentionPolicy', text(id)) && retentionPolicyTypes.some((known) => known === type) && isFor;
  return isValid ? [] : ['its data retention policy is invalid'];
};

const variableProblems = (item: Item): string[] => {
  const { id, category, key, value, sealed, ref, fp, description, hcl, createdAt, version } = item;
  const isNamed = isId('variable', text(id)) && isText(key) && categories.some((known) => known === category);
  const isOpen = typeof value === 'string' && sealed === undefined;
  const isEncrypted = sealed instanceof Uint8Array && value === undefined;
  return [
    ...(isNamed ? [] : ['its id, category or key is not valid for a variable']),
    ...(isOpen || isEncrypted ? [] : ['it must have either a value or an encrypted value']),
    ...(ref === undefined || (isText(ref) && value === '') ? [] : ['it has a value reference and a value']),
    ...(fp === undefined || (isText(fp) && ref === undefined) ? [] : ['its fingerprint is invalid']),
    ...(typeof hcl === 'boolean' && (description === null || typeof description === 'string')
      ? []
      : ['its hcl flag or its description is missing']),
    ...(isCount(createdAt, 1) && isText(version) ? [] : ['its creation time or its version is missing']),
  ];
};

/** The id pointer of a deleted variable remains as a tombstone until it expires. */
const variableIdProblems = (item: Item): string[] => {
  const { organization, workspace, project, variableSet, category, key, gone, request, ttl } = item;
  const isOwned = variableSet === undefined ? isText(workspace) && isText(project) : isText(variableSet);
  if (!isText(organization) || !isOwned) return ['it has no organization, workspace or project, and no variable set'];
  const leads = isText(category) && isText(key);
  const isAlive = gone === undefined && ttl === undefined && leads;
  const isTombstone = isCount(gone, 1) && isCount(ttl, 1) && isText(request) && category === undefined;
  return isAlive || isTombstone ? [] : ['it is neither a pointer to a variable nor a tombstone'];
};

const GENERATION = new RegExp(`^${BASE58_CLASS}{12}$`);

const consumerSetProblems = (set: unknown): string[] => {
  if (set === undefined) return [];
  const { generation, chunks, changes, atMost } = isMap(set) ? set : ({} as Item);
  const isValid = GENERATION.test(text(generation)) && isCount(chunks, 1) && isCount(changes, 1) && isCount(atMost, 0);
  return isValid && Number.isInteger(Math.log2(chunks as number))
    ? []
    : ['its set of remote state consumers is invalid'];
};

const chunkProblems = (item: Item): string[] => {
  const { ids, n } = item;
  const of = ids instanceof Set ? [...ids] : [];
  const isValid =
    GENERATION.test(generationOf(item)) &&
    isCount(n, 0) &&
    (ids === undefined || (of.length > 0 && of.length <= CHUNK_CAPACITY)) &&
    of.every((id) => isId('workspace', `${prefixes.workspace}${id}`));
  return isValid ? [] : ['it is not a valid chunk of remote state consumers'];
};

const isChangeRecord = (chg: unknown): boolean =>
  isMap(chg) && isText(chg['id']) && isText(chg['type']) && isMap(chg['actor']) && isCount(chg['at'], 1);

const workspaceProblems = (item: Item): string[] => {
  const { id, set, ow, lock, fence, seq, rev, chg, gone, pa, ttl, d, dk, txt, x, acc, tags, hv, vn, ls, lr } = item;
  const problems: string[] = [];
  const must = (holds: boolean, problem: string): void => {
    if (!holds) problems.push(problem);
  };
  must(isMap(set) && isMap(ow) && isMap(acc), 'its settings, overwrites or team access are missing');
  must(isCount(seq, 1), 'its sequence number is not a positive integer');
  must(isCount(rev, 1), 'its revision is not a positive integer');
  must(isCount(fence, 0), 'its fencing token is not a non-negative integer');
  must(hv === undefined ? vn === undefined : hv === true && isCount(vn, 0), 'its variable count is missing or invalid');
  must(isChangeRecord(chg), 'its last change record is missing or invalid');
  must(lr === undefined || lock !== undefined, 'it has the reason of a lock, but no lock');
  if (lock !== undefined) {
    const { kind, by, name, reason, at, id: lockId, leaseSeconds, expiresAt } = isMap(lock) ? lock : ({} as Item);
    const isValid = ['User', 'Team', 'Run'].includes(text(kind)) && [lockId, by, name].every(isText);
    must(isValid && typeof reason === 'string' && isCount(at, 1), 'its lock is invalid');
    const hasLease = leaseSeconds !== undefined || expiresAt !== undefined;
    must(!hasLease || (isCount(leaseSeconds, 1) && isCount(expiresAt, 1)), 'the lease of its lock is invalid');
    must(isCount(fence, 1), 'it is locked, but its fencing token was never increased');
  }
  if (gone !== undefined) {
    must(isCount(gone, 1) && isCount(ttl, 1), 'it is deleted, but has no deletion time or no expiry');
    must(
      isQueuedForCleanup(item) || (d === undefined && dk === undefined),
      'it is deleted, but still due for automatic destruction',
    );
    must(x === undefined || pa !== undefined, 'it is deleted for good, but still has a long text');
    must(pa === undefined || isCount(pa, Number(gone)), 'the time until which it can be restored is invalid');
    return problems;
  }
  must(ttl === undefined && pa === undefined, 'it is not deleted, but has an expiry');
  problems.push(...tagProblems(tags));
  problems.push(...policyProblems(item['pol']), ...consumerSetProblems(item['cons']));
  must((x === undefined) === (txt !== undefined), 'its text must be stored either in it or in its text item');
  if (isMap(set) && isMap(ow)) {
    const workspace = workspaceOf(item);
    // Items that were written before lists had these filters have no copy.
    must(
      ls === undefined || isDeepStrictEqual(ls, listedSettings(workspace)),
      'the copy of its settings for lists is outdated',
    );
    const due = computeDueTime(workspace);
    const [shard, time] = due === undefined ? [undefined, undefined] : [duePartition(text(id)), sortableTime(due)];
    must(d === shard && dk === time, 'its due index keys do not match its settings');
    must(
      ow['executionMode'] === (set['executionMode'] !== null),
      'its execution mode overwrite does not match its settings',
    );
    // A workspace with its own agent mode stores a pool that it uses when there is none to inherit (WS-36).
    must(
      ow['agentPool'] === true || set['executionMode'] === 'agent' || set['agentPool'] === null,
      'it has an agent pool, but neither an agent pool overwrite nor an agent mode of its own',
    );
  }
  return problems;
};

/** True if the item is in the cleanup partition of the due index. */
const isQueuedForCleanup = ({ pk, id, sk, d, dk }: Item): boolean =>
  d === cleanupPartition(text(sk === WORKSPACE ? id : pk)) && isSortableTime(dk);

const cleanupProblems = (item: Item): string[] => {
  if (item['ty'] === 'workspace') return [];
  const isClosing = item['closing'] !== undefined;
  if (isClosing && !isQueuedForCleanup(item)) return ['its deletion has begun, but is not queued for cleanup'];
  const isDue = item['d'] !== undefined || item['dk'] !== undefined;
  // Chunks of consumers are queued until it is certain whether they came into force.
  if (['consumers', 'state-remains'].includes(text(item['ty'])) && isQueuedForCleanup(item)) return [];
  // A deleted variable set is queued until its variables and assignments are deleted.
  if (item['ty'] === 'variable-set' && item['gone'] !== undefined && isQueuedForCleanup(item)) return [];
  // Projects are queued until their workspaces have received the inherited auto-destroy setting.
  if (item['untold'] !== undefined)
    return isQueuedForCleanup(item) ? [] : ['its pending update of workspaces is not queued for cleanup'];
  return isDue && !isClosing ? ['it is in the due index but must not be'] : [];
};

/**
 * The change record and the sequence number of an item of the directory (STORE-29). Records that an earlier release wrote
 * have none until they change.
 */
const changeProblems = ({ ty, chg, seq }: Item): string[] => {
  if ((chg === undefined && seq === undefined) || ['workspace', 'variable-set', 'refusals'].includes(text(ty)))
    return [];
  return [
    ...(isChangeRecord(chg) ? [] : ['its last change record is missing or invalid']),
    ...(isCount(seq, 1) ? [] : ['its sequence number is not a positive integer']),
  ];
};

/** Checks an item that counts something until it expires. */
const countShape = ({ count, ttl }: Item): string[] =>
  isCount(count, 1) && isCount(ttl, 1) ? [] : ['its count or its expiry is missing'];

const shapes: Readonly<Record<string, (item: Item) => string[]>> = {
  workspace: workspaceProblems,
  'workspace-text': ({ txt, rev }) => (isMap(txt) && isCount(rev, 1) ? [] : ['its text or its revision is missing']),
  organization: ({ acc, shards, spreadAt, snapshotAt, retentionPolicy }) => [
    ...(isMap(acc) && isCount(shards, 1) ? [] : ['its team access or its shard count is missing']),
    ...(Number.isInteger(Math.log2(shards as number)) ? [] : ['its shard count is not a power of two']),
    ...([spreadAt, snapshotAt].every((at) => at === undefined || isCount(at, 1))
      ? []
      : ['its reshard time or its snapshot time is invalid']),
    ...policyProblems(retentionPolicy),
  ],
  project: projectProblems,
  agentPool: agentPoolProblems,
  consumers: chunkProblems,
  'project-tombstone': ({ gone, ttl }) =>
    isCount(gone, 1) && isCount(ttl, 1) ? [] : ['it is deleted, but has no deletion time or no expiry'],
  tombstone: ({ gone, ttl, chg }) =>
    isCount(gone, 1) && isCount(ttl, 1) && isMap(chg)
      ? []
      : ['it is deleted, but has no deletion time, no expiry or no change record'],
  team: ({ permissions }) =>
    permissions === 'owners' || Array.isArray(permissions) ? [] : ['its permissions are missing'],
  variable: variableProblems,
  ...variableSetShapes,
  'variable-id': variableIdProblems,
  ...runShapes,
  ...stateShapes,
  ...historyShapes,
  command: ({ fingerprint, ttl }) =>
    isText(fingerprint) && isCount(ttl, 1) ? [] : ['its fingerprint or its expiry is missing'],
  'verification-count': countShape,
  'request-count': countShape,
  refusals: ({ refusal, ttl }) =>
    isChangeRecord(refusal) && isCount(ttl, 1) ? [] : ['its last refused request or its expiry is missing'],
  'token-use': ({ digest, use, ttl }) =>
    isText(digest) && isChangeRecord(use) && isCount(ttl, 1)
      ? []
      : ['its digest, its change record or its expiry is missing'],
  job: ({ startedAt, revision, ttl }) =>
    isCount(startedAt, 1) && isCount(revision, 1) && isCount(ttl, 1)
      ? []
      : ['its start, its revision or its expiry is missing'],
  releases: ({ added, removed }) =>
    [added, removed].every((set) => set === undefined || set instanceof Set) ? [] : ['its versions are not sets'],
};

/** Returns the problems of a single item. */
export const problemsOf = (item: Item): string[] => {
  const ty = text(item['ty']);
  const spell = Object.hasOwn(spelling, ty) ? spelling[ty] : undefined;
  if (spell === undefined) return [`its type ${ty} is unknown`];
  const { pk = item['pk'], sk } = spell(item);
  const shape = Object.hasOwn(shapes, ty) ? shapes[ty] : undefined;
  return [
    ...(hasKnownVersion(item) ? [] : [`its schema version ${text(item['v'])} is unknown`]),
    ...(item['pk'] === pk && item['sk'] === sk ? [] : ['its key does not match its content']),
    ...listProblems(ty, item),
    ...cleanupProblems(item),
    ...changeProblems(item),
    ...(shape?.(item) ?? []),
  ];
};
