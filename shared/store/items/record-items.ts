import {
  absent,
  all,
  any,
  type Change,
  type Condition,
  equals,
  exists,
  merge,
} from '../../domain/changes/conditions.ts';
import type { OrganizationChange } from '../../domain/changes/organization-changes.ts';
import type { TeamPermissions } from '../../domain/directory/grants.ts';
import type {
  Membership,
  NamedKind,
  Organization,
  Project,
  RecordKind,
  Records,
  User,
} from '../../domain/directory/records.ts';
import type { Token, TokenSubject } from '../../domain/directory/tokens.ts';
import type { Entities, EntityKind, Stored } from '../../domain/directory/transitions/plan.ts';
import type { DomainError } from '../../domain/errors.ts';
import { base58 } from '../../lib/random.ts';
import { render } from '../dynamodb/expressions.ts';
import type { Item } from '../dynamodb/item.ts';
import { type ItemType, typeAndVersion } from '../dynamodb/item-schemas.ts';
import { type Key, keys, listPartition, recordKinds, sortableTime } from '../dynamodb/keys.ts';
import type { Write } from '../dynamodb/requests.ts';
import { organizationOf, packAccess, packAll, projectDefaults, projectOf, withoutKeys } from './directory-items.ts';

/** The items of the directory, and the writes that keep those of one record together. */

export const namedKinds = ['project', 'team', 'agentPool', 'sshKey', 'vcsConnection', 'appInstallation'] as const;

/** A write, and the error if its condition fails; without `refusal`, the change is planned again. */
export interface Guarded {
  readonly write: Write;
  readonly refusal?: (() => DomainError) | undefined;
  /** Whether a failed condition means that the change has nothing to do. */
  readonly isDoneOnFailure?: boolean | undefined;
}

const FRESH = absent('pk');
/** The item exists and is not being deleted. */
export const OPEN: Condition = all(exists('pk'), absent('closing'), absent('gone'));

/** Default number of partitions of the list index for a new organization's workspaces: 2,000 changes a second. */
export const DEFAULT_SHARDS = 4;

/** Builds the write of a whole item. By default, the item must not exist yet. */
export const put = (key: Key, ty: ItemType, item: Item, condition: Condition = FRESH): Write => ({
  kind: 'put',
  key,
  item: { ...item, ...key, ...typeAndVersion(ty) },
  ...render({ condition }),
});

/** Builds a change of an item. By default, the item must be `OPEN`. */
export const update = (key: Key, change: Change, condition: Condition = OPEN): Write => ({
  kind: 'update',
  key,
  ...render({ condition, change }),
});

/** Builds the deletion of an item. By default, it has no condition. */
export const remove = (key: Key, condition?: Condition): Write => ({ kind: 'delete', key, ...render({ condition }) });

/** Builds a check of an item without a change. By default, the item must be `OPEN`. */
export const check = (key: Key, condition: Condition = OPEN): Write => ({
  kind: 'check',
  key,
  ...render({ condition }),
});

/** Builds the attributes of a new item with its first change record (STORE-29). */
export const firstChange = (change: OrganizationChange) => ({ chg: change, seq: 1 });

/** Adds the change record to a change of an item, and counts it (STORE-29). */
export const withChangeRecord = (change: Change, chg: OrganizationChange): Change =>
  merge(change, { set: { chg }, count: ['seq'] });

/** Builds the attributes of a tombstone that only reports a deletion to the stream: it expires at once. */
export const expiringTombstone = (at: number) => ({ gone: at, ttl: Math.ceil(at / 1000) });

/**
 * Builds the write that turns an item into a tombstone with the change record of its deletion (STORE-29). The deletion of
 * an item would not tell the stream who made it.
 */
const tombstoneWrite = (key: Key, change: OrganizationChange): Write =>
  update(
    key,
    withChangeRecord({ set: { ...typeAndVersion('tombstone'), ...expiringTombstone(change.at) } }, change),
    OPEN,
  );

/** The item is absent, or a tombstone. */
const NONE: Condition = any(absent('pk'), exists('gone'));

/** The item is absent or has this id, so that the write can be repeated when its response was lost. */
export const ownOrNone = (id: string): Condition => any(absent('pk'), equals('id', id));

/** Builds the key of a named record by its kind and id. */
export const recordKey = (kind: NamedKind, id: string): Key =>
  kind === 'project' ? keys.project(id) : kind === 'team' ? keys.team(id) : keys.record(kind, id);

const isRecordKind = (kind: NamedKind): kind is RecordKind => kind in recordKinds;

/**
 * Builds the attributes of a record item, without its keys. Records are listed by name. Projects are listed with the
 * workspaces by the time of their last change, because one list index contains both.
 */
