import { createChangeRecord, createRequestContext } from '../../../domain/changes/change-context.ts';
import {
  PATH_LENGTH,
  REJECTIONS_PER_MINUTE,
  REQUEST_REJECTED,
  type RejectedRequest,
  type Rejection,
} from '../../../domain/changes/change-records.ts';
import { absent, any, below } from '../../../domain/changes/conditions.ts';
import { cutText } from '../../../domain/cut-text.ts';
import type { Principal } from '../../../domain/directory/records.ts';
import type { Clock } from '../../../lib/clock.ts';
import { newEventId } from '../../../lib/random.ts';
import type { Database } from '../../dynamodb/database.ts';
import { conditionHolds } from '../../dynamodb/errors.ts';
import { typeAndVersion } from '../../dynamodb/item-schemas.ts';
import { keys } from '../../dynamodb/keys.ts';
import { RECORD_MILLISECONDS } from '../../dynamodb/time-limits.ts';
import { update } from '../../items/item-write.ts';
import type { Identities } from './identity.ts';

/** A rejected request, and the organization of what it requested, if that is known. */
interface Attempt extends RejectedRequest {
  /** False for a 404 of something that does not exist, which leaves no record. */
  readonly isAccessDenied: boolean;
  readonly request: string;
  readonly address?: string;
  readonly organization?: string | undefined;
}

const MINUTE = 60_000;
/** Time for which an item is kept, in seconds: as long as the stream keeps its records. */
const KEPT_SECONDS = 86_400;

/**
 * Records a rejected request of a valid token (HIST-18). One item for each token and minute contains the last rejection and
 * their number; the stream has each of them. Beyond the limit nothing is written. A rejection that leaves no record sends a
 * write as well, whose condition fails: the time of a 404 must not tell whether something exists (PERM-21).
 */
export type RecordRejection = (digest: string, attempt: Attempt) => Promise<void>;

/** Opens the writes of rejected requests. */
export const openRejections =
  (database: Database, clock: Clock, { findToken }: Pick<Identities, 'findToken'>): RecordRejection =>
  async (digest, { isAccessDenied, request, address, organization: requested, operation, status, path }) => {
    const identity = await findToken(digest, false);
    if (identity === undefined) return;
    const principal = identity.principal as Principal;
    const organization = requested ?? ('organization' in principal ? principal.organization : '');
    const isRecorded = isAccessDenied && organization !== '';
    const now = clock();
    const minute = Math.floor(now / MINUTE);
    const context = createRequestContext(request, { principal }, address);
    const details = { organization, operation, status, path: cutText(path, PATH_LENGTH) };
    const refusal: Rejection = createChangeRecord(newEventId(), REQUEST_REJECTED, context, now, details);
    const id = principal.token ?? principal.id;
    const ttl = Math.ceil(now / 1_000) + KEPT_SECONDS;
    const set = { ...typeAndVersion('refusals'), id, minute, refusal, ttl };
    const condition = isRecorded ? any(absent('seq'), below('seq', REJECTIONS_PER_MINUTE)) : below('seq', 0);
    const write = update(keys.rejections(id, minute), { set, count: ['seq'] }, condition);
    await conditionHolds(database.write(write, RECORD_MILLISECONDS));
  };
