import { all, below, type Change, type Condition, exists, merge } from '../../domain/changes/conditions.ts';
import type { OrganizationChange } from '../../domain/changes/organization-changes.ts';
import type { NamedKind, Organization, Project, RecordKind, Records } from '../../domain/directory/records.ts';
import type { Token, TokenSubject } from '../../domain/directory/tokens.ts';
import type { Entities, EntityKind, Stored } from '../../domain/directory/transitions/plan.ts';
import type { DomainError } from '../../domain/errors.ts';
import { type Item, type Key, keys, listPartition, recordKinds, sortableTime } from '../dynamodb/keys.ts';
import type { Write } from '../dynamodb/requests.ts';
import { STORED_SECRET, secrets } from './changed-resource.ts';
import { organizationOf, type ProjectDefaults, packAll, projectOf, withoutKeys } from './directory-items.ts';
import { OPEN, update } from './item-write.ts';

/** The items of the directory, and the writes that keep the items of one record consistent. */

export const namedKinds = [
  'project',
  'team',
  'agentPool',
  'sshKey',
  'vcsConnection',
  'appInstallation',
  'workloadIdentity',
] as const;

/** A write, and the error if its condition fails; without `rejection`, the change is planned again. */
export interface Guarded {
  readonly write: Write;
  readonly rejection?: (() => DomainError) | undefined;
  /** Whether a failed condition means that the change has nothing to do. */
  readonly isDoneOnFailure?: boolean | undefined;
}

/** Adds the change record to a change of an item, and counts it (STORE-29). */
export const withChangeRecord = (change: Change, chg: OrganizationChange): Change =>
  merge(change, { set: { chg }, count: ['seq'] });

/** Builds the attributes of a tombstone that only reports a deletion to the stream: it expires at once. */
export const expiringTombstone = (at: number) => ({ gone: at, ttl: Math.ceil(at / 1000) });

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
    const names = storedNames(kind);
    const attributes = Object.entries(record).map(([member, value]) => [names[member] ?? member, value]);
    return { ...Object.fromEntries(attributes), l: listPartition.records(organization, kind), lk: name };
  }
  const { access, bindings, organization: org, ...settings } = record as Project;
  const {
    defaultExecutionMode: mode,
    defaultAgentPool: pool,
    defaultDeletionProtection: protection,
    ...plain
  } = settings;
  const defaults: ProjectDefaults = { mode, pool, ...(typeof protection === 'boolean' && { protection }) };
  return {
    ...plain,
    org,
    acc: access,
    tags: bindings,
    defaults,
    l: listPartition.workspacesOf(organization, record.id, shards),
    lk: sortableTime(now),
  };
};

/** Converts a stored item to a record of its kind. */
export const recordOf = <K extends NamedKind>(kind: K, item: Item): Records[K] => {
  if (kind === 'project') return projectOf(item) as unknown as Records[K];
  const { [STORED_SECRET]: secret, ...record } = withoutKeys(item);
  return { ...record, ...(secret !== undefined && { [secrets[kind] ?? '']: secret }) } as unknown as Records[K];
};

/** Stored names of the attributes that have another name in the domain, for every kind. */
const commonNames = {
  closingSince: 'closing',
  deletedAt: 'gone',
  deletion: 'deletion',
  lastChange: 'chg',
  listPartition: 'l',
  changeCount: 'seq',
  hasUncopiedSettings: 'untold',
  cleanupAt: 'dk',
  singleToken: 'token',
  auditTrailToken: 'auditToken',
  tokenRevision: 'tokenRevision',
  tagKeyRevision: 'tagKeyRevision',
};
const namesOfKind: { readonly [K in EntityKind]?: Readonly<Record<string, string>> } = {
  organization: { access: 'acc' },
  project: {
    organization: 'org',
    access: 'acc',
    bindings: 'tags',
    defaultExecutionMode: 'defaults.mode',
    defaultAgentPool: 'defaults.pool',
    defaultDeletionProtection: 'defaults.protection',
    listedAt: 'lk',
  },
  sshKey: { encryptedKey: STORED_SECRET },
  vcsConnection: { encryptedToken: STORED_SECRET },
};

/** Returns the stored names, or paths, of the attributes of a kind that have another name in the domain. */
export const storedNames = (kind: EntityKind): Readonly<Record<string, string>> => ({
  ...commonNames,
  ...namesOfKind[kind],
});

