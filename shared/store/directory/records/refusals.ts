import type { ExchangeRefusal, SignInRefusal } from '../../../domain/changes/change-records.ts';
import { absent } from '../../../domain/changes/conditions.ts';
import type { Database } from '../../dynamodb/database.ts';
import { conditionHolds } from '../../dynamodb/errors.ts';
import { typeAndVersion } from '../../dynamodb/item-schemas.ts';
import { keys } from '../../dynamodb/keys.ts';
import { RECORD_MILLISECONDS } from '../../dynamodb/time-limits.ts';
import { update } from '../../items/item-write.ts';

const MINUTE = 60_000;
/** Time for which an item is kept, in seconds: as long as the stream keeps its records. */
const KEPT_SECONDS = 86_400;

/**
 * Writes a refusal, at most once a minute for each id. The function that writes the history reads it from the stream.
 * @param id what is refused, with the reason.
 */
export const writeRefusal = async (
  database: Database,
  id: string,
  refusal: ExchangeRefusal | SignInRefusal,
): Promise<void> => {
  const minute = Math.floor(refusal.at / MINUTE);
  const ttl = Math.ceil(refusal.at / 1_000) + KEPT_SECONDS;
  const set = { ...typeAndVersion('refusals'), id, minute, refusal, ttl };
  await conditionHolds(database.write(update(keys.rejections(id, minute), { set }, absent('pk')), RECORD_MILLISECONDS));
};
