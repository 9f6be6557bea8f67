import { absent, all, any, type Change, equals, exists, merge, unchanged } from '../../domain/changes/conditions.ts';
import type { OrganizationChange } from '../../domain/changes/organization-changes.ts';
import type { TeamPermissions } from '../../domain/directory/grants.ts';
import type { NamedKind, Records } from '../../domain/directory/records.ts';
import {
  type Effect,
  type EntityKind,
  type NameClaim,
  OPEN,
  type Target,
} from '../../domain/directory/transitions/plan.ts';
import { computedId } from '../../domain/ids.ts';
import { tombstoneExpiry } from '../../domain/transitions/workspaces/delete-workspace.ts';
import { base58 } from '../../lib/random.ts';
import type { Attributes } from '../dynamodb/expressions.ts';
import { typeAndVersion } from '../dynamodb/item-schemas.ts';
import { cleanupPartition, type Key, keys, sortableTime } from '../dynamodb/keys.ts';
import type { Write } from '../dynamodb/requests.ts';
import { packAccess } from './directory-items.ts';
import { check, ownOrNone, put, remove, update } from './item-write.ts';
import {
  entityItem,
  expiringTombstone,
  type Guarded,
  recordKey,
  storedChange,
  storedNames,
  withChangeRecord,
} from './record-items.ts';

/** The writes of the effects of the directory. Stored names and encodings are known here only. */

/** Names and encodings of attributes by kind, for expressions. */
const attributes = (kind: EntityKind): Attributes => ({
  names: new Map(Object.entries(storedNames(kind))),
  encode: (path, value) => {
    if (kind === 'organization' && path.startsWith('access.')) return packAccess(value as TeamPermissions);
    return path === 'listedAt' || path === 'cleanupAt' ? sortableTime(value as number) : value;
  },
});

/**
 * Completes a change of a record: records are listed by name, except projects, and a record that the cleanup has to visit
 * is in a partition of its queue.
 */
const completeChange = ({ kind }: Target, { pk }: Key, change: Change): Change => {
  const { set = {}, remove = [] } = change;
  const isListedByName = kind !== 'organization' && kind !== 'user' && kind !== 'project';
  return merge(change, {
    set: {
      ...(isListedByName && set['name'] !== undefined && { lk: set['name'] }),
      ...(set['cleanupAt'] !== undefined && { d: cleanupPartition(pk) }),
    },
    remove: remove.includes('cleanupAt') ? ['d'] : [],
  });
};

/** Builds the key of a record. */
export const targetKey = ({ kind, id }: Target): Key =>
  kind === 'organization' ? keys.organization(id) : kind === 'user' ? keys.user(id) : recordKey(kind, id);

/** Builds the key of the claim on a name. */
export const claimKey = (claim: NameClaim): Key =>
  claim.of === 'user' ? keys.username(claim.name) : keys.claim(claim.organization, claim.of, claim.name);

/**
 * Builds the end of an item. With a change record, it leaves a tombstone that expires at once, because the deletion of an
 * item would not tell the stream who made it (STORE-29).
 */
const ending = (key: Key, change: OrganizationChange | undefined): Write => {
  if (change === undefined) return remove(key);
  const set = { ...typeAndVersion('tombstone'), ...expiringTombstone(change.at) };
  return update(key, withChangeRecord({ set }, change));
};

type Writers = {
  readonly [K in Effect['kind']]: (effect: Extract<Effect, { readonly kind: K }>) => readonly Write[];
};