/** Members of `Stored` besides the record. */
const bookkeeping = Object.entries(commonNames).filter(([name]) => name !== 'cleanupAt');

/** Converts a stored item to a record of its kind, also while it is being deleted. */
export const storedOf = <K extends EntityKind>(kind: K, item: Item): Stored<K> => ({
  kind,
  record: entityOf(kind, item),
  ...Object.fromEntries(
    bookkeeping.flatMap(([name, stored]) => (item[stored] === undefined ? [] : [[name, item[stored]]])),
  ),
  ...(kind === 'project' && { listedAt: Number(item['lk']) }),
});

const entityOf = <K extends EntityKind>(kind: K, item: Item): Entities[K] =>
  (kind === 'organization'
    ? organizationOf(item)
    : kind === 'user'
      ? withoutKeys(item)
      : recordOf(kind, item)) as unknown as Entities[K];

/** Converts a change record to its stored form. */
export const storedChange = (kind: EntityKind, change: OrganizationChange): OrganizationChange =>
  change.keys === undefined
    ? change
    : { ...change, keys: change.keys.map((name) => (name === secrets[kind] ? STORED_SECRET : name)) };

/** Builds the attributes of a record, without its keys. */
export const entityItem = <K extends EntityKind>(kind: K, entity: Entities[K], now: number, shards: number): Item => {
  if (kind === 'user') return { ...entity } as unknown as Item;
  if (kind !== 'organization') return recordItem(kind, entity as never, now, shards);
  const { access, ...organization } = entity as unknown as Organization;
  return { ...organization, acc: packAll(access) };
};

/** Returns the kind of the record that an item is; undefined for any other item. */
export const entityKindOf = (item: Item): EntityKind | undefined => {
  const { ty } = item;
  return ty === 'organization' || ty === 'user' ? ty : namedKindOf(item);
};

/** Returns the kind of the named record that an item is; undefined for any other item. */
export const namedKindOf = ({ ty }: Item): NamedKind | undefined => namedKinds.find((kind) => kind === ty);

/** Builds the key of the claim on the name of a record; undefined for an item that is no named record. */
export const claimOf = (item: Item): Key | undefined => {
  const kind = namedKindOf(item);
  if (kind === undefined) return undefined;
  const { organization, name } = recordOf(kind, item);
  return keys.claim(organization, kind, name);
};

/** Whether a token was used before, and no later use is recorded. */
const usedBefore = (usedAt: number): Condition => below('usedAt', usedAt);

/**
 * Builds the write that records a use of a token. It fails if the use is recorded, or the token revoked.
 * @param change change record of the first use; undefined for the first one of a later day.
 */
export const tokenUseWrite = (
  subject: TokenSubject,
  id: string,
  usedAt: number,
  change: OrganizationChange | undefined,
): Write => {
  const key = keys.tokenOf(subject, id);
  if (change === undefined) return update(key, { set: { usedAt } }, all(OPEN, usedBefore(usedAt)));
  return update(key, withChangeRecord({ set: { usedAt }, remove: ['unused'] }, change), all(OPEN, exists('unused')));
};

/** Builds the write after which requests with a token no longer report a use before the next day. */
export const tokenUseEnd = (digest: string, usedAt: number, isFirst: boolean): Write =>
  isFirst
    ? update(keys.token(digest), { set: { usedAt }, remove: ['unused'] }, exists('unused'))
    : update(keys.token(digest), { set: { usedAt } }, usedBefore(usedAt));

const subjectKeys: Readonly<Record<Exclude<TokenSubject['kind'], 'site'>, (id: string) => Key>> = {
  user: keys.user,
  team: keys.team,
  organization: keys.organization,
  'audit-trails': keys.organization,
  agentPool: (id) => keys.record('agentPool', id),
  workloadIdentity: (id) => keys.record('workloadIdentity', id),
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
  const { team, scope, terms, login, session, suspended, usedAt } = item as unknown as Token;
  const subject = tokenSubjectOf(item);
  const ofWorkload = { ...(team && { team }), ...(scope && { scope }), ...(terms && { terms }) };
  return {
    id,
    digest,
    subject,
    name,
    organization,
    description,
    expiresAt,
    createdAt,
    createdBy,
    ...(usedAt !== undefined && { usedAt }),
    ...(login && { login }),
    ...(session && { session }),
    ...(suspended && { suspended }),
    ...ofWorkload,
  } as Token;
};
