import { authorizeOrganization, type OrganizationAccess } from '../../shared/access/authorize/organization.ts';
import { authorizeRecord, type RecordAccess } from '../../shared/access/authorize/record.ts';
import { type OrganizationAction, requireOrganizationPermission } from '../../shared/access/organization-policy.ts';
import type { RecordKind, Records } from '../../shared/domain/directory/records.ts';
import { nameTaken } from '../../shared/domain/transitions/transition.ts';
import type { OperationRequest } from '../../shared/http/endpoints.ts';
import type { Document, Resource } from '../../shared/jsonapi/document.ts';
import { paginate, readPageOf, slice } from '../../shared/jsonapi/pagination.ts';
import type { RecordUpdate } from '../../shared/store/directory/records.ts';
import { orAbsent, sameResource } from './answers.ts';
import type { DirectoryServices } from './services.ts';

/** A kind of record that organizations have, who may do what with it, and how it is shown. */
interface Kind<K extends RecordKind> {
  readonly kind: K;
  readonly read: OrganizationAction;
  readonly manage: OrganizationAction;
  readonly resource: (record: Records[K]) => Resource;
}

type InOrganization = Pick<OperationRequest<'agent-pools.list'>, 'digest' | 'parameters' | 'query' | 'url'>;
type Caller = Pick<OperationRequest<'agent-pools.delete'>, 'id' | 'digest'>;

/** The operations that all such kinds have in common. */
export const recordOperations = <K extends RecordKind>(
  { store, administration, removalFor }: DirectoryServices,
  { kind, read, manage, resource }: Kind<K>,
) => {
  const { records } = administration;

  /** Of an organization, by name; `q` is looked for in it. */
  const list = async ({ digest, parameters, query, url }: InOrganization) => {
    const { organization } = await authorizeOrganization(
      store,
      digest,
      { organization: parameters.organization_name },
      (access) => requireOrganizationPermission(access, read),
    );
    const text = (query.get('q') ?? '').toLowerCase();
    const rows = (await records.listAll(kind, organization.name)).filter(({ name }) =>
      name.toLowerCase().includes(text),
    );
    const page = readPageOf(rows, query);
    return { rows: slice(rows, page), pagination: paginate(page, rows.length, url, query) };
  };

  const find = (digest: string, id: string, action: OrganizationAction): Promise<RecordAccess<Records[K]>> =>
    authorizeRecord(
      store,
      digest,
      (consistent) => records.findById(kind, id, consistent),
      (access) => requireOrganizationPermission(access, action),
    );

  return {
    find,
    rows: list,

    list: async (request: InOrganization) => {
      const { rows, pagination } = await list(request);
      return { data: rows.map(resource), ...pagination };
    },

    show: async (digest: string, id: string): Promise<Document> => ({
      data: resource((await find(digest, id, read)).record),
    }),

    /** @param make gives the record's fields to who may make it. */
    create: async (
      digest: string,
      organization: string,
      make: (access: OrganizationAccess, id: string) => Promise<Omit<Records[K], 'id' | 'createdAt' | 'organization'>>,
    ): Promise<Document> => {
      const access = await authorizeOrganization(store, digest, { organization }, (it) =>
        requireOrganizationPermission(it, manage),
      );
      const id = records.newId(kind);
      const fields = await make(access, id);
      const { record, created } = await orAbsent(
        records.create(
          kind,
          { ...fields, organization } as unknown as Omit<Records[K], 'id' | 'createdAt'>,
          undefined,
          id,
        ),
      );
      if (!created) throw nameTaken();
      return { data: resource(record) };
    },

    update: async (
      { digest }: Caller,
      id: string,
      body: { readonly id?: string | null | undefined },
      plan: (record: Records[K]) => Promise<RecordUpdate> | RecordUpdate,
    ): Promise<Records[K]> => {
      const { record } = await find(digest, id, manage);
      sameResource(body.id, id);
      return orAbsent(records.update(kind, record.organization, record.id, plan));
    },

    /** It is out of service at once; its name is free again when nobody can use it any more. */
    remove: async ({ id: request, digest }: Caller, id: string): Promise<undefined> => {
      const { caller, record } = await find(digest, id, manage);
      const item = await records.findItem(kind, record.organization, record.id);
      if (item === undefined) return;
      await removalFor({ id: request, principal: caller.principal }).begin(item);
    },
  };
};
