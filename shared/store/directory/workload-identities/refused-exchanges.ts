import { createChangeRecord, type RequestContext } from '../../../domain/changes/change-context.ts';
import {
  EXCHANGE_REFUSED,
  type ExchangeRefusal,
  type RefusedExchange,
} from '../../../domain/changes/change-records.ts';
import { absent } from '../../../domain/changes/conditions.ts';
import type { WorkloadIdentity } from '../../../domain/directory/records.ts';
import type { Clock } from '../../../lib/clock.ts';
import { newEventId } from '../../../lib/random.ts';
import type { Database } from '../../dynamodb/database.ts';
import { conditionHolds } from '../../dynamodb/errors.ts';
import { typeAndVersion } from '../../dynamodb/item-schemas.ts';
import { keys } from '../../dynamodb/keys.ts';
import { RECORD_MILLISECONDS } from '../../dynamodb/time-limits.ts';
import { update } from '../../items/item-write.ts';

const MINUTE = 60_000;
/** Time for which an item is kept, in seconds: as long as the stream keeps its records. */
const KEPT_SECONDS = 86_400;

/** Records a refused exchange, at most once a minute for each workload identity and reason (WI-9). */
export type RecordRefusal = (
  request: RequestContext,
  identity: Pick<WorkloadIdentity, 'id' | 'organization' | 'team'>,
  refused: RefusedExchange,
) => Promise<void>;

/** Opens the writes of refused exchanges. The function that writes the history reads them from the stream. */
export const openRefusedExchanges =
  (database: Database, clock: Clock): RecordRefusal =>
  async (request, { id: identity, organization, team }, refused) => {
    const now = clock();
    const minute = Math.floor(now / MINUTE);
    const details = { ...refused, organization, team };
    const refusal: ExchangeRefusal = createChangeRecord(newEventId(), EXCHANGE_REFUSED, request, now, details);
    const id = `${identity}/${refused.reason}`;
    const ttl = Math.ceil(now / 1_000) + KEPT_SECONDS;
    const write = update(
      keys.rejections(id, minute),
      { set: { ...typeAndVersion('refusals'), id, minute, refusal, ttl } },
      absent('pk'),
    );
    await conditionHolds(database.write(write, RECORD_MILLISECONDS));
  };