const recordItem = <K extends NamedKind>(kind: K, record: Records[K], now: number, shards: number): Item => {
  const { organization, name } = record;
  if (isRecordKind(kind) || kind === 'team') {
    return { ...record, l: listPartition.records(organization, kind), lk: name };
  }
  const { access, bindings, defaultExecutionMode, defaultAgentPool, defaultDeletionProtection, ...rest } =
    record as Project;
  const { organization: org, ...plain } = rest;
  return {
    ...plain,
    org,
    acc: access,
    tags: bindings,
    defaults: projectDefaults({ defaultExecutionMode, defaultAgentPool, defaultDeletionProtection }),
    l: listPartition.workspacesOf(organization, record.id, shards),
    lk: sortableTime(now),
  };
};

/** Converts a stored item to a record of its kind. */
export const recordOf = <K extends NamedKind>(kind: K, item: Item): Records[K] =>
  (kind === 'project' ? projectOf(item) : withoutKeys(item)) as unknown as Records[K];

/** Converts a stored item to a record of any kind, with what the table knows of its deletion. */
export const storedOf = <K extends EntityKind>(kind: K, item: Item): Stored<K> => {
  const { closing: closingSince, gone: deletedAt } = item as { readonly closing?: number; readonly gone?: number };
  const record =
    kind === 'organization'
      ? organizationOf(item)
      : kind === 'user'
        ? (withoutKeys(item) as unknown as User)
        : recordOf(kind, item);
  return {
    kind,
    record: record as Entities[K],
    ...(closingSince !== undefined && { closingSince }),
    ...(deletedAt !== undefined && { deletedAt }),
  };
};

/** Returns the key of a stored item. */
export const keyOf = (item: Item): Key => ({ pk: String(item['pk']), sk: String(item['sk']) });

/** Returns the kind of the named record that an item is; undefined for any other item. */
export const namedKindOf = ({ ty }: Item): NamedKind | undefined => namedKinds.find((kind) => kind === ty);

/** Builds the key of the claim on the name of a record; undefined for an item that is no named record. */
export const claimOf = (item: Item): Key | undefined => {
  const kind = namedKindOf(item);
  if (kind === undefined) return undefined;
  const { organization, name } = recordOf(kind, item);
  return keys.claim(organization, kind, name);
};

/**
 * Builds the write that claims a name for a record. It fails if another record has the name. The version changes with
 * every rename and every reopening, so that a deletion notices them (`close.ts`).
 */
export const takeName = (kind: NamedKind, organization: string, name: string, id: string): Write =>
  put(keys.claim(organization, kind, name), 'name', { kind, id, version: base58(8) }, ownOrNone(id));

/** Builds the deletion of the claim on a name. It fails if another record has the name. */
export const giveUpName = (kind: NamedKind, organization: string, name: string, id: string): Write =>
  remove(keys.claim(organization, kind, name), ownOrNone(id));

/** Builds the writes of a new record, with the change record of its creation, and of the claim on its name. */
export const recordWrites = <K extends NamedKind>(
  kind: K,
  record: Records[K],
  change: OrganizationChange,
  shards: number = DEFAULT_SHARDS,
): Write[] => [
  put(recordKey(kind, record.id), kind, { ...recordItem(kind, record, change.at, shards), ...firstChange(change) }),
  takeName(kind, record.organization, record.name, record.id),
];

/** Builds the change of a team's permissions on the organization item; a team without permissions has no entry. */
export const accessChange = (team: string, access: TeamPermissions): Change =>
  access === 'owners' || access.length > 0
    ? { set: { [`acc.${team}`]: packAccess(access) } }
    : { remove: [`acc.${team}`] };

/** Builds the write of a new organization. */
export const organizationItem = ({ access, ...organization }: Organization, change: OrganizationChange): Write =>
  put(keys.organization(organization.name), 'organization', {
    ...organization,
    acc: packAll(access),
    ...firstChange(change),
  });

/**
 * Builds the two items of a team membership: one to find the teams of a user, one to find the members of a team. The
 * second one has the change record. It may replace the tombstone of an earlier membership, whose counter it continues.
 */
export const membershipWrites = (
  user: string,
  organization: string,
  team: string,
  change: OrganizationChange,
): Write[] => {
  const item = { user, organization, team, at: change.at };
  return [
    put(keys.membership(user, organization, team), 'membership', item, all()),
    update(
      keys.member(team, user),
      withChangeRecord({ set: { ...item, ...typeAndVersion('member') }, remove: ['gone', 'ttl'] }, change),
      all(),
    ),
  ];
};

/**
 * Builds the items of an organization membership: by user, by organization, and by id. A new `revision` makes a
 * concurrent end of the membership fail, so that it sees a team that the user joined meanwhile. The item of the
 * organization has the change record.
 */
