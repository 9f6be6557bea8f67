import { all, applyChange, type Change, type Condition, equals, merge } from '../../../domain/changes/conditions.ts';
import {
  changedMembers,
  type OrganizationChangeDetails,
  type OrganizationChangeType,
  recordChangeType,
} from '../../../domain/changes/organization-changes.ts';
import { requireRevision, revisionBy } from '../../../domain/changes/revisions.ts';
import type { NamedKind, Records } from '../../../domain/directory/records.ts';
import { noOrganization, noRecord } from '../../../domain/directory/transitions/records.ts';
import { isId } from '../../../domain/ids.ts';
import { nameTaken } from '../../../domain/transitions/transition.ts';
import { newId } from '../../../lib/random.ts';
import type { Item } from '../../dynamodb/item.ts';
import { keys, listPartition, sortableTime } from '../../dynamodb/keys.ts';
import { isOpen } from '../../items/directory-items.ts';
import { listRows } from '../../items/index-partitions.ts';
import {
  check,
  type Guarded,
  giveUpName,
  OPEN,
  recordKey,
  recordOf,
  recordWrites,
  takeName,
  update,
  withChangeRecord,
} from '../../items/record-items.ts';
import { commit, done, type RecordingTable, unguarded } from './commit.ts';

/** A record, and whether this call created it; false if it existed before. */
export interface CreateResult<R> {
  readonly record: R;
  readonly created: boolean;
}

/** A planned update of a record, inside the store. */
export interface RecordUpdate {
  readonly change?: Change;
  readonly newName?: string;
  /** Type and details of the change record, if it is no ordinary update. */
  readonly recorded?: { readonly type: OrganizationChangeType; readonly details: OrganizationChangeDetails };
  /** The revision after a change of the settings; absent if the change is one of a resource that is stored with it. */
  readonly revision?: string;
  /** Condition of the write, besides that the record is open and its name is unchanged. */
  readonly condition?: Condition;
  /** Further writes of the same transaction. */
  readonly additionalWrites?: readonly Guarded[];
}

/** Members of records that follow from another member, and that no request names. */
const derived: ReadonlySet<string> = new Set(['autoDestroySince']);

/** An update of the fields of a record; a field that is undefined keeps its value. */
export interface FieldsUpdate<K extends NamedKind> {
  readonly newName?: string | undefined;
  readonly fields?: {
    readonly [F in keyof Omit<Records[K], 'id' | 'organization' | 'name' | 'createdAt' | 'revision'>]?:
      | Records[K][F]
      | undefined;
  };
}

