import {
  createChangeRecord,
  createRequestContext,
  type RequestContext,
} from '../../../domain/changes/change-context.ts';
import { absent } from '../../../domain/changes/conditions.ts';
import type { OrganizationChange } from '../../../domain/changes/organization-changes.ts';
import type { AuditTrailPrincipal, Principal } from '../../../domain/directory/records.ts';
import type { TokenSubject } from '../../../domain/directory/tokens.ts';
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

/** The item of a token of which no use is recorded, and its holder. */
interface UnusedToken {
  readonly item: Item;
  readonly principal: Principal | AuditTrailPrincipal;
}

/** Time for which a report is kept, in seconds: as long as the stream keeps its record. */
const REPORT_SECONDS = 86_400;

/**
 * Reports of the first uses of tokens (AUTH-21). A function may only create the report, an item of its own. The function
 * that writes the history records the use on the token.
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
    const context = createRequestContext(request, { principal: principal as Principal }, address);
    const item = {
      ...{ id: token['id'], kind: token['kind'], subject: token['subject'], digest },
      use: createChangeRecord(newEventId(), 'token.first-used', context, now, {}),
      ttl: Math.ceil(now / 1_000) + REPORT_SECONDS,
    };
    const change = { set: { ...typeAndVersion('token-use'), ...item } };
    const write = update(keys.tokenUse(String(token['id'])), change, absent('pk'));
    // The condition fails if another request has reported it.
    await conditionHolds(database.write(write, RECORD_MILLISECONDS));
    return true;
  };

  return {
    /** Notes that a request is authenticated with a token of which no use is recorded. */
    note: (digest: string, token: UnusedToken): void => {
      unused.set(digest, token);
    },

    /**
     * Reports the first use of the token of a request, if its item says that there was none. An instance reports a token
     * once, however long its item is cached.
     */
    reportFirstUse: async (digest: string, request: FirstRequest): Promise<void> => {
      const token = unused.get(digest);
      if (token === undefined) return;
      unused.delete(digest);
      await reported.get(digest, false, () => report(digest, token, request));
    },
  };
};

/** A reported first use of a token. */
export interface TokenUse {
  readonly id: string;
  readonly subject: TokenSubject;
  readonly digest: string;
  readonly change: OrganizationChange;
}

/** Converts a stored report. */
export const tokenUseOf = (item: Item): TokenUse => ({
  id: String(item['id']),
  subject: tokenSubjectOf(item),
  digest: String(item['digest']),
  change: item['use'] as OrganizationChange,
});

/** Records a reported first use on the token, as a change of it. It may be repeated. */
export type RecordFirstUse = (use: TokenUse) => Promise<void>;

/** Opens the writes that record first uses of tokens. */
export const openFirstUseWriter = (database: Database, clock: Clock): RecordFirstUse => {
  /** Sends a write unless its condition fails: then an earlier delivery sent it, or the token is revoked. */
  const writeOnce = (write: Write): Promise<boolean> =>
    conditionHolds(persistWrite('token', { database, clock }, write));

  return async ({ id, subject, digest, change }) => {
    // In this order: after a crash in between, the next delivery of the report makes the second write.
    await writeOnce(tokenUseWrite(subject, id, change));
    await writeOnce(tokenUseEnd(digest));
  };
};