export const joinWrites = (
  { id, organization, user, createdAt, invited }: Membership,
  revision: string,
  change: OrganizationChange,
): Write[] => {
  const membership = { id, organization, user, createdAt, ...(invited && { invited }) };
  return [
    put(keys.organizationMembership(user, organization), 'organization-membership', { ...membership, revision }),
    put(
      keys.organizationMember(organization, user),
      'organization-member',
      { ...membership, ...firstChange(change) },
      NONE,
    ),
    put(keys.pointer(id), 'organization-membership-id', membership),
  ];
};

/**
 * Builds the writes that end a membership, from one of its items: of a team, or, without `team`, of an organization. They
 * leave a tombstone with the change record in place of the item of the team or organization.
 */
export const membershipEnd = (
  { id, user, organization, team }: Item,
  change: OrganizationChange,
  asSeen?: Condition,
): Write[] =>
  team === undefined
    ? [
        remove(keys.organizationMembership(String(user), String(organization)), asSeen),
        tombstoneWrite(keys.organizationMember(String(organization), String(user)), change),
        remove(keys.pointer(String(id))),
      ]
    : [
        remove(keys.membership(String(user), String(organization), String(team))),
        tombstoneWrite(keys.member(String(team), String(user)), change),
      ];

/** Builds the deletions of a membership that ends because its team or organization is deleted. */
export const membershipRemovals = ({ id, user, organization, team }: Item): Write[] =>
  team === undefined
    ? [
        remove(keys.organizationMembership(String(user), String(organization))),
        remove(keys.organizationMember(String(organization), String(user))),
        remove(keys.pointer(String(id))),
      ]
    : [
        remove(keys.membership(String(user), String(organization), String(team))),
        remove(keys.member(String(team), String(user))),
      ];

/**
 * Builds the items of a token: by its digest, among those of its subject, and by its id. The item of the subject has the
 * change record. Both have `unused` until the first use is recorded; tokens of agent pools authenticate no requests.
 */
export const tokenWrites = ({ digest, subject, ...token }: Token, change: OrganizationChange): Write[] => {
  const { id } = token;
  const owner = { kind: subject.kind, subject: subject.id };
  const use = subject.kind === 'agentPool' ? {} : { unused: true };
  return [
    put(keys.token(digest), 'token', { ...token, ...owner, ...use }),
    put(keys.tokenOf(subject, id), 'token-of', { ...token, ...owner, ...use, digest, ...firstChange(change) }),
    put(keys.pointer(id), 'token-id', { id, ...owner, digest }),
  ];
};

/** Builds the write that records the first use of a token. It fails if the use is recorded, or the token revoked. */
export const tokenUseWrite = (subject: TokenSubject, id: string, change: OrganizationChange): Write =>
  update(keys.tokenOf(subject, id), withChangeRecord({ remove: ['unused'] }, change), all(OPEN, exists('unused')));

/** Builds the write after which requests with a token no longer report its first use. */
export const tokenUseEnd = (digest: string): Write =>
  update(keys.token(digest), { remove: ['unused'] }, exists('unused'));

/** Builds the writes that revoke a token. They leave a tombstone with the change record in place of the subject's item. */
export const tokenRevocation = (
  { id, digest, subject }: Pick<Token, 'id' | 'digest' | 'subject'>,
  change: OrganizationChange,
): Write[] => [remove(keys.token(digest)), tombstoneWrite(keys.tokenOf(subject, id), change), remove(keys.pointer(id))];

/** Builds the deletions of the three items of a token whose subject is deleted. */
export const tokenRemovals = ({ id, digest, subject }: Pick<Token, 'id' | 'digest' | 'subject'>): Write[] => [
  remove(keys.token(digest)),
  remove(keys.tokenOf(subject, id)),
  remove(keys.pointer(id)),
];

const subjectKeys: Readonly<Record<Exclude<TokenSubject['kind'], 'site'>, (id: string) => Key>> = {
  user: keys.user,
  team: keys.team,
  organization: keys.organization,
  'audit-trails': keys.organization,
  agentPool: (id) => keys.record('agentPool', id),
};

/** Returns the key of the record that a token belongs to; undefined for a site token, which has none, and for an unknown kind. */
export const tokenSubjectKey = ({ kind, id }: TokenSubject): Key | undefined =>
  kind !== 'site' && Object.hasOwn(subjectKeys, kind) ? subjectKeys[kind](id) : undefined;

/** Returns the subject of a token from any of its items. */
export const tokenSubjectOf = (item: Item): TokenSubject => ({
  kind: item['kind'] as TokenSubject['kind'],
  id: String(item['subject']),
});

/** Converts the item that a subject has of a token. */
export const tokenOf = (item: Item): Token => {
  const { id, digest, name, organization, description, expiresAt, createdAt, createdBy } = item as unknown as Token;
  const subject = tokenSubjectOf(item);
  return { id, digest, subject, name, organization, description, expiresAt, createdAt, createdBy } as Token;
};
