import type { ExecutionMode, Organization } from '../../directory/records.ts';
import { invalid } from '../../errors.ts';
import { atLeast } from '../../infra-versions/versions.ts';
import type { Execution } from '../workspace-record.ts';
import type { ConfigurationContext } from './configuration.ts';

/** First version of the infrastructure tool with health assessments (WS-48). */
const ASSESSMENTS_SINCE = '0.15.4';

/**
 * Tells whether assessments are available, whether or not they are enabled: they need the Plus tier, version 0.15.4 and
 * remote mode (WS-48).
 */
export const assessmentsAvailable = (
  plan: Organization['plan'],
  version: string | undefined,
  mode: ExecutionMode,
): boolean => plan === 'plus' && mode === 'remote' && version !== undefined && atLeast(version, ASSESSMENTS_SINCE);

/**
 * Checks a request that enables assessments (WS-47, WS-48).
 * @throws DomainError `invalid-attribute`, if assessments are not available.
 */
export const checkAssessments = (
  { features, organization }: ConfigurationContext,
  version: string | undefined,
  { mode }: Execution,
): void => {
  if (!features.healthAssessments) {
    throw invalid('assessments-enabled', 'Assessments enabled is not available on this edition');
  }
  if (assessmentsAvailable(organization.plan, version, mode)) return;
  throw invalid(
    'assessments-enabled',
    `Assessments enabled needs the Plus tier, version ${ASSESSMENTS_SINCE} or later, and remote execution mode`,
  );
};
