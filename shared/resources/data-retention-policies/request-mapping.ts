import { eitherName } from '../../domain/either-name.ts';
import { invalid } from '../../domain/errors.ts';
import type { RetentionRule } from '../../domain/state-versions/retention-policy.ts';
import { mapRequest, type RequestMappings } from '../attribute-table.ts';
import type { RetentionAttributes, attributes as table } from './attributes.ts';

type Days = Partial<Pick<RetentionRule, 'deleteOlderThanDays'>>;

const ATTRIBUTE = 'delete-older-than-n-days';
const OTHER = 'deleteOlderThanNDays';

const days = (attributes: RetentionAttributes): Days => {
  const given = eitherName(ATTRIBUTE, attributes[ATTRIBUTE], OTHER, attributes[OTHER]);
  return given === undefined ? {} : { deleteOlderThanDays: given };
};

/** Maps the attributes. An attribute of the table that is not mapped is a type error. */
const mappings: RequestMappings<typeof table, Days> = {
  [ATTRIBUTE]: (_, attributes) => days(attributes),
  [OTHER]: (_, attributes) => days(attributes),
};

/**
 * Reads the retention rule of a request. Clients send its attribute in two spellings (RET-5).
 * @throws DomainError 422 without a number of days.
 */
export const retentionRule = ({
  type,
  attributes,
}: {
  readonly type: RetentionRule['type'];
  readonly attributes?: RetentionAttributes | null;
}): RetentionRule => {
  if (type === 'data-retention-policy-dont-deletes') return { type, deleteOlderThanDays: null };
  const { deleteOlderThanDays } = mapRequest(mappings, attributes ?? {});
  if (deleteOlderThanDays === undefined) throw invalid(ATTRIBUTE, "Delete older than n days can't be blank");
  return { type, deleteOlderThanDays };
};
