import type { Organization } from '../../shared/domain/directory/records.ts';
import type { Features } from '../../shared/domain/editions.ts';
import { invalid } from '../../shared/domain/errors.ts';

/**
 * Checks whether health assessments may be enforced.
 * @throws DomainError 422 if the attribute is sent and the edition has no health assessments, or if it is true and the
 * plan is not Plus.
 */
export const checkAssessments = (
  enforced: boolean | undefined,
  { healthAssessments }: Features,
  { plan }: Pick<Organization, 'plan'>,
): void => {
  if (enforced === undefined) return;
  const unavailable = (why: string) => invalid('assessments-enforced', `Assessments enforced is ${why}`);
  if (!healthAssessments) throw unavailable('not available on the self-hosted edition');
  if (enforced && plan !== 'plus') throw unavailable('available only for organizations on the Plus tier');
};
