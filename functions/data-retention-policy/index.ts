import { createHandler } from '../../shared/http/stack.ts';
import { now } from '../../shared/lib/clock.ts';
import { openDependencies } from '../../shared/runtime/dependencies.ts';
import { openDefaultPolicies } from '../../shared/store/directory/organizations/default-policies.ts';
import { retentionPolicy } from '../../shared/validators/compiled/bodies.js';
import { defaultPolicyOperations } from './of-organization.ts';
import { policyOperations } from './of-workspace.ts';

const dependencies = openDependencies('data-retention-policy');

/** Lambda handler of data retention policies. */
export const handler = createHandler(
  'data-retention-policy',
  { ...policyOperations, ...defaultPolicyOperations },
  {
    ...dependencies,
    policies: openDefaultPolicies(dependencies.database, now),
    validators: { retentionPolicy },
  },
);
