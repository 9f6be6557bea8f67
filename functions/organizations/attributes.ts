import type { Organization } from '../../shared/domain/directory/records.ts';
import type { Features } from '../../shared/domain/editions.ts';
import { invalid } from '../../shared/domain/errors.ts';
import type { OrganizationAttributes } from '../../shared/resources/organizations/attributes.ts';
import type { OrganizationSettings } from '../../shared/store/directory/organizations/organizations.ts';

/** Maps the attributes of a request to settings of an organization; an omitted attribute is absent. */
export const settingsOf = (attributes: OrganizationAttributes): Partial<OrganizationSettings> => ({
  ...(attributes.email !== undefined && { email: attributes.email }),
  ...(attributes['default-execution-mode'] && { defaultExecutionMode: attributes['default-execution-mode'] }),
  ...(attributes['allow-force-delete-workspaces'] !== undefined && {
    allowForceDeleteWorkspaces: attributes['allow-force-delete-workspaces'],
  }),
  ...(attributes['assessments-enforced'] !== undefined && { assessmentsEnforced: attributes['assessments-enforced'] }),
});

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
