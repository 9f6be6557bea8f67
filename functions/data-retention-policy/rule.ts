import { eitherName } from '../../shared/domain/either-name.ts';
import { invalid } from '../../shared/domain/errors.ts';
import type { RetentionRule } from '../../shared/domain/state-versions/retention-policy.ts';
import type { BodyOf } from '../../shared/http/operation.ts';

/**
 * What a request asks for; both spellings of its attribute are sent (RET-5).
 * @throws DomainError 422 where it does not say after how many days.
 */
export const ruleIn = ({ data: { type, attributes } }: BodyOf<'retention-policies.set'>): RetentionRule => {
  if (type === 'data-retention-policy-dont-deletes') return { type, deleteOlderThanDays: null };
  const attribute = 'delete-older-than-n-days';
  const other = 'deleteOlderThanNDays';
  const days = eitherName(attribute, attributes?.[attribute], other, attributes?.[other]);
  if (days === undefined) throw invalid(attribute, "Delete older than n days can't be blank");
  return { type, deleteOlderThanDays: days };
};
