import { absent, all, type Condition, equals } from '../../../domain/changes/conditions.ts';
import type { Revised } from '../../../domain/changes/entity-tags.ts';
import { type OrganizationChange, recordChangeType } from '../../../domain/changes/organization-changes.ts';
import { requireRevision } from '../../../domain/changes/revisions.ts';
import { base58 } from '../../../lib/random.ts';
import type { Item } from '../../dynamodb/item.ts';
import { cleanupPartition, type Key, sortableTime } from '../../dynamodb/keys.ts';
import { isOpen } from '../../items/directory-items.ts';
import { claimOf, keyOf, namedKindOf, OPEN, remove, update, withChangeRecord } from '../../items/record-items.ts';
import { commit, done, type RecordingTable, unguarded } from '../records/commit.ts';

/** Returns whether an item is a project. Projects are listed with the workspaces. */
export const isProject = ({ ty }: Item): boolean => ty === 'project';

/**
 * Advances the position of a project in the list index, which is ordered by the time of the last change. Functions that
 * keep the list index in memory find the change by it. Other records keep their position.
 */
export const advanceListPosition = (item: Item, now: number): { readonly set: Item; readonly asSeen: Condition } =>
  isProject(item)
    ? {
        set: { lk: sortableTime(Math.max(now, Number(item['lk']) + 1)) },
        asSeen: equals('lk', String(item['lk'])),
      }
    : { set: {}, asSeen: all() };

/** Returns the item of a record as a resource with a revision. An organization is identified by its name. */
export const asRevised = ({ ty, id, name, revision }: Item): Revised => ({
  id: String(ty === 'organization' ? name : id),
  revision: revision as string | undefined,
});

/** The claim of a record on its name, as it was before the record was known to be closing. */
export interface NameClaim {
  readonly key: Key;
  readonly id: string;
  /** Undefined on claims that an earlier release wrote. */
  readonly version: string | undefined;
}

/** A deletion that is not final: the record is closing, and either the deletion becomes final or the record is reopened. */
export interface Deletion {
  readonly key: Key;
  /** Time of the mark `closing`, in milliseconds. */
  readonly since: number;
  /** Undefined for an organization and a user, whose names stay taken until everything is removed. */
  readonly claim: NameClaim | undefined;
  /** The change record of the deletion; undefined for a user, and if an earlier release wrote the mark. */
  readonly change: OrganizationChange | undefined;
}

/**
 * Opens the first step of a deletion (REMOVE-1). The mark `closing` takes a record out of service. The deletion is final
 * when the name of the record is released; that of an organization, when the item has the attribute `gone`.
 *
 * The mark includes the change record of the deletion, in the attribute `deletion`. The last write of the item makes it
 * the change record of the item: the tombstone of a record, or the attribute `gone` of an organization. So the event of a
 * deletion is published only when nothing can reopen the record.
 *
 * Both are one write of one item. The claim is read before the record is known to be closing, and every reopening
 * and every rename changes the version of the claim. So a release cannot take the name from a record that was reopened.
 */
