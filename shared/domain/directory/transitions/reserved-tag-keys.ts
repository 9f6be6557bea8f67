import { all, unchanged } from '../../changes/conditions.ts';
import type { OrganizationChangeType } from '../../changes/organization-changes.ts';
import { requireRevision } from '../../changes/revisions.ts';
import { DomainError, invalid, notFound } from '../../errors.ts';
import { limits } from '../../limits.ts';
import { type ReservedTagKey, reservedTagKeyAsRevised } from '../../tags/reserved-tag-keys.ts';
import { type Attempt, done, type Effect, isOpen, OPEN, type Plan, record, type Stored } from './plan.ts';
import { noOrganization } from './records.ts';

/** Reserved tag keys. They are stored on the organization, which every request on tags reads anyway. */

export type ReservedTagKeyFields = Pick<ReservedTagKey, 'key' | 'disableOverrides'>;

/** A change of the reserved tag keys of an organization. */
interface KeysChange<T> {
  readonly type: Extract<OrganizationChangeType, `${string}.reserved-tag-key-${string}`>;
  readonly changed: ReservedTagKey;
  readonly reserved: readonly ReservedTagKey[];
  readonly effects?: readonly Effect[];
  readonly result: T;
}

const keyTaken = (): DomainError => invalid('key', 'Key has already been taken');

/**
 * Plans a change of the keys, unless another request has changed them since they were read.
 * @param revision new revision of the keys, by which a repeated attempt recognizes the write of an earlier one.
 */
const changeKeys = <T>(
  attempt: Attempt<T>,
  stored: Stored<'organization'> | undefined,
  revision: string,
  plan: (reserved: readonly ReservedTagKey[]) => KeysChange<T> | { readonly result: T },
): Plan<T> => {
  if (!isOpen(stored)) throw noOrganization();
  const { tagKeyRevision } = stored;
  // An earlier attempt of this request was applied, and its response was lost.
  if (tagKeyRevision === revision) return done(attempt.previous as T);
  const planned = plan(stored.record.reservedTagKeys ?? []);
  if (!('changed' in planned)) return done(planned.result);
  const { type, changed, reserved, effects = [], result } = planned;
  const { id, key, disableOverrides } = changed;
  return {
    effects: [
      {
        kind: 'update',
        of: { kind: 'organization', id: stored.record.name },
        change: { set: { reservedTagKeys: reserved, tagKeyRevision: revision } },
        condition: all(OPEN, unchanged('tagKeyRevision', tagKeyRevision)),
        changeRecord: record(attempt, type, { reservedTagKey: { id, key, disableOverrides } }),
      },
      ...effects,
    ],
    result,
  };
};

/** @throws DomainError 412 if the request does not accept the revision of the key. */
const requireAccepted = ({ request, isInDoubt }: Attempt, reserved: ReservedTagKey): void => {
  requireRevision(request.precondition, reservedTagKeyAsRevised(reserved), isInDoubt);
};

/** Plans to reserve a tag key. @throws DomainError 404; 422 if the key is reserved already, or too many are. */
export const createReservedTagKey = (
  attempt: Attempt<ReservedTagKey>,
  stored: Stored<'organization'> | undefined,
  revision: string,
  id: string,
  fields: ReservedTagKeyFields,
): Plan<ReservedTagKey> =>
  changeKeys(attempt, stored, revision, (before) => {
    // An earlier attempt of this request created it without a response.
    const existing = before.find((reserved) => reserved.id === id);
    if (existing !== undefined) return { result: existing };
    if (before.some(({ key }) => key === fields.key)) throw keyTaken();
    if (before.length >= limits.reservedTagKeys) {
      const detail = `An organization can reserve at most ${limits.reservedTagKeys} tag keys.`;
      throw new DomainError('unprocessable', detail);
    }
    const result = { id, ...fields, createdAt: attempt.at, updatedAt: attempt.at };
    const organization = stored?.record.name ?? '';
    return {
      type: 'organization.reserved-tag-key-created',
      changed: result,
      reserved: [...before, result],
      effects: [{ kind: 'create-tag-key-id', id, organization }],
      result,
    };
  });

/** Plans a change of a reserved tag key. @throws DomainError 404; 422 if another key is given that is reserved already. */
export const updateReservedTagKey = (
  attempt: Attempt<ReservedTagKey>,
  stored: Stored<'organization'> | undefined,
  revision: string,
  id: string,
  fields: Partial<ReservedTagKeyFields>,
): Plan<ReservedTagKey> =>
  changeKeys(attempt, stored, revision, (before) => {
    const current = before.find((reserved) => reserved.id === id);
    if (current === undefined) throw notFound();
    requireAccepted(attempt, current);
    if (before.some((reserved) => reserved.id !== id && reserved.key === fields.key)) throw keyTaken();
    const wanted = { ...current, ...fields };
    const isSame = wanted.key === current.key && wanted.disableOverrides === current.disableOverrides;
    if (isSame) return { result: current };
    const result = { ...wanted, updatedAt: attempt.at };
    return {
      type: 'organization.reserved-tag-key-updated',
      changed: result,
      reserved: before.map((reserved) => (reserved.id === id ? result : reserved)),
      result,
    };
  });

/** Plans to delete a reserved tag key. A key that is deleted already is no error, so that a retry succeeds. */
export const deleteReservedTagKey = (
  attempt: Attempt<undefined>,
  stored: Stored<'organization'> | undefined,
  revision: string,
  id: string,
): Plan<undefined> =>
  changeKeys(attempt, stored, revision, (before) => {
    const changed = before.find((one) => one.id === id);
    if (changed === undefined) return { result: undefined };
    requireAccepted(attempt, changed);
    return {
      type: 'organization.reserved-tag-key-deleted',
      changed,
      reserved: before.filter((one) => one.id !== id),
      effects: [{ kind: 'delete-tag-key-id', id }],
      result: undefined,
    };
  });
