import { absent, all, equals } from '../../../domain/changes/conditions.ts';
import type { OrganizationChangeType } from '../../../domain/changes/organization-changes.ts';
import { requireRevision } from '../../../domain/changes/revisions.ts';
import type { Organization } from '../../../domain/directory/records.ts';
import { noOrganization } from '../../../domain/directory/transitions/records.ts';
import { DomainError, invalid, notFound } from '../../../domain/errors.ts';
import { isId } from '../../../domain/ids.ts';
import { limits } from '../../../domain/limits.ts';
import { type ReservedTagKey, reservedTagKeyAsRevised } from '../../../domain/tags/reserved-tag-keys.ts';
import { base58, newId } from '../../../lib/random.ts';
import { keys } from '../../dynamodb/keys.ts';
import type { Write } from '../../dynamodb/requests.ts';
import { isOpen, organizationOf } from '../../items/directory-items.ts';
import { OPEN, put, remove, update, withChangeRecord } from '../../items/record-items.ts';
import { commit, done, type RecordingTable, unguarded } from '../records/commit.ts';

export type ReservedTagKeyFields = Pick<ReservedTagKey, 'key' | 'disableOverrides'>;

/** Planned reserved tag keys of an organization. */
interface Planned<T> {
  readonly reserved: readonly ReservedTagKey[];
  /** The change of one key; absent if nothing changes. */
  readonly change?: {
    readonly type: Extract<OrganizationChangeType, `${string}.reserved-tag-key-${string}`>;
    readonly reservedTagKey: ReservedTagKey;
  };
  readonly writes?: readonly Write[];
  readonly result: T;
}

const keyTaken = () => invalid('key', 'Key has already been taken');

/**
 * Opens the changes of reserved tag keys. They lie on the organization item, which every request on tags reads anyway; a
 * pointer leads from the id of a key to its organization. All reads are strongly consistent.
 */
export const openReservedTagKeys = (table: RecordingTable) => {
  const { database, request } = table;

  /** Changes the keys of an organization, unless another request has changed them since they were read. */
  const change = <T>(
    name: string,
    plan: (reserved: readonly ReservedTagKey[], now: number, isInDoubt: boolean) => Planned<T>,
  ): Promise<T> => {
    const ownRevision = base58(8);
    let last: T | undefined;
    return commit(table, async (now, isInDoubt) => {
      const item = await database.get(keys.organization(name), true);
      if (!isOpen(item)) throw noOrganization();
      const before = organizationOf(item).reservedTagKeys ?? [];
      // An earlier attempt of this request was applied, and its response was lost.
      if (item['tagKeyRevision'] === ownRevision) return done(last as T);
      const { reserved, change: planned, writes = [], result } = plan(before, now, isInDoubt);
      last = result;
      if (planned === undefined) return done(result);
      const { id, key, disableOverrides } = planned.reservedTagKey;
      const chg = table.record(planned.type, now, { reservedTagKey: { id, key, disableOverrides } });
      const { tagKeyRevision: revision } = item;
      const asSeen = revision === undefined ? absent('tagKeyRevision') : equals('tagKeyRevision', String(revision));
      const fields = { reservedTagKeys: reserved, tagKeyRevision: ownRevision };
      const write = update(keys.organization(name), withChangeRecord({ set: fields }, chg), all(OPEN, asSeen));
      return { writes: unguarded([write, ...writes]), result };
    });
  };

  /** @throws DomainError 412 if the request does not accept the revision of the key. */
  const requireAccepted = (reserved: ReservedTagKey | undefined, isInDoubt: boolean): void => {
    requireRevision(request().precondition, reserved && reservedTagKeyAsRevised(reserved), isInDoubt);
  };

  return {
    /** Finds the organization of a reserved tag key; undefined if there is no such key. */
    findReservedTagKeyPlace: async (id: string, consistent: boolean): Promise<{ organization: string } | undefined> => {
      const item = isId('reservedTagKey', id) ? await database.get(keys.pointer(id), consistent) : undefined;
      return item && { organization: String(item['organization']) };
    },

    /** @throws DomainError 404; 422 if the key is reserved already, or too many are. */
    createReservedTagKey: (organization: string, fields: ReservedTagKeyFields): Promise<ReservedTagKey> => {
      const id = newId('reservedTagKey', request());
      return change(organization, (before, now) => {
        // An earlier attempt of this request created it without a response.
        const existing = before.find((reserved) => reserved.id === id);
        if (existing !== undefined) return { reserved: before, result: existing };
        if (before.some(({ key }) => key === fields.key)) throw keyTaken();
        if (before.length >= limits.reservedTagKeys) {
          const detail = `An organization can reserve at most ${limits.reservedTagKeys} tag keys.`;
          throw new DomainError('unprocessable', detail);
        }
        const result = { id, ...fields, createdAt: now, updatedAt: now };
        const pointer = put(keys.pointer(id), 'reserved-tag-key-id', { id, organization });
        const created = { type: 'organization.reserved-tag-key-created', reservedTagKey: result } as const;
        return { reserved: [...before, result], change: created, writes: [pointer], result };
      });
    },

    /** @throws DomainError 404; 422 if another key is given that is reserved already. */
    updateReservedTagKey: (
      organization: string,
      id: string,
      fields: Partial<ReservedTagKeyFields>,
    ): Promise<ReservedTagKey> =>
      change(organization, (before, now, isInDoubt) => {
        const current = before.find((reserved) => reserved.id === id);
        if (current === undefined) throw notFound();
        requireAccepted(current, isInDoubt);
        if (before.some((reserved) => reserved.id !== id && reserved.key === fields.key)) throw keyTaken();
        const wanted = { ...current, ...fields };
        const isSame = wanted.key === current.key && wanted.disableOverrides === current.disableOverrides;
        if (isSame) return { reserved: before, result: current };
        const result = { ...wanted, updatedAt: now };
        return {
          reserved: before.map((reserved) => (reserved.id === id ? result : reserved)),
          change: { type: 'organization.reserved-tag-key-updated', reservedTagKey: result },
          result,
        };
      }),

    /** Deletes a reserved tag key. A key that is deleted already is no error, so that a retry succeeds. */
    deleteReservedTagKey: (organization: string, id: string): Promise<void> =>
      change(organization, (before, _, isInDoubt) => {
        const reservedTagKey = before.find((one) => one.id === id);
        if (reservedTagKey === undefined) return { reserved: before, result: undefined };
        requireAccepted(reservedTagKey, isInDoubt);
        const reserved = before.filter((one) => one.id !== id);
        const deleted = { type: 'organization.reserved-tag-key-deleted', reservedTagKey } as const;
        return { reserved, change: deleted, writes: [remove(keys.pointer(id))], result: undefined };
      }),
  };
};

/** Builds the deletions of the pointers to the reserved tag keys of an organization that is deleted. */
export const reservedTagKeyRemovals = ({ reservedTagKeys = [] }: Pick<Organization, 'reservedTagKeys'>): Write[] =>
  reservedTagKeys.map(({ id }) => remove(keys.pointer(id)));
