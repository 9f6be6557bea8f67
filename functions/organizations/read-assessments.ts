import type { Organization } from '../../shared/domain/directory/records.ts';
import type { Features } from '../../shared/domain/editions.ts';
import { invalid } from '../../shared/domain/errors.ts';

/**
 * Reads whether a request enforces health assessments. Null changes nothing; neither does false on an edition without
 * health assessments, because the Terraform provider always sends it (ORG-5).
 * @throws DomainError 422 if the value is true and the edition or the plan has no health assessments.
 */
export const readAssessments = (
  enforced: boolean | null | undefined,
  { healthAssessments }: Features,
  { plan }: Pick<Organization, 'plan'>,
): { readonly assessmentsEnforced?: boolean } => {
  const unavailable = (why: string) => invalid('assessments-enforced', `Assessments enforced is ${why}`);
  if (enforced && !healthAssessments) throw unavailable('not available on the self-hosted edition');
  if (enforced && plan !== 'plus') throw unavailable('available only for organizations on the Plus tier');
  return healthAssessments && enforced !== null && enforced !== undefined ? { assessmentsEnforced: enforced } : {};
};
