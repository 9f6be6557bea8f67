import { authorizeOrganization, type OrganizationAccess } from '../../shared/access/authorize/organization.ts';
import { authorizeRecord, type RecordAccess } from '../../shared/access/authorize/record.ts';
import { concealNotFound } from '../../shared/access/conceal-not-found.ts';
import { type OrganizationAction, requireOrganizationPermission } from '../../shared/access/organization-policy.ts';
import type { RecordKind, Records } from '../../shared/domain/directory/records.ts';
import type { FieldsUpdate } from '../../shared/domain/directory/transitions/records.ts';
import { nameTaken } from '../../shared/domain/transitions/transition.ts';
import type { OperationRequest } from '../../shared/http/operation.ts';
import type { Document, Resource } from '../../shared/jsonapi/document.ts';
import { paginate, readPageOf, slice } from '../../shared/jsonapi/pagination.ts';
import { requireSameId } from '../../shared/jsonapi/require-same-id.ts';
import { newId } from '../../shared/lib/random.ts';
import type { IntegrationDependencies } from './dependencies.ts';

/** A kind of record, the actions that its reads and changes require, and its response mapping. */
interface RecordType<K extends RecordKind> {
  readonly kind: K;
  readonly read: OrganizationAction;
  readonly manage: OrganizationAction;
  readonly resource: (record: Records[K]) => Resource;
}

/** Narrows and sorts the records of a list, which are sorted by name. */
type Arrange<K extends RecordKind> = (
  access: OrganizationAccess,
  found: readonly Records[K][],
) => Promise<readonly Records[K][]>;

type ListRequest = Pick<OperationRequest<'agent-pools.list'>, 'digest' | 'parameters' | 'query' | 'url'>;
type RecordRequest = Pick<OperationRequest<'agent-pools.delete'>, 'contextFor' | 'digest'>;

/** Creates the operations that all kinds of records of an organization have in common. */
export const recordOperations = <K extends RecordKind>({ kind, read, manage, resource }: RecordType<K>) => {
  /** Finds a record by its id for a caller who may perform the action. */
  const find = (
    { store, directory: { records } }: IntegrationDependencies,
    digest: string,
    id: string,
    action: OrganizationAction = read,
  ): Promise<RecordAccess<Records[K]>> =>
    authorizeRecord(
      store,
      digest,
      (consistent) => records.findById(kind, id, consistent),
      (access) => requireOrganizationPermission(access, action),
    );

  /**
   * Lists the records of an organization by name; `q` is a part of the name.
   * @param arrange narrows and sorts the records further.
   */
  const listRows = async (
    { digest, parameters, query, url }: ListRequest,
    { store, directory: { records } }: IntegrationDependencies,
    arrange: Arrange<K> = async (_, found) => found,
  ) => {
    const target = { organization: parameters.organization_name };
    const access = await authorizeOrganization(store, digest, target, (context) =>
      requireOrganizationPermission(context, read),
    );
    const text = (query.get('q') ?? '').toLowerCase();
    const all = await records.listAll(kind, access.organization.name);
    const rows = await arrange(
      access,
      all.filter(({ name }) => name.toLowerCase().includes(text)),
    );
    const page = readPageOf(rows, query);
    return { access, rows: slice(rows, page), pagination: paginate(page, rows.length, url, query) };
  };

  return {
    find,
    listRows,

    list: async (request: ListRequest, dependencies: IntegrationDependencies): Promise<Document> => {
      const { rows, pagination } = await listRows(request, dependencies);
      return { data: rows.map(resource), ...pagination };
    },

    show: async ({ digest }: RecordRequest, dependencies: IntegrationDependencies, id: string): Promise<Document> => ({
      data: resource((await find(dependencies, digest, id)).record),
    }),

    /**
     * Creates a record.
     * @param readFields returns the fields of the record with the given id; it runs after the authorization.
     */
    create: async (
      { contextFor, digest }: RecordRequest,
      { store, directory: { records } }: IntegrationDependencies,
      organization: string,
      readFields: (
        access: OrganizationAccess,
        id: string,
      ) => Promise<Omit<Records[K], 'id' | 'createdAt' | 'organization'>>,
    ): Promise<Document> => {
      const access = await authorizeOrganization(store, digest, { organization }, (context) =>
        requireOrganizationPermission(context, manage),
      );
      const request = contextFor(access.caller);
      const id = newId(kind, request);
      const fields = { ...(await readFields(access, id)), organization };
      const { record, created } = await concealNotFound(
        records.create(request, kind, fields as unknown as Omit<Records[K], 'id' | 'createdAt'>, { id }),
      );
      if (!created) throw nameTaken();
      return { data: resource(record) };
    },

    update: async (
      { contextFor, digest }: RecordRequest,
      dependencies: IntegrationDependencies,
      id: string,
      body: { readonly id?: string | null | undefined },
      plan: (record: Records[K]) => Promise<FieldsUpdate<K>> | FieldsUpdate<K>,
    ): Promise<Records[K]> => {
      const { caller, record } = await find(dependencies, digest, id, manage);
      requireSameId(body.id, id);
      const { records } = dependencies.directory;
      return concealNotFound(records.updateFields(contextFor(caller), kind, record.organization, record.id, plan));
    },

    /** Deletes a record in two steps (REMOVE-1): it is out of service at once, its name is free when it is removed. */
    remove: async (
      { contextFor, digest }: RecordRequest,
      dependencies: IntegrationDependencies,
      id: string,
    ): Promise<undefined> => {
      const { caller, record } = await find(dependencies, digest, id, manage);
      await dependencies.removal.beginRecord(contextFor(caller), kind, record.organization, record.id);
      return undefined;
    },
  };
};
