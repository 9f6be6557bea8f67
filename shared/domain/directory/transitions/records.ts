import { all, applyChange, type Change, type Condition, equals, merge } from '../../changes/conditions.ts';
import {
  changedMembers,
  type OrganizationChangeDetails,
  type OrganizationChangeType,
  recordChangeType,
} from '../../changes/organization-changes.ts';
import { type DomainError, notFound } from '../../errors.ts';
import { nameTaken } from '../../transitions/transition.ts';
import type { NamedKind, Records } from '../records.ts';
import { type Attempt, done, type Edit, type Effect, isOpen, OPEN, type Plan, record, type Stored } from './plan.ts';

/** A record, and whether the request created it; false if it existed before. */
export interface Created<R> {
  readonly record: R;
  readonly created: boolean;
}

/** Further writes of a creation, besides the record. */
export interface CreationEffects {
  /** Replaces the condition that the organization exists. */
  readonly parent?: Effect | undefined;
  readonly others?: readonly Effect[];
}

/** Change of a record. */
export interface RecordUpdate {
  readonly newName?: string | undefined;
  readonly change?: Change;
  /** Change of what is stored with the record and is no part of it. It is no change on its own. */
  readonly bookkeeping?: Change;
  /** Type and details of the change record, if it is no ordinary update. */
  readonly recorded?: { readonly type: OrganizationChangeType; readonly details: OrganizationChangeDetails };
  readonly others?: readonly Effect[];
  /** Writes that the update makes even if nothing changes. */
  readonly always?: readonly Effect[];
}

/** An update of the fields of a record; a field that is undefined keeps its value. */
export interface FieldsUpdate<K extends NamedKind> {
  readonly newName?: string | undefined;
  readonly fields?: {
    readonly [F in keyof Omit<Records[K], 'id' | 'organization' | 'name' | 'createdAt' | 'revision'>]?:
      | Records[K][F]
      | undefined;
  };
}

/** Members of records that follow from another member, and that no request names. */
const derived: ReadonlySet<string> = new Set(['autoDestroySince']);

/** Names of the kinds of records in error details. */
export const recordLabels: Readonly<Record<NamedKind, string>> = {
  project: 'project',
  team: 'team',
  agentPool: 'agent pool',
  sshKey: 'SSH key',
  vcsConnection: 'VCS connection',
  appInstallation: 'app installation',
  workloadIdentity: 'workload identity',
};

/** Creates the 404 error for an organization that does not exist. */
export const noOrganization = (): DomainError => notFound('There is no organization of that name.');

/** Creates the 404 error for a record that the organization does not have. */
export const noRecord = (kind: NamedKind, nameOrId: string): DomainError =>
  notFound(`There is no ${recordLabels[kind]} ${nameOrId} in this organization.`);

/** Returns the record. @throws DomainError 404 if there is none, or it is being deleted. */
export const requireRecord = <K extends NamedKind>(
  kind: K,
  nameOrId: string,
  stored: Stored<K> | undefined,
): Records[K] => {
  if (!isOpen(stored)) throw noRecord(kind, nameOrId);
  return stored.record as Records[K];
};

/** Plans a record with the claim on its name. */
export const newRecord = <K extends NamedKind>(
  attempt: Attempt,
  of: K,
  created: Records[K],
  shards: number,
): Effect[] => {
  const changeRecord = record(attempt, recordChangeType(of, 'created'));
  const { id, organization, name } = created;
  return [
    { kind: 'create', of, record: created, shards, changeRecord } as Effect,
    { kind: 'take-name', claim: { of, organization, name, id } },
  ];
};

/**
 * Plans the creation of a record, unless the organization has one of that name.
 * @param existing the record of that name.
 * @param organization its organization, if there is no record of that name.
 * @throws DomainError 404 for an unknown organization; 422 while the deletion of the record of that name is not final.
 */
