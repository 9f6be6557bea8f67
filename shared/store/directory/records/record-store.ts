import type { RequestContext } from '../../../domain/changes/change-context.ts';
import type { NamedKind, Records } from '../../../domain/directory/records.ts';
import {
  type Attempt,
  beginEdit,
  done,
  type Edit,
  isOpen,
  type Plan,
  type Stored,
} from '../../../domain/directory/transitions/plan.ts';
import {
  type Created,
  type CreationEffects,
  createRecord,
  type FieldsUpdate,
  noRecord,
  type RecordUpdate,
  requireRecord,
  updateFields,
  updateRecord,
} from '../../../domain/directory/transitions/records.ts';
import { isId } from '../../../domain/ids.ts';
import { newId } from '../../../lib/random.ts';
import type { Database } from '../../dynamodb/database.ts';
import { type Item, keys, listPartition } from '../../dynamodb/keys.ts';
import { isOpen as isOpenItem } from '../../items/directory-items.ts';
import { recordKey, recordOf, storedOf } from '../../items/record-items.ts';
import { listRows } from '../../workspaces/find-workspaces.ts';
import { apply, type Table } from './commit.ts';

/** Plans a change of the present record. It may read; it runs again when another request was faster. */
type PlanUpdate<K extends NamedKind> = (record: Records[K], attempt: Attempt) => Promise<RecordUpdate> | RecordUpdate;

