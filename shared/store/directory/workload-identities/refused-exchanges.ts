import { createChangeRecord, type RequestContext } from '../../../domain/changes/change-context.ts';
import {
  EXCHANGE_REFUSED,
  type ExchangeRefusal,
  type RefusedExchange,
} from '../../../domain/changes/change-records.ts';
import type { WorkloadIdentity } from '../../../domain/directory/records.ts';
import type { Clock } from '../../../lib/clock.ts';
import { newEventId } from '../../../lib/random.ts';
import type { Database } from '../../dynamodb/database.ts';
import { writeRefusal } from '../records/refusals.ts';

/** Records a refused exchange, at most once a minute for each workload identity and reason (WI-9). */
export type RecordRefusal = (
  request: RequestContext,
  identity: Pick<WorkloadIdentity, 'id' | 'organization' | 'team'>,
  refused: RefusedExchange,
) => Promise<void>;

/** Opens the writes of refused exchanges. */
export const openRefusedExchanges =
  (database: Database, clock: Clock): RecordRefusal =>
  async (request, { id: identity, organization, team }, refused) => {
    const details = { ...refused, organization, team };
    const refusal: ExchangeRefusal = createChangeRecord(newEventId(), EXCHANGE_REFUSED, request, clock(), details);
    await writeRefusal(database, `${identity}/${refused.reason}`, refusal);
  };
