import { absent, all, any, type Change, type Condition, equals, exists } from '../../domain/changes/conditions.ts';
import type { OrganizationChange } from '../../domain/changes/organization-changes.ts';
import { type Effect, type NameClaim, OPEN, type Target } from '../../domain/directory/transitions/plan.ts';
import { base58 } from '../../lib/random.ts';
import { type Attributes, render } from '../dynamodb/expressions.ts';
import { typeAndVersion } from '../dynamodb/item-schemas.ts';
import { type Key, keys } from '../dynamodb/keys.ts';
import type { Write } from '../dynamodb/requests.ts';
import {
  expiringTombstone,
  firstChange,
  type Guarded,
  put,
  recordKey,
  remove,
  update,
  withChangeRecord,
} from './record-items.ts';

/** The writes of the effects of the directory. Stored names and encodings are known here only. */

/** Stored names of the attributes that have another name in the domain. */
const names = { closingSince: 'closing', deletedAt: 'gone' };
const attributes: Attributes = { names: new Map(Object.entries(names)) };

/** Builds the key of a record. */
const targetKey = ({ kind, id }: Target): Key =>
  kind === 'organization' ? keys.organization(id) : kind === 'user' ? keys.user(id) : recordKey(kind, id);

/** The item is absent or has this id, so that the write can be repeated when its response was lost. */
const ownOrNone = (id: string): Condition => any(absent('pk'), equals('id', id));

const claimKey = (claim: NameClaim): Key =>
  claim.of === 'user' ? keys.username(claim.name) : keys.claim(claim.organization, claim.of, claim.name);

/**
 * Builds the end of an item. With a change record, it leaves a tombstone that expires at once, because the deletion of an
 * item would not tell the stream who made it (STORE-29).
 */
const ending = (key: Key, change: OrganizationChange | undefined): Write => {
  if (change === undefined) return remove(key);
  const set = { ...typeAndVersion('tombstone'), ...expiringTombstone(change.at) };
  return updateTarget(key, withChangeRecord({ set }, change), OPEN);
};

const updateTarget = (key: Key, change: Change, condition: Condition): Write => ({
  kind: 'update',
  key,
  ...render({ condition, change }, attributes),
});

const checkTarget = (key: Key, condition: Condition = OPEN): Write => ({
  kind: 'check',
  key,
  ...render({ condition }, attributes),
});

type Writers = {
  readonly [K in Effect['kind']]: (effect: Extract<Effect, { readonly kind: K }>) => readonly Write[];
};

const writers: Writers = {
  require: ({ of, condition }) => [checkTarget(targetKey(of), condition)],

  'require-member': ({ team, user }) => [checkTarget(keys.member(team, user))],

  update: ({ of, change, condition = OPEN, changeRecord }) => [
    updateTarget(targetKey(of), changeRecord ? withChangeRecord(change, changeRecord) : change, condition),
  ],

  'create-user': ({ user }) => [put(keys.user(user.id), 'user', { ...user })],

  /** The version changes with every rename and every reopening, so that a deletion notices them. */
  'take-name': ({ claim }) =>
    claim.of === 'user'
      ? [put(claimKey(claim), 'username', { id: claim.id }, ownOrNone(claim.id))]
      : [put(claimKey(claim), 'name', { kind: claim.of, id: claim.id, version: base58(8) }, ownOrNone(claim.id))],

  'give-up-name': ({ claim }) => [remove(claimKey(claim), ownOrNone(claim.id))],

  'add-email': ({ user: { id, email } }) => [put(keys.email(email, id), 'email', { user: id }, all())],

  'remove-email': ({ user: { id, email } }) => [remove(keys.email(email, id))],

  /** Items by user, by organization and by id. That of the organization has the change record. */
  'join-organization': ({ membership, changeRecord }) => {
    const { id, user, organization } = membership;
    const member = { ...membership, ...firstChange(changeRecord) };
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
    const { user, organization, team } = membership;
    const item = { user, organization, team, at: changeRecord.at };
    const change = { set: { ...item, ...typeAndVersion('member') }, remove: ['gone', 'ttl'] };
    return [
      put(keys.membership(user, organization, team), 'membership', item, all()),
      update(keys.member(team, user), withChangeRecord(change, changeRecord), all()),
    ];
  },

  'leave-team': ({ membership: { user, organization, team }, changeRecord }) => [
    remove(keys.membership(user, organization, team)),
    ending(keys.member(team, user), changeRecord),
  ],

  'rename-token': ({ token: { id, digest, subject }, name }) =>
    [keys.token(digest), keys.tokenOf(subject, id)].map((key) => update(key, { set: { name } }, exists('pk'))),
};

/** Builds the writes of an effect. */
export const effectWrites = (effect: Effect): Guarded[] => {
  const { rejection, isDoneOnFailure } = effect;
  const write = writers[effect.kind] as (of: Effect) => readonly Write[];
  return write(effect).map((one) => ({ write: one, refusal: rejection, isDoneOnFailure }));
};
