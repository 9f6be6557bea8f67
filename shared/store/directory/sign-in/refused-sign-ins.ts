import { createChangeRecord, type RequestContext } from '../../../domain/changes/change-context.ts';
import {
  SIGN_IN_REFUSED,
  type SignInRefusal,
  type SignInRefusalReason,
} from '../../../domain/changes/change-records.ts';
import { linkedIdentityId } from '../../../domain/directory/sessions.ts';
import type { IdentityProvider } from '../../../domain/identity-providers.ts';
import type { Clock } from '../../../lib/clock.ts';
import { mapWithConcurrency } from '../../../lib/concurrency.ts';
import { newEventId } from '../../../lib/random.ts';
import type { Database } from '../../dynamodb/database.ts';
import { keys, prefixes } from '../../dynamodb/keys.ts';
import { writeRefusal } from '../records/refusals.ts';

/** Number of organizations whose entries are written concurrently. */
const CONCURRENCY = 8;

/**
 * Records a refused sign-in in each organization of the user with whom the identity is linked, at most once a minute for each user
 * and reason (SIGNIN-14). Of other people, nothing is recorded.
 * @param request its principal is the identity provider: the user has not been authenticated.
 */
export type RecordRefusedSignIn = (
  request: RequestContext,
  provider: Pick<IdentityProvider, 'name' | 'issuer'>,
  subject: string,
  reason: SignInRefusalReason,
) => Promise<void>;

/** Opens the writes of refused sign-ins. All reads are strongly consistent. */
export const openRefusedSignIns =
  (database: Database, clock: Clock): RecordRefusedSignIn =>
  async (request, { name: provider, issuer }, subject, reason) => {
    const identity = await database.get(keys.linkedIdentity(linkedIdentityId(issuer, subject)), true);
    if (identity === undefined) return;
    const id = String(identity['user']);
    const [user, items] = await Promise.all([
      database.get(keys.user(id), true),
      database.query({ partition: keys.user(id).pk, beginsWith: prefixes.memberships, consistent: true }),
    ]);
    const memberships = items.filter(({ team }) => team === undefined);
    const username = user && String(user['username']);
    await mapWithConcurrency(memberships, CONCURRENCY, ({ id: membership, organization }) => {
      const details = {
        organization: String(organization),
        membership: String(membership),
        ...(username !== undefined && { username }),
        provider,
        reason,
      };
      const refusal: SignInRefusal = createChangeRecord(newEventId(), SIGN_IN_REFUSED, request, clock(), details);
      return writeRefusal(database, `${membership}/${reason}`, refusal);
    });
  };