/** Opens the named records of an organization. All reads are strongly consistent. */
export const openRecords = (table: RecordingTable) => {
  const { database, request, record: recordChange } = table;

  /** Finds the item of a record by name or id, also while it is closing. */
  const findItem = async (kind: NamedKind, organization: string, nameOrId: string): Promise<Item | undefined> => {
    const byId = async (id: string): Promise<Item | undefined> => {
      const item = isId(kind, id) ? await database.get(recordKey(kind, id), true) : undefined;
      // A project leaves a tombstone, which is none.
      return item?.['ty'] === kind && recordOf(kind, item).organization === organization ? item : undefined;
    };
    // The id is tried first: the name of a record may have the form of an id.
    const found = await byId(nameOrId);
    if (found !== undefined) return found;
    const claim = await database.get(keys.claim(organization, kind, nameOrId), true);
    return claim && byId(String(claim['id']));
  };

  const find = async <K extends NamedKind>(
    kind: K,
    organization: string,
    nameOrId: string,
  ): Promise<Records[K] | undefined> => {
    const item = await findItem(kind, organization, nameOrId);
    return isOpen(item) ? recordOf(kind, item) : undefined;
  };

  /**
   * Updates a record as it is now, and moves the claim on its name. Nothing is written if nothing changes.
   * @param plan computes the update; it may throw, and it runs again when another request was faster.
   * @throws DomainError 404; 422 when the new name is taken.
   */
  const updateRecord = async <K extends NamedKind>(
    kind: K,
    organization: string,
    nameOrId: string,
    plan: (record: Records[K], isInDoubt: boolean) => Promise<RecordUpdate> | RecordUpdate,
  ): Promise<Records[K]> => {
    const { id } = (await find(kind, organization, nameOrId)) ?? { id: undefined };
    if (id === undefined) throw noRecord(kind, nameOrId);
    await commit(table, async (now, isInDoubt) => {
      const item = await database.get(recordKey(kind, id), true);
      if (!isOpen(item)) throw noRecord(kind, nameOrId);
      const record = recordOf(kind, item);
      const planned = await plan(record, isInDoubt);
      const {
        change = {},
        newName = record.name,
        recorded,
        revision,
        condition = all(),
        additionalWrites = [],
      } = planned;
      const isRenamed = newName !== record.name;
      const complete = merge(
        change,
        isRenamed ? { set: { name: newName } } : {},
        // Projects stand in lists by the time of their last change, all else by name.
        kind === 'project'
          ? { set: { lk: sortableTime(Math.max(now, Number(item['lk']) + 1)) } }
          : isRenamed
            ? { set: { lk: newName } }
            : {},
      );
      const changed = changedMembers(record, recordOf(kind, applyChange(complete, item)));
      if (changed.length === 0) return done(undefined);
      const { type, details } = recorded ?? {
        type: recordChangeType(kind, 'updated'),
        details: {
          keys: changed.filter((name) => !derived.has(name)),
          ...(isRenamed && { previous: { name: record.name } }),
        },
      };
      const unchanged = all(OPEN, equals('name', record.name), equals('lk', String(item['lk'])), condition);
      const revised = merge(complete, revision === undefined ? {} : { set: { revision } });
      const written = withChangeRecord(revised, recordChange(type, now, details));
      const writes: Guarded[] = [
        { write: update(recordKey(kind, id), written, unchanged) },
        ...(isRenamed
          ? [
              { write: giveUpName(kind, organization, record.name, id) },
              { write: takeName(kind, organization, newName, id), refusal: nameTaken },
            ]
          : []),
        ...additionalWrites,
      ];
      return { writes, result: undefined };
    });
    const item = await database.get(recordKey(kind, id), true);
    if (item === undefined) throw noRecord(kind, nameOrId);
    return recordOf(kind, item);
  };

  /**
   * Updates the settings of a record like `updateRecord`, if its revision is one that the request accepts (EDIT-4). The
   * record gets another revision.
   */
  const updateSettings = async <K extends NamedKind>(
    kind: K,
    organization: string,
    nameOrId: string,
    plan: (record: Records[K]) => Promise<RecordUpdate> | RecordUpdate,
  ): Promise<Records[K]> => {
    const context = request();
    const revision = revisionBy(context);
    return updateRecord(kind, organization, nameOrId, async (record, isInDoubt) => {
      // An earlier attempt of this request was applied, and its response was lost.
      if (record.revision === revision) return {};
      const condition = requireRevision(context.precondition, record, isInDoubt);
      const { change, ...planned } = await plan(record);
      return { ...planned, change: change ?? {}, revision, condition };
    });
  };

  return {
    findItem,
    find,

    /** @throws DomainError 404 when there is none, or it is being deleted. */
    get: async <K extends NamedKind>(kind: K, organization: string, nameOrId: string): Promise<Records[K]> => {
      const record = await find(kind, organization, nameOrId);
      if (record === undefined) throw noRecord(kind, nameOrId);
      return record;
    },

    /** Finds a record by its id, in any organization. */
    findById: async <K extends NamedKind>(
      kind: K,
      id: string,
      consistent: boolean,
    ): Promise<Records[K] | undefined> => {
      const item = isId(kind, id) ? await database.get(recordKey(kind, id), consistent) : undefined;
      return isOpen(item) ? recordOf(kind, item) : undefined;
    },

    /** Lists all records of a kind in an organization, sorted by name. */
    listAll: async <K extends NamedKind>(kind: K, organization: string): Promise<readonly Records[K][]> => {
      const rows = await database.query({ index: 'list', partition: listPartition.records(organization, kind) });
      const items = await database.getAll(rows.map(({ id }) => recordKey(kind, String(id))));
      return items
        .filter(isOpen)
        .map((item) => recordOf(kind, item))
        .sort((a, b) => (a.name < b.name ? -1 : 1));
    },

    /** Lists the index rows of all records of a kind, also of closing ones. */
    list: async (kind: NamedKind, organization: string): Promise<Item[]> =>
      kind === 'project'
        ? (await listRows(database, organization)).filter(({ ty }) => ty === 'project')
        : database.query({ index: 'list', partition: listPartition.records(organization, kind) }),

    /**
     * Creates a record and claims its name in one transaction, or returns the record of that name.
     * @param additionalWrites further writes; `parent` replaces the check that the organization exists.
     * @param id its new id, for callers that need it before the creation.
     * @throws DomainError 404 when the organization does not exist or is being deleted; 422 while a deletion of the record
     *   of that name is not final.
     */
    create: async <K extends NamedKind>(
      kind: K,
      { organization, name, ...rest }: Omit<Records[K], 'id' | 'createdAt'>,
      additionalWrites: (id: string) => {
        readonly parent?: Guarded;
        readonly others?: readonly Guarded[];
      } = () => ({}),
      id = newId(kind, request()),
    ): Promise<CreateResult<Records[K]>> => {
      const { parent = { write: check(keys.organization(organization)) }, others = [] } = additionalWrites(id);
      return commit(table, async (now) => {
        const item = await findItem(kind, organization, name);
        // The name is released when the deletion of its record is final.
        if (item !== undefined && !isOpen(item)) throw nameTaken();
        if (item !== undefined) return done({ record: recordOf(kind, item), created: item['id'] === id });
        const parentItem = await database.get(keys.organization(organization), true);
        if (!isOpen(parentItem)) throw noOrganization();
        const record = { id, organization, name, ...rest, createdAt: now } as unknown as Records[K];
        const [own, ...further] = unguarded(
          recordWrites(
            kind,
            record,
            recordChange(recordChangeType(kind, 'created'), now),
            Number(parentItem['shards']),
          ),
        );
        const writes = [
          // An earlier attempt of the request created it, and somebody deletes it.
          { ...(own as Guarded), ...(request().attempt === 'resumed' && { refusal: () => noRecord(kind, name) }) },
          ...further,
          { ...parent, refusal: noOrganization },
          ...others,
        ];
        return { writes, result: { record, created: true } };
      });
    },

    update: updateRecord,
    updateSettings,

    /**
     * Updates fields and the name of a record; a field that is undefined keeps its value.
     * @throws DomainError 404; 422 when the new name is taken.
     */
    updateFields: <K extends NamedKind>(
      kind: K,
      organization: string,
      nameOrId: string,
      plan: (record: Records[K]) => Promise<FieldsUpdate<K>> | FieldsUpdate<K>,
    ): Promise<Records[K]> =>
      updateSettings(kind, organization, nameOrId, async (record) => {
        const { newName, fields = {} } = await plan(record);
        const set = Object.fromEntries(Object.entries(fields).filter(([, value]) => value !== undefined));
        return { ...(newName !== undefined && { newName }), change: { set } };
      }),
  };
};

export type RecordStore = ReturnType<typeof openRecords>;
