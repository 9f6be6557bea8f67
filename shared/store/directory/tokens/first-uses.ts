import {
  createChangeRecord,
  createRequestContext,
  type RequestContext,
} from '../../../domain/changes/change-context.ts';
import { absent } from '../../../domain/changes/conditions.ts';
import type { OrganizationChange } from '../../../domain/changes/organization-changes.ts';
import type { AuditTrailPrincipal, Principal } from '../../../domain/directory/records.ts';
import type { TokenSubject } from '../../../domain/directory/tokens.ts';
import { dayOf } from '../../../domain/timestamps.ts';
import type { Clock } from '../../../lib/clock.ts';
import { newEventId } from '../../../lib/random.ts';
import { createCache } from '../../dynamodb/cache.ts';
import type { Database } from '../../dynamodb/database.ts';
import { conditionHolds } from '../../dynamodb/errors.ts';
import { typeAndVersion } from '../../dynamodb/item-schemas.ts';
import { type Item, keys } from '../../dynamodb/keys.ts';
import type { Write } from '../../dynamodb/requests.ts';
import { persistWrite } from '../../dynamodb/retry-writes.ts';
import { RECORD_MILLISECONDS } from '../../dynamodb/time-limits.ts';
import { update } from '../../items/item-write.ts';
import { tokenSubjectOf, tokenUseEnd, tokenUseWrite } from '../../items/record-items.ts';

/** The request that uses a token for the first time. */
type FirstRequest = Pick<RequestContext, 'id' | 'address'>;

/** The item of a token of which no use is recorded today, and its holder. */
interface UnusedToken {
  readonly item: Item;
  readonly principal: Principal | AuditTrailPrincipal;
}

/** Time for which a report is kept, in seconds: as long as the stream keeps its record. */
const REPORT_SECONDS = 86_400;

/**
 * Reports of the first uses of tokens, ever (AUTH-21) and on each day (AUTH-13). A function may only create the report, an item of
 * its own. The function that writes the history records the use on the token.
 */
export const openFirstUses = (database: Database, clock: Clock) => {
  const unused = new Map<string, UnusedToken>();
  const reported = createCache<true>(REPORT_SECONDS * 1_000, clock);

  const report = async (
    digest: string,
    { item: token, principal }: UnusedToken,
    { id: request, address }: FirstRequest,
  ): Promise<true> => {
    const now = clock();
    const id = String(token['id']);
    const item = {
      ...{ id, kind: token['kind'], subject: token['subject'], digest, usedAt: now },
      ttl: Math.ceil(now / 1_000) + REPORT_SECONDS,
    };
    const write = (): Write => {
      if (token['unused'] !== true) {
        const day = dayOf(now);
        return update(keys.tokenDay(id, day), { set: { ...typeAndVersion('token-day'), ...item, day } }, absent('pk'));
      }
      const context = createRequestContext(request, { principal: principal as Principal }, address);
      const use = createChangeRecord(newEventId(), 'token.first-used', context, now, {});
      return update(keys.tokenUse(id), { set: { ...typeAndVersion('token-use'), ...item, use } }, absent('pk'));
    };
    // The condition fails if another request has reported it.
    await conditionHolds(database.write(write(), RECORD_MILLISECONDS));
    return true;
  };

  return {
    /** Notes that a request is authenticated with a token, if no use of it is recorded today. Some tokens never report any. */
    note: (digest: string, token: UnusedToken): void => {
      const { unused: isUnused, usedAt } = token.item;
      const isFirstOfDay = usedAt !== undefined && dayOf(Number(usedAt)) < dayOf(clock());
      if (isUnused === true || isFirstOfDay) unused.set(digest, token);
    },

    /**
     * Reports the first use of the token of a request, ever or on this day, if its item says that there was none. An instance
     * reports a token once a day, however long its item is cached.
     */
    reportFirstUse: async (digest: string, request: FirstRequest): Promise<void> => {
      const token = unused.get(digest);
      if (token === undefined) return;
      unused.delete(digest);
      await reported.get(`${digest} ${dayOf(clock())}`, false, () => report(digest, token, request));
    },
  };
};

/** A reported use of a token. */
export interface TokenUse {
  readonly id: string;
  readonly subject: TokenSubject;
  readonly digest: string;
  readonly usedAt: number;
  /** Change record of the first use; undefined for the first one of a later day. */
  readonly change: OrganizationChange | undefined;
}

/** Converts a stored report. */
export const tokenUseOf = (item: Item): TokenUse => ({
  id: String(item['id']),
  subject: tokenSubjectOf(item),
  digest: String(item['digest']),
  // A report of an earlier release has no time of its own.
  usedAt: Number(item['usedAt'] ?? (item['use'] as OrganizationChange).at),
  change: item['use'] as OrganizationChange | undefined,
});

/** Records a reported use on the token; a first use is a change of it. It may be repeated. */
export type RecordFirstUse = (use: TokenUse) => Promise<void>;

/** Opens the writes that record uses of tokens. */
export const openFirstUseWriter = (database: Database, clock: Clock): RecordFirstUse => {
  /** Sends a write unless its condition fails: then an earlier delivery sent it, or the token is revoked. */
  const writeOnce = (write: Write): Promise<boolean> =>
    conditionHolds(persistWrite('token', { database, clock }, write));

  return async ({ id, subject, digest, usedAt, change }) => {
    // In this order: after a crash in between, the next delivery of the report makes the second write.
    await writeOnce(tokenUseWrite(subject, id, usedAt, change));
    await writeOnce(tokenUseEnd(digest, usedAt, change !== undefined));
  };
};
