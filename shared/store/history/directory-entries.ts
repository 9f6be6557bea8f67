import { isDeepStrictEqual } from 'node:util';
import type { ChangeRecordBase } from '../../domain/changes/change-context.ts';
import { isOrganizationChangeType, isRecorded, resourceTypeOf } from '../../domain/changes/organization-changes.ts';
import { wireName, withWireNames } from '../../domain/changes/wire-names.ts';
import type { NamedKind } from '../../domain/directory/records.ts';
import type { HistoryAction } from '../../domain/history/history-actions.ts';
import {
  type AttributeChange,
  type AttributeValue,
  compareValues,
  type HistoryEntry,
} from '../../domain/history/history-entry.ts';
import type { ReservedTagKey } from '../../domain/tags/reserved-tag-keys.ts';
import type { Tags } from '../../domain/tags/tag.ts';
import type { Item } from '../dynamodb/keys.ts';
import { changedResourceOf, changeOf, STORED_SECRET, secrets } from '../items/changed-resource.ts';
import { organizationOf } from '../items/directory-items.ts';
import { namedKindOf, recordOf } from '../items/record-items.ts';
import { variableSetOf } from '../items/variable-set-items.ts';

/** Entries of organizations, of what belongs to them, and of variable sets (HIST-14). */

/** Members that no attribute shows, that follow from others, or that are shown in another way. */
const hidden: ReadonlySet<string> = new Set([
  'id',
  'externalId',
  'revision',
  'organization',
  'createdAt',
  'shards',
  'snapshotAt',
  'ownerless',
  'defaultProject',
  'ownersTeam',
  'access',
  'bindings',
  'reservedTagKeys',
  'tokenTtlPolicies',
  'retentionPolicy',
  'autoDestroySince',
  'encryptedKey',
  'encryptedToken',
]);

/** Lists the members of a record that have one value each. */
const plainValues = (record: object): AttributeValue[] =>
  Object.entries(record).flatMap(([name, value]) => (hidden.has(name) ? [] : [{ attribute: wireName(name), value }]));

const tagValues = (bindings: Tags): AttributeValue[] =>
  bindings.map(({ key, value = null }) => ({ attribute: 'tag-bindings', member: key, value: { value } }));

const organizationValues = (item: Item): AttributeValue[] => {
  const organization = organizationOf(item);
  const { retentionPolicy, reservedTagKeys = [], tokenTtlPolicies = {} } = organization;
  return [
    ...plainValues(organization),
    { attribute: 'data-retention-policy', value: retentionPolicy && withWireNames(retentionPolicy) },
    ...reservedTagKeys.map(({ id, key, disableOverrides }: ReservedTagKey) => ({
      attribute: 'reserved-tag-keys',
      member: id,
      value: { key, 'disable-overrides': disableOverrides },
    })),
    ...Object.entries(tokenTtlPolicies).map(([member, { maxTtlMs }]) => ({
      attribute: 'token-ttl-policies',
      member,
      value: { 'max-ttl-ms': maxTtlMs },
    })),
  ];
};

const recordValues = (kind: NamedKind, item: Item): AttributeValue[] => {
  if (kind !== 'project') return plainValues(recordOf(kind, item));
  const project = recordOf('project', item);
  return [
    ...plainValues(project),
    ...tagValues(project.bindings),
    ...Object.entries(project.access).map(([team, value]) => ({ attribute: 'team-access', member: team, value })),
  ];
};

const timeOf = (milliseconds: unknown): string | null =>
  typeof milliseconds === 'number' ? new Date(milliseconds).toISOString() : null;

/** Readers of items that are no named records, by their type. */
const readers: Readonly<Record<string, (item: Item) => AttributeValue[]>> = {
  organization: organizationValues,
  member: ({ team, user }) => [
    { attribute: 'team', value: team },
    { attribute: 'user', value: user },
  ],
  'organization-member': ({ user }) => [{ attribute: 'user', value: user }],
  // Never the digest, from which a guessed text could be confirmed.
  'token-of': ({ description, kind, subject, expiresAt, createdBy, scope }) => [
    { attribute: 'description', value: description },
    { attribute: 'owner', value: { kind, id: subject } },
    { attribute: 'expired-at', value: timeOf(expiresAt) },
    { attribute: 'created-by', value: createdBy },
    { attribute: 'scope', value: scope },
  ],
  'variable-set': (item) => {
    const { name, description, global, priority, project } = variableSetOf(item);
    return plainValues({ name, description, global, priority, project });
  },
};

const valuesOf = (item: Item | undefined): AttributeValue[] => {
  if (item === undefined) return [];
  const kind = namedKindOf(item);
  return kind === undefined ? (readers[String(item['ty'])]?.(item) ?? []) : recordValues(kind, item);
};

/** Lists a secret that was set or replaced, without its values. */
const secretChanges = (before: Item | undefined, after: Item): AttributeChange[] => {
  const member = secrets[String(after['ty'])];
  if (member === undefined || isDeepStrictEqual(before?.[STORED_SECRET], after[STORED_SECRET])) return [];
  return [{ attribute: wireName(member), old: null, new: null }];
};

/** Lists the attributes that a write changed. A deletion changes none, and a tombstone before the write counts as nothing. */
const changesBetween = (before: Item | undefined, after: Item): AttributeChange[] => {
  if (after['gone'] !== undefined) return [];
  const old = before !== undefined && before['gone'] === undefined ? before : undefined;
  return [...compareValues(valuesOf(old), valuesOf(after)), ...secretChanges(old, after)];
};

/** Images of an item before and after a write. */
interface Images {
  readonly before?: Item | undefined;
  readonly after?: Item | undefined;
}

/** Creates an entry from a change record, whose other members are the details. */
export const entryFrom = (
  { id, type, actor, at, request, token, address, ...details }: ChangeRecordBase<HistoryAction>,
  shown: Pick<HistoryEntry, 'organization' | 'resource' | 'sequence' | 'changes'>,
): HistoryEntry => ({
  ...{ id, type, actor, at, request },
  ...(token !== undefined && { token }),
  ...(address !== undefined && { address }),
  ...shown,
  details,
});

/** Returns the entry of a change of a variable set (HIST-14). */
export const entryOfVariableSet = ({ before, after = {} }: Images): HistoryEntry => {
  const { id, organization, name, sequence, change } = variableSetOf(after);
  const resource = { type: 'varsets', id, name };
  return entryFrom(change, { organization, resource, sequence, changes: changesBetween(before, after) });
};

/**
 * Returns the entry of a change of an organization or what belongs to it (HIST-14); undefined for a token that belongs to
 * no organization, for an item of another kind, and for a change without an entry.
 */
export const entryOfDirectory = ({ before, after = {} }: Images): HistoryEntry | undefined => {
  const change = changeOf(after);
  const { type } = change;
  if (!isOrganizationChangeType(type) || !isRecorded(type)) return undefined;
  const {
    organization,
    id,
    name,
    owner,
    team = owner?.kind === 'team' ? owner.id : undefined,
  } = changedResourceOf(after);
  if (organization === null) return undefined;
  const resource = { type: resourceTypeOf(type), id, name, ...(team !== undefined && { team }) };
  return entryFrom(
    { ...change, type },
    {
      organization,
      resource,
      sequence: Number(after['seq']),
      changes: changesBetween(before, after),
    },
  );
};
