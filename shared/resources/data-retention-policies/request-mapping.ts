import { invalid } from '../../domain/errors.ts';
import type { RetentionRule } from '../../domain/state-versions/retention-policy.ts';
import type { RequestAttributes } from '../attribute-table.ts';
import type { attributes as table } from './attributes.ts';

const ATTRIBUTE = 'delete-older-than-n-days';
const OTHER = 'deleteOlderThanNDays';

/**
 * Reads the retention rule of a request. Clients send its attribute in two spellings (RET-5).
 * @throws DomainError 422 without a number of days.
 */
export const retentionRule = ({
  type,
  attributes,
}: {
  readonly type: RetentionRule['type'];
  readonly attributes?: RequestAttributes<typeof table> | null;
}): RetentionRule => {
  if (type === 'data-retention-policy-dont-deletes') return { type, deleteOlderThanDays: null };
  const { [ATTRIBUTE]: days, [OTHER]: other } = attributes ?? {};
  if (days !== undefined && other !== undefined && days !== other) {
    throw invalid(ATTRIBUTE, `${ATTRIBUTE} and ${OTHER} are names of one attribute, and their values differ`);
  }
  const deleteOlderThanDays = days ?? other;
  if (deleteOlderThanDays === undefined) throw invalid(ATTRIBUTE, "Delete older than n days can't be blank");
  return { type, deleteOlderThanDays };
};