/** Opens the reads of named records. */
const openReads = (database: Database) => {
  const read = async <K extends NamedKind>(kind: K, id: string): Promise<Stored<K> | undefined> => {
    const item = await database.get(recordKey(kind, id), true);
    // A project leaves a tombstone, which is none.
    return item?.['ty'] === kind ? storedOf(kind, item) : undefined;
  };

  const findOrganization = async (name: string): Promise<Stored<'organization'> | undefined> => {
    const item = await database.get(keys.organization(name), true);
    return item && storedOf('organization', item);
  };

  /** Finds a record by name or id, also while it is closing. */
  const findStored = async <K extends NamedKind>(
    kind: K,
    organization: string,
    nameOrId: string,
  ): Promise<Stored<K> | undefined> => {
    const byId = async (id: string): Promise<Stored<K> | undefined> => {
      const stored = isId(kind, id) ? await read(kind, id) : undefined;
      return stored?.record.organization === organization ? stored : undefined;
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
    const stored = await findStored(kind, organization, nameOrId);
    return isOpen(stored) ? (stored.record as Records[K]) : undefined;
  };

  const get = async <K extends NamedKind>(kind: K, organization: string, nameOrId: string): Promise<Records[K]> =>
    requireRecord(kind, nameOrId, await findStored(kind, organization, nameOrId));

  return {
    read,
    findOrganization,
    findStored,
    find,

    /** @throws DomainError 404 when there is none, or it is being deleted. */
    get,

    /** Finds a record by its id, in any organization. */
    findById: async <K extends NamedKind>(
      kind: K,
      id: string,
      consistent: boolean,
    ): Promise<Records[K] | undefined> => {
      const item = isId(kind, id) ? await database.get(recordKey(kind, id), consistent) : undefined;
      return isOpenItem(item) ? recordOf(kind, item) : undefined;
    },

    /** Lists all records of a kind in an organization, sorted by name. */
    listAll: async <K extends NamedKind>(kind: K, organization: string): Promise<readonly Records[K][]> => {
      const rows = await database.query({ index: 'list', partition: listPartition.records(organization, kind) });
      const items = await database.getAll(rows.map(({ id }) => recordKey(kind, String(id))));
      return items
        .filter(isOpenItem)
        .map((item) => recordOf(kind, item))
        .sort((a, b) => (a.name < b.name ? -1 : 1));
    },

    /** Lists the index rows of all records of a kind, including closing records. */
    list: async (kind: NamedKind, organization: string): Promise<Item[]> =>
      kind === 'project'
        ? (await listRows(database, organization)).filter(({ ty }) => ty === 'project')
        : database.query({ index: 'list', partition: listPartition.records(organization, kind) }),
  };
};

type Reads = ReturnType<typeof openReads>;

/** Opens the changes of named records. */
const openChanges = (table: Table, { read, findOrganization, findStored, get }: Reads) => {
  const { database } = table;

  /** Updates a record, and reads the result. */
  const change = async <K extends NamedKind>(
    request: RequestContext,
    kind: K,
    organization: string,
    nameOrId: string,
    plan: (stored: Stored<K>, attempt: Attempt<undefined>) => Promise<Plan<undefined>>,
  ): Promise<Records[K]> => {
    const { id } = await get(kind, organization, nameOrId);
    await apply<undefined>(table, request, async (attempt) => {
      const stored = await read(kind, id);
      if (!isOpen(stored)) throw noRecord(kind, nameOrId);
      return plan(stored, attempt);
    });
    const item = await database.get(recordKey(kind, id), true);
    if (item === undefined) throw noRecord(kind, nameOrId);
    return recordOf(kind, item);
  };

  const planUpdate = async <K extends NamedKind>(
    stored: Stored<K>,
    attempt: Attempt,
    plan: PlanUpdate<K>,
    edit?: Edit,
  ): Promise<Plan<undefined>> => updateRecord(attempt, stored, await plan(stored.record as Records[K], attempt), edit);

  /** Updates the settings of a record, if the request accepts its revision (EDIT-4). */
  const updateSettings = <K extends NamedKind>(
    request: RequestContext,
    kind: K,
    organization: string,
    nameOrId: string,
    plan: PlanUpdate<K>,
  ): Promise<Records[K]> =>
    change(request, kind, organization, nameOrId, async (stored, attempt) => {
      const edit = beginEdit(attempt, stored.record as Records[K]);
      return edit === undefined ? done(undefined) : planUpdate(stored, attempt, plan, edit);
    });

  return {
    /**
     * Creates a record and claims its name in one transaction, or returns the record of that name.
     * @param id its new id, for callers that need it before the creation.
     * @throws DomainError 404 when the organization does not exist or is being deleted; 422 while a deletion of the record
     *   of that name is not final.
     */
    create: <K extends NamedKind>(
      request: RequestContext,
      kind: K,
      fields: Omit<Records[K], 'id' | 'createdAt'>,
      { id = newId(kind, request), ...effects }: CreationEffects & { readonly id?: string } = {},
    ): Promise<Created<Records[K]>> =>
      apply<Created<Records[K]>>(table, request, async (attempt) => {
        const { organization, name } = fields;
        const existing = await findStored(kind, organization, name);
        const parent = existing === undefined ? await findOrganization(organization) : undefined;
        const identified = { id, ...fields } as unknown as Omit<Records[K], 'createdAt'>;
        return createRecord(attempt, kind, existing, parent, identified, effects);
      }),

    /** Changes what is stored with a record. @throws DomainError 404. */
    update: <K extends NamedKind>(
      request: RequestContext,
      kind: K,
      organization: string,
      nameOrId: string,
      plan: PlanUpdate<K>,
    ): Promise<Records[K]> =>
      change(request, kind, organization, nameOrId, (stored, attempt) => planUpdate(stored, attempt, plan)),

    /** @throws DomainError 404; 422 when the new name is taken. */
    updateSettings,

    /** Updates fields and the name of a record. @throws DomainError 404; 422 when the new name is taken. */
    updateFields: <K extends NamedKind>(
      request: RequestContext,
      kind: K,
      organization: string,
      nameOrId: string,
      plan: (record: Records[K]) => Promise<FieldsUpdate<K>> | FieldsUpdate<K>,
    ): Promise<Records[K]> =>
      updateSettings(request, kind, organization, nameOrId, async (record) => updateFields(await plan(record))),
  };
};

/** Opens the named records of an organization. Reads are strongly consistent unless their parameters say otherwise. */
export const openRecords = (table: Table) => {
  const reads = openReads(table.database);
  return { ...reads, ...openChanges(table, reads) };
};

export type RecordStore = ReturnType<typeof openRecords>;
