import { unavailable } from '../errors.ts';
import { computed } from '../ids.ts';
import type { RequestContext } from './change-context.ts';
import { all, type Condition, unchanged } from './conditions.ts';
import { type Precondition, type Revised, requireMatch } from './entity-tags.ts';

/** Number of characters of the revision of a record. */
const LENGTH = 8;

/**
 * Computes the revision that a request gives to the records whose settings it changes. It is derived from the id of the
 * request, so a repeated attempt recognizes the write of an earlier one.
 */
export const revisionBy = ({ id }: Pick<RequestContext, 'id'>): string => computed(id, 'revision').slice(0, LENGTH);

/**
 * Requires that a record has a revision that the request accepts (EDIT-4).
 * @param isInDoubt whether the outcome of an earlier attempt is unknown. It may have been applied and then replaced.
 * @returns the condition of the write that the record still has the revision.
 * @throws DomainError 412 with the current entity tag; 503 in doubt.
 */
export const requireRevision = (
  precondition: Precondition | undefined,
  record: Revised | undefined,
  isInDoubt = false,
): Condition => {
  try {
    requireMatch(precondition, record);
  } catch (error) {
    throw isInDoubt ? unavailable('The resource is busy. Try again shortly.', error) : error;
  }
  return precondition === undefined || precondition === '*' ? all() : unchanged('revision', record?.revision);
};
