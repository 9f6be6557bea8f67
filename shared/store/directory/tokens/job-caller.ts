import type { JobCaller } from '../../../domain/bulk-jobs/bulk-job.ts';
import { hasEnded } from '../../../domain/bulk-jobs/bulk-job.ts';
import type { Principal } from '../../../domain/directory/records.ts';
import type { Clock } from '../../../lib/clock.ts';
import { type Item, type Key, keys } from '../../dynamodb/keys.ts';
import { isOpen } from '../../items/directory-items.ts';

/** Reads an item, from the cache of this instance unless `consistent`. */
type Read = (key: Key, consistent: boolean) => Promise<Item | undefined>;

/** Returns the item that says whether the authority of a job still exists, and when it would have ended by itself. */
const authorityOf = ({ principal, digest, tokenExpiresAt, sessionExpiresAt }: JobCaller) =>
  principal.kind === 'user' && principal.session !== undefined
    ? { key: keys.session(principal.session), expiresAt: sessionExpiresAt }
    : { key: keys.token(digest), expiresAt: tokenExpiresAt };

/** Returns the record that an expired authority depends on: the user, or the workload identity of a pipeline. */
const holderOf = (principal: Principal): Key | undefined => {
  if (principal.kind === 'user') return keys.user(principal.id);
  if (principal.kind !== 'team') return undefined;
  const { workload } = principal;
  return workload ? keys.record('workloadIdentity', workload.identity) : keys.team(principal.id);
};

/**
 * Opens the reads of the callers of bulk jobs (JOB-7). A job acts for its caller until the token or the session that started it
 * is revoked or ended, or the person is suspended. It goes on if the token or the session merely expires.
 * @param findService finds the principal of the credential of automation.
 */
export const openJobCallers =
  (
    read: Read,
    clock: Clock,
    findService: (credential: string, consistent: boolean) => Promise<Principal | undefined>,
  ) =>
  async (job: string, consistent: boolean): Promise<Principal | undefined> => {
    const item = await read(keys.bulkJob(job), consistent);
    if (item === undefined || hasEnded(item as never)) return undefined;
    const caller = item['caller'] as JobCaller;
    const { principal, digest } = caller;
    const service = await findService(digest, consistent);
    if (service !== undefined) return service;
    const { key, expiresAt } = authorityOf(caller);
    const authority = await read(key, consistent);
    if (authority?.['suspended'] === true) return undefined;
    const hasExpired = expiresAt !== undefined && expiresAt <= clock();
    if (authority === undefined && !hasExpired) return undefined;
    const holder = hasExpired ? holderOf(principal) : undefined;
    if (holder === undefined) return principal;
    const record = await read(holder, consistent);
    return isOpen(record) && record['suspendedAt'] === undefined && record['enabled'] !== false ? principal : undefined;
  };