export const openClosing = (table: RecordingTable) => {
  const { database, record, request } = table;

  const findClaim = async (item: Item): Promise<NameClaim | undefined> => {
    const key = claimOf(item);
    const claim = key && (await database.get(key, true));
    if (key === undefined || claim?.['id'] !== item['id']) return undefined;
    return { key, id: String(item['id']), version: claim?.['version'] as string | undefined };
  };

  const isFinal = (item: Item, claim: NameClaim | undefined): boolean =>
    item['ty'] === 'organization' ? item['gone'] !== undefined : claimOf(item) !== undefined && claim === undefined;

  /** Creates the change record of the deletion of a record or organization; undefined for a user, who has none. */
  const recordDeletion = (item: Item, now: number): OrganizationChange | undefined => {
    if (item['ty'] === 'organization') return record('organization.deleted', now);
    const kind = namedKindOf(item);
    return kind && record(recordChangeType(kind, 'deleted'), now);
  };

  return {
    recordDeletion,

    /** Finds the claim of a record on its name; undefined if it has none, because its deletion is final. */
    findClaim,
    isFinal,

    /**
     * Marks a record as closing, unless it is. The mark is also in the index `due`, where the cleanup finds it.
     * @param first the record as it was read, so that it need not be read again.
     * @param firstClaim its claim on its name, from `findClaim`.
     * @param wait milliseconds from the mark to the removal.
     * @returns undefined if the deletion is final already.
     * @throws DomainError 412 if the request does not accept the revision of the record.
     */
    close: (first: Item, firstClaim: NameClaim | undefined, wait: number): Promise<Deletion | undefined> => {
      const key = keyOf(first);
      let attempts = 0;
      return commit(table, async (now) => {
        const isFirst = attempts++ === 0;
        const seen = isFirst ? first : await database.get(key, true);
        if (seen === undefined) return done(undefined);
        const claim = isFirst ? firstClaim : await findClaim(seen);
        const item = isOpen(seen) ? seen : await database.get(key, true);
        if (item === undefined || item['ty'] !== first['ty']) return done(undefined);
        if (item['closing'] !== undefined) {
          const change = item['deletion'] as OrganizationChange | undefined;
          return done(isFinal(item, claim) ? undefined : { key, since: Number(item['closing']), claim, change });
        }
        const asAccepted = requireRevision(request().precondition, asRevised(item));
        const { set, asSeen } = advanceListPosition(item, now);
        const deletion = recordDeletion(item, now);
        const mark = {
          closing: now,
          ...(deletion && { deletion }),
          d: cleanupPartition(key.pk),
          dk: sortableTime(now + wait),
        };
        const name = item['ty'] === 'user' ? 'username' : 'name';
        const unchanged = all(OPEN, equals(name, String(item[name])), asSeen, asAccepted);
        const change = { set: { ...mark, ...set, ...(isProject(item) && { gone: now }) } };
        return {
          writes: unguarded([update(key, change, unchanged)]),
          result: { key, since: now, claim, change: deletion },
        };
      });
    },

    /**
     * Takes the mark away, so that the record is in service again.
     * @returns false if the deletion is final.
     */
    reopen: ({ key, since, ...deletion }: Deletion): Promise<boolean> =>
      commit(table, async (now) => {
        const item = await database.get(key, true);
        if (item === undefined) return done(false);
        // Another deletion of the record has reopened it.
        if (item['closing'] !== since) return done(isOpen(item));
        const claim = await findClaim(item);
        if (isFinal(item, claim)) return done(false);
        const { set, asSeen } = advanceListPosition(item, now);
        // A change of the project that its workspaces have not copied yet stays in the index `due`.
        const dueKeys = item['untold'] === undefined ? ['d', 'dk'] : [];
        const change = { set, remove: ['closing', 'gone', 'deletion', ...dueKeys] };
        const notFinal = isProject(item) ? all() : absent('gone');
        const writes = [
          update(key, change, all(equals('closing', since), notFinal, asSeen)),
          ...(deletion.claim && claim
            ? [update(claim.key, { set: { version: base58(8) } }, equals('id', claim.id))]
            : []),
        ];
        return { writes: unguarded(writes), result: true };
      }),

    /**
     * Makes a deletion final: releases the name of the record, or marks an organization as `gone`.
     * @returns false if the record was reopened.
     */
    finalize: ({ key, since, claim, change }: Deletion): Promise<boolean> => {
      let attempts = 0;
      return commit(table, async (now) => {
        if (claim === undefined) {
          const item = attempts++ === 0 ? { closing: since } : await database.get(key, true);
          if (item === undefined || item['gone'] !== undefined) return done(true);
          if (item['closing'] !== since) return done(false);
          const final = withChangeRecord(
            { set: { gone: now }, remove: ['deletion'] },
            change ?? record('organization.deleted', now),
          );
          const write = update(key, final, all(equals('closing', since), absent('gone')));
          return { writes: unguarded([write]), result: true };
        }
        const { id, version } = claim;
        const stored = attempts++ === 0 ? claim : await database.get(claim.key, true);
        if (stored?.['id'] !== id) return done(true);
        if (stored['version'] !== version) return done(false);
        const asSeen = all(equals('id', id), version === undefined ? absent('version') : equals('version', version));
        return { writes: unguarded([remove(claim.key, asSeen)]), result: true };
      });
    },
  };
};

export type Closing = ReturnType<typeof openClosing>;
