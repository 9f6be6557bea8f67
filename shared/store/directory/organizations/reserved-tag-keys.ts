import type { RequestContext } from '../../../domain/changes/change-context.ts';
import {
  createReservedTagKey,
  deleteReservedTagKey,
  type ReservedTagKeyFields,
  updateReservedTagKey,
} from '../../../domain/directory/transitions/reserved-tag-keys.ts';
import { isId } from '../../../domain/ids.ts';
import type { ReservedTagKey } from '../../../domain/tags/reserved-tag-keys.ts';
import { base58, newId } from '../../../lib/random.ts';
import { keys } from '../../dynamodb/keys.ts';
import { apply, type Table } from '../records/commit.ts';
import type { RecordStore } from '../records/record-store.ts';

const newRevision = (): string => base58(8);

/**
 * Opens the changes of reserved tag keys. A pointer leads from the id of a key to its organization. All reads are strongly
 * consistent.
 */
export const openReservedTagKeys = (table: Table, { findOrganization }: Pick<RecordStore, 'findOrganization'>) => ({
  /** Finds the organization of a reserved tag key; undefined if there is no such key. */
  findPlace: async (id: string, consistent: boolean): Promise<{ organization: string } | undefined> => {
    const item = isId('reservedTagKey', id) ? await table.database.get(keys.pointer(id), consistent) : undefined;
    return item && { organization: String(item['organization']) };
  },

  /** @throws DomainError 404; 422 if the key is reserved already, or too many are. */
  create: (request: RequestContext, organization: string, fields: ReservedTagKeyFields): Promise<ReservedTagKey> => {
    const [id, revision] = [newId('reservedTagKey', request), newRevision()];
    return apply<ReservedTagKey>(table, request, async (attempt) =>
      createReservedTagKey(attempt, await findOrganization(organization), revision, id, fields),
    );
  },

  /** @throws DomainError 404; 422 if another key is given that is reserved already. */
  update: (
    request: RequestContext,
    organization: string,
    id: string,
    fields: Partial<ReservedTagKeyFields>,
  ): Promise<ReservedTagKey> => {
    const revision = newRevision();
    return apply<ReservedTagKey>(table, request, async (attempt) =>
      updateReservedTagKey(attempt, await findOrganization(organization), revision, id, fields),
    );
  },

  /** Deletes a reserved tag key. A key that is deleted already is no error, so that a retry succeeds. */
  delete: (request: RequestContext, organization: string, id: string): Promise<undefined> => {
    const revision = newRevision();
    return apply<undefined>(table, request, async (attempt) =>
      deleteReservedTagKey(attempt, await findOrganization(organization), revision, id),
    );
  },
});
