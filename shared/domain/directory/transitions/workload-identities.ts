import { termsOf } from '../../workload-identities/terms.ts';
import type { WorkloadIdentity } from '../records.ts';
import type { RecordUpdate } from './records.ts';

/** A change of a workload identity; an omitted property keeps its value. */
export type IdentityChange = Partial<Omit<WorkloadIdentity, 'id' | 'organization' | 'team' | 'createdAt' | 'revision'>>;

/**
 * Plans a change of a workload identity. If it gives tokens on other terms then, the cleanup finds it until its old tokens are
 * revoked.
 * @param cleanupAt time from which the cleanup may revoke them, in milliseconds.
 */
export const changeIdentity = (
  present: WorkloadIdentity,
  { name: newName, ...fields }: IdentityChange,
  cleanupAt: number,
): RecordUpdate => ({
  newName,
  change: { set: fields },
  ...(termsOf({ ...present, ...fields }) !== termsOf(present) && {
    bookkeeping: { set: { hasUncopiedSettings: true, cleanupAt } },
  }),
});
