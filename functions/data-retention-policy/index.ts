import { createHandler } from '../../shared/http/stack.ts';
import { now } from '../../shared/lib/clock.ts';
import { openDependencies } from '../../shared/runtime/dependencies.ts';
import { openDefaultPolicies } from '../../shared/store/directory/organizations/default-policies.ts';
import { retentionPolicy } from '../../shared/validators/compiled/bodies.js';
import { deleteDefault, replaceDefault, setDefault, showDefault } from './of-organization.ts';
import { deletePolicy, replacePolicy, setPolicy, showPolicy } from './of-workspace.ts';

const opened = openDependencies('data-retention-policy');
const dependencies = { ...opened, policies: openDefaultPolicies(opened.database, now) };

/** Lambda handler of data retention policies. */
export const handler = createHandler(
  'data-retention-policy',
  {
    'retention-policies.show': showPolicy(dependencies),
    'retention-policies.set': setPolicy(dependencies),
    'retention-policies.replace': replacePolicy(dependencies),
    'retention-policies.delete': deletePolicy(dependencies),
    'default-retention-policies.show': showDefault(dependencies),
    'default-retention-policies.set': setDefault(dependencies),
    'default-retention-policies.replace': replaceDefault(dependencies),
    'default-retention-policies.delete': deleteDefault(dependencies),
  },
  { ...dependencies, validators: { retentionPolicy } },
);