export const createRecord = <K extends NamedKind>(
  attempt: Attempt,
  kind: K,
  existing: Stored<K> | undefined,
  organization: Stored<'organization'> | undefined,
  fields: Omit<Records[K], 'createdAt'>,
  { parent, others = [] }: CreationEffects,
): Plan<Created<Records[K]>> => {
  if (existing !== undefined) {
    if (!isOpen(existing)) throw nameTaken();
    const found = existing.record as Records[K];
    return done({ record: found, created: found.id === fields.id });
  }
  if (!isOpen(organization)) throw noOrganization();
  const { name, shards } = organization.record;
  const created = { ...fields, createdAt: attempt.at } as unknown as Records[K];
  const [own, ...further] = newRecord(attempt, kind, created, shards);
  return {
    effects: [
      // An earlier attempt of the request created it, and somebody deletes it.
      {
        ...own,
        ...(attempt.request.attempt === 'resumed' && { rejection: () => noRecord(kind, created.name) }),
      } as Effect,
      ...further,
      { ...(parent ?? { kind: 'require', of: { kind: 'organization', id: name } }), rejection: noOrganization },
      ...others,
    ],
    result: { record: created, created: true },
  };
};

/**
 * Plans the next position of a project in the list index, which is ordered by the time of the last change. Functions that
 * keep the list index in memory find the change by it. Other records keep their position.
 */
export const advanceListPosition = (
  { listedAt }: Pick<Stored, 'listedAt'>,
  at: number,
): { readonly change: Change; readonly unmoved: Condition } =>
  listedAt === undefined
    ? { change: {}, unmoved: all() }
    : { change: { set: { listedAt: Math.max(at, listedAt + 1) } }, unmoved: equals('listedAt', listedAt) };

/**
 * Plans a change of a record, and of the claim on its name. Nothing is written if nothing changes.
 * @param edit revision that a change of the settings gives to the record; undefined if the change is one of a resource
 *   that is stored with it.
 * @throws DomainError 422 when the new name is taken, when the plan is applied.
 */
export const updateRecord = <K extends NamedKind>(
  attempt: Attempt,
  stored: Stored<K>,
  { newName, change = {}, bookkeeping = {}, recorded, others = [], always = [] }: RecordUpdate,
  edit?: Edit,
): Plan<undefined> => {
  const of = stored.kind;
  const before = stored.record as Records[K];
  const { id, organization, name } = before;
  const isRenamed = newName !== undefined && newName !== name;
  const complete = merge(change, isRenamed ? { set: { name: newName } } : {});
  const changed = changedMembers(before, applyChange(complete, before));
  if (changed.length === 0) {
    return {
      effects: always.length === 0 ? [] : [{ kind: 'require', of: { kind: of, id } }, ...always],
      result: undefined,
    };
  }
  const { type, details } = recorded ?? {
    type: recordChangeType(of, 'updated'),
    details: {
      keys: changed.filter((member) => !derived.has(member)),
      ...(isRenamed && { previous: { name } }),
    },
  };
  const position = advanceListPosition(stored, attempt.at);
  return {
    effects: [
      {
        kind: 'update',
        of: { kind: of, id },
        change: merge(complete, bookkeeping, position.change, edit ? { set: { revision: edit.revision } } : {}),
        condition: all(OPEN, equals('name', name), position.unmoved, edit?.condition ?? all()),
        changeRecord: record(attempt, type, details),
      },
      ...(isRenamed
        ? ([
            { kind: 'give-up-name', claim: { of, organization, name, id } },
            { kind: 'take-name', claim: { of, organization, name: newName, id }, rejection: nameTaken },
          ] as const)
        : []),
      ...others,
      ...always,
    ],
    result: undefined,
  };
};

/** Plans an update of fields and the name of a record; a field that is undefined keeps its value. */
export const updateFields = <K extends NamedKind>({ newName, fields = {} }: FieldsUpdate<K>): RecordUpdate => ({
  newName,
  change: { set: Object.fromEntries(Object.entries(fields).filter(([, value]) => value !== undefined)) },
});
