import type { RequestContext } from '../../../domain/changes/change-context.ts';
import { isOpen, type Stored } from '../../../domain/directory/transitions/plan.ts';
import {
  claimOf,
  close,
  type Deletion,
  finalizeOrganization,
  releaseName,
  reopen,
  type SeenClaim,
  targetOf,
} from '../../../domain/directory/transitions/removal.ts';
import type { Key } from '../../dynamodb/keys.ts';
import { claimKey, targetKey } from '../../items/directory-writes.ts';
import { entityKindOf, storedOf } from '../../items/record-items.ts';
import { apply, type Table } from '../records/commit.ts';

/** Opens the first step of a deletion (REMOVE-1). */
export const openClosing = (table: Table) => {
  const { database } = table;

  /** Reads a record; undefined if there is none, or only a tombstone. */
  const read = async (key: Key): Promise<Stored | undefined> => {
    const item = await database.get(key, true);
    const kind = item && entityKindOf(item);
    return kind && (storedOf(kind, item) as Stored);
  };

  const readClaim = async (claim: SeenClaim): Promise<SeenClaim | undefined> => {
    const item = await database.get(claimKey(claim), true);
    return item && { ...claim, id: String(item['id']), version: item['version'] as string | undefined };
  };

  const findClaim = async (stored: Stored): Promise<SeenClaim | undefined> => {
    const own = claimOf(stored);
    const claim = own && (await readClaim(own));
    return claim?.id === own?.id ? claim : undefined;
  };

  return {
    read,

    /** Finds the claim of a record on its name; undefined if it has none, because its deletion is final. */
    findClaim,

    /**
     * Marks a record as closing, unless it is.
     * @param first the record as it was read, so that it need not be read again.
     * @param firstClaim its claim on its name, from `findClaim`.
     * @param wait milliseconds from the mark to the removal.
     * @returns undefined if the deletion is final already.
     * @throws DomainError 412 if the request does not accept the revision of the record.
     */
    close: (
      request: RequestContext,
      first: Stored,
      firstClaim: SeenClaim | undefined,
      wait: number,
    ): Promise<Deletion | undefined> =>
      apply<Deletion | undefined>(table, request, async (attempt) => {
        const key = targetKey(targetOf(first));
        const seen = attempt.isFirst ? first : await read(key);
        const claim = attempt.isFirst ? firstClaim : seen && (await findClaim(seen));
        // The claim has to be read before the record is known to be closing.
        const isSeenOpen = seen === undefined || isOpen(seen);
        return close(attempt, isSeenOpen ? seen : await read(key), claim, wait);
      }),

    /** Takes the mark away, so that the record is in service again. @returns false if the deletion is final. */
    reopen: (request: RequestContext, deletion: Deletion): Promise<boolean> =>
      apply<boolean>(table, request, async (attempt) => {
        const stored = await read(targetKey(deletion.of));
        const isOwn = stored?.closingSince === deletion.since;
        return reopen(attempt, stored, isOwn ? await findClaim(stored) : undefined, deletion);
      }),

    /** Makes a deletion final. @returns false if the record was reopened. */
    finalize: (request: RequestContext, deletion: Deletion): Promise<boolean> => {
      const { of, since, claim } = deletion;
      return apply<boolean>(table, request, async (attempt) => {
        if (claim !== undefined) return releaseName(claim, attempt.isFirst ? claim : await readClaim(claim));
        const stored = attempt.isFirst ? { closingSince: since } : await read(targetKey(of));
        return finalizeOrganization(attempt, stored, deletion);
      });
    },
  };
};

export type Closing = ReturnType<typeof openClosing>;