const writers: Writers = {
  create: ({ of, record, shards = 0, changeRecord }) => {
    const item = {
      ...entityItem(of, record as never, changeRecord?.at ?? 0, shards),
      ...(changeRecord && { chg: storedChange(of, changeRecord), seq: 1 }),
    };
    return [put(targetKey({ kind: of, id: 'id' in record ? record.id : record.name }), of, item)];
  },

  require: ({ of, condition = OPEN }) => [check(targetKey(of), condition, attributes(of.kind))],

  'require-member': ({ team, user }) => [check(keys.member(team, user))],

  update: ({ of, change, condition = OPEN, changeRecord }) => {
    const key = targetKey(of);
    const complete = completeChange(of, key, change);
    const recorded = changeRecord ? withChangeRecord(complete, storedChange(of.kind, changeRecord)) : complete;
    return [update(key, recorded, condition, attributes(of.kind))];
  },

  /** The version changes with every rename and every reopening, so that a deletion notices them. */
  'take-name': ({ claim }) =>
    claim.of === 'user'
      ? [put(claimKey(claim), 'username', { id: claim.id }, ownOrNone(claim.id))]
      : [put(claimKey(claim), 'name', { kind: claim.of, id: claim.id, version: base58(8) }, ownOrNone(claim.id))],

  'release-name': ({ claim, version }) => [
    remove(claimKey(claim), all(equals('id', claim.id), unchanged('version', version))),
  ],

  'revise-name': ({ claim }) => [update(claimKey(claim), { set: { version: base58(8) } }, equals('id', claim.id))],

  delete: ({ of, condition }) => [remove(targetKey(of), condition, attributes(of.kind))],

  /** The tombstone of a project is kept longer than any list index in memory, so each reads the deletion. */
  bury: ({ stored: { kind, record, listPartition: l, listedAt, changeCount = 0 }, at, condition, changeRecord }) => {
    const { id, name, organization } = record as Records[NamedKind];
    const recorded = { id, name, chg: changeRecord, seq: changeCount + 1 };
    const key = targetKey({ kind, id });
    if (listedAt === undefined) {
      return [put(key, 'tombstone', { ...recorded, organization, ...expiringTombstone(at) }, condition)];
    }
    const listed = { org: organization, l, lk: sortableTime(listedAt), gone: at, ttl: tombstoneExpiry(at) };
    return [put(key, 'project-tombstone', { ...recorded, ...listed }, condition)];
  },

  'give-up-name': ({ claim }) => [remove(claimKey(claim), ownOrNone(claim.id))],

  'add-email': ({ user: { id, email } }) => [put(keys.email(email, id), 'email', { user: id }, all())],

  'remove-email': ({ user: { id, email } }) => [remove(keys.email(email, id))],

  /** Items by user, by organization and by id. The item by organization has the change record. */
  'join-organization': ({ membership, changeRecord }) => {
    const { id, user, organization } = membership;
    const member = { ...membership, chg: changeRecord, seq: 1 };
    return [
      put(keys.organizationMembership(user, organization), 'organization-membership', {
        ...membership,
        revision: base58(8),
      }),
      put(
        keys.organizationMember(organization, user),
        'organization-member',
        member,
        any(absent('pk'), exists('gone')),
      ),
      put(keys.pointer(id), 'organization-membership-id', { ...membership }),
    ];
  },

  'revise-membership': ({ user, organization }) => [
    update(keys.organizationMembership(user, organization), { set: { revision: base58(8) } }, exists('pk')),
  ],

  'leave-organization': ({ membership: { id, user, organization }, revision, changeRecord }) => [
    remove(
      keys.organizationMembership(user, organization),
      revision === undefined ? undefined : equals('revision', revision),
    ),
    ending(keys.organizationMember(organization, user), changeRecord),
    remove(keys.pointer(id)),
  ],

  /**
   * Items to find the teams of a user and the members of a team. The second one has the change record. It may replace the
   * tombstone of an earlier membership, whose counter it continues.
   */
  'join-team': ({ membership, changeRecord }) => {
    const { user, organization, team, source } = membership;
    const item = { user, organization, team, at: changeRecord.at, ...(source !== undefined && { source }) };
    const remove = ['gone', 'ttl', ...(source === undefined ? ['source'] : [])];
    const change = { set: { ...item, ...typeAndVersion('member') }, remove };
    return [
      put(keys.membership(user, organization, team), 'membership', item, all()),
      update(keys.member(team, user), withChangeRecord(change, changeRecord), all()),
    ];
  },

  'leave-team': ({ membership: { user, organization, team }, changeRecord }) => [
    remove(keys.membership(user, organization, team)),
    ending(keys.member(team, user), changeRecord),
  ],

  'keep-team': ({ membership: { user, organization, team } }) => [
    update(keys.membership(user, organization, team), { remove: ['source'] }, exists('pk')),
    update(keys.member(team, user), { remove: ['source'] }),
  ],

  /** The item by organization has the change record. */
  'update-membership': ({ user, organization, times = {}, changeRecord }) => [
    update(keys.organizationMembership(user, organization), { set: { revision: base58(8), ...times } }, exists('pk')),
    update(keys.organizationMember(organization, user), withChangeRecord({ set: { ...times } }, changeRecord)),
  ],

  'create-access-id': ({ project: { id: project, organization }, team }) => {
    const id = computedId('projectAccess', project, team);
    return [put(keys.pointer(id), 'project-access-id', { id, organization, project, team }, all())];
  },

  'delete-access-id': ({ project, team }) => [remove(keys.pointer(computedId('projectAccess', project, team)))],

  'create-tag-key-id': ({ id, organization }) => [put(keys.pointer(id), 'reserved-tag-key-id', { id, organization })],

  'delete-tag-key-id': ({ id }) => [remove(keys.pointer(id))],

  /**
   * Items by digest, among the tokens of the subject, and by id. Those of pipelines, logins and sessions are removed
   * after they expire, because there are many of them. The item of the subject has the change record. Both
   * have `unused` until the first use is recorded; tokens of agent pools authenticate no requests, and the use of a session is
   * known from its renewals.
   */
  'create-token': ({ token: { digest, subject, ...token }, changeRecord }) => {
    const { id, session, expiresAt = 0 } = token;
    const owner = { kind: subject.kind, subject: subject.id };
    const isShort = subject.kind === 'workloadIdentity' || token.login || session !== undefined;
    const ttl = isShort && { ttl: Math.ceil(expiresAt / 1_000) };
    const reportsUse = subject.kind !== 'agentPool' && session === undefined;
    const item = { ...token, ...owner, ...(reportsUse && { unused: true }), ...ttl };
    const recorded = changeRecord && { chg: changeRecord, seq: 1 };
    return [
      put(keys.token(digest), 'token', item),
      put(keys.tokenOf(subject, id), 'token-of', { ...item, digest, ...recorded }),
      put(keys.pointer(id), 'token-id', { id, ...owner, digest, ...ttl }),
    ];
  },

  'revoke-token': ({ token: { id, digest, subject }, changeRecord }) => [
    remove(keys.token(digest)),
    ending(keys.tokenOf(subject, id), changeRecord),
    remove(keys.pointer(id)),
  ],

  'delete-run-token': ({ digest }) => [remove(keys.token(digest), equals('ty', 'run-token'))],

  'rename-token': ({ token: { id, digest, subject }, name }) =>
    [keys.token(digest), keys.tokenOf(subject, id)].map((key) => update(key, { set: { name } }, exists('pk'))),

  'suspend-token': ({ token: { id, digest, subject }, suspended }) => {
    const change = suspended ? { set: { suspended } } : { remove: ['suspended'] };
    return [keys.token(digest), keys.tokenOf(subject, id)].map((key) => update(key, change, exists('pk')));
  },

  /** Items by issuer and subject, and at the user. */
  'link-identity': ({ identity }) => [
    put(keys.linkedIdentity(identity.id), 'linked-identity', { ...identity }),
    put(keys.linkedIdentityOf(identity.user, identity.id), 'linked-identity-of', {
      id: identity.id,
      user: identity.user,
    }),
  ],

  'unlink-identity': ({ identity: { id, user } }) => [
    remove(keys.linkedIdentity(id)),
    remove(keys.linkedIdentityOf(user, id)),
  ],

  'require-identity': ({ id, user }) => [check(keys.linkedIdentity(id), equals('user', user))],

  'disable-provider': ({ provider, at }) => [
    put(keys.disabledProvider(provider), 'disabled-provider', { name: provider, disabledAt: at }, all()),
  ],

  'enable-provider': ({ provider }) => [remove(keys.disabledProvider(provider))],

  'require-provider': ({ provider }) => [check(keys.disabledProvider(provider), absent('pk'))],

  'map-group': ({ mapping: { group, organization, team } }) => [
    put(keys.group(group, organization, team), 'group', { organization, team }, all()),
  ],

  'unmap-group': ({ mapping: { group, organization, team } }) => [remove(keys.group(group, organization, team))],

  /** Items by id, at the user, at the identity provider, and by the id that the provider gave its own session. */
  'start-session': ({ session }) => {
    const { id, user, provider, issuer, sid, expiresAt } = session;
    const ttl = Math.ceil(expiresAt / 1_000);
    const pointer = { id, user, ttl };
    return [
      put(keys.session(id), 'session', { ...session, ttl }),
      put(keys.sessionOf(user, id), 'session-of', pointer),
      put(keys.sessionAtProvider(provider, id), 'session-at-provider', { ...pointer, provider }),
      ...(sid === undefined || issuer === undefined
        ? []
        : [put(keys.sessionOfProvider(issuer, sid, id), 'session-of-provider', pointer)]),
    ];
  },

  'renew-session': ({ before: { id, revision }, change }) => [
    update(keys.session(id), { set: { ...change } }, all(exists('pk'), unchanged('revision', revision))),
  ],

  'end-session': ({ session: { id, user, provider, issuer, sid, revision }, isUnchanged }) => [
    remove(keys.session(id), isUnchanged && all(exists('pk'), unchanged('revision', revision))),
    remove(keys.sessionOf(user, id)),
    remove(keys.sessionAtProvider(provider, id)),
    ...(sid === undefined || issuer === undefined ? [] : [remove(keys.sessionOfProvider(issuer, sid, id))]),
  ],
};

/** Builds the writes of an effect. */
export const effectWrites = (effect: Effect): Guarded[] => {
  const { rejection, isDoneOnFailure } = effect;
  const write = writers[effect.kind] as (of: Effect) => readonly Write[];
  return write(effect).map((one) => ({ write: one, rejection, isDoneOnFailure }));
};
