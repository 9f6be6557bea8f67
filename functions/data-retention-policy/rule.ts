import { eitherName } from '../../shared/domain/either-name.ts';
import { invalid } from '../../shared/domain/errors.ts';
import type { RetentionRule } from '../../shared/domain/state-versions/retention-policy.ts';
import type { BodyOf } from '../../shared/http/operation.ts';

/**
 * Reads the retention rule of a request. Clients send its attribute in two spellings (RET-5).
 * @throws DomainError 422 without a number of days.
 */
export const ruleIn = ({ data: { type, attributes } }: BodyOf<'retention-policies.set'>): RetentionRule => {
  if (type === 'data-retention-policy-dont-deletes') return { type, deleteOlderThanDays: null };
  const attribute = 'delete-older-than-n-days';
  const other = 'deleteOlderThanNDays';
  const days = eitherName(attribute, attributes?.[attribute], other, attributes?.[other]);
  if (days === undefined) throw invalid(attribute, "Delete older than n days can't be blank");
  return { type, deleteOlderThanDays: days };
};
