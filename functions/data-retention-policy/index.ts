import { createHandler } from '../../shared/http/stack.ts';
import { now } from '../../shared/lib/clock.ts';
import { openServices } from '../../shared/runtime/services.ts';
import { retentionPolicy } from '../../shared/schemas/compiled/bodies.js';
import { openDefaultPolicies } from '../../shared/store/directory/default-policies.ts';
import { deleteDefault, replaceDefault, setDefault, showDefault } from './of-organization.ts';
import { deletePolicy, replacePolicy, setPolicy, showPolicy } from './of-workspace.ts';

const opened = openServices('data-retention-policy');
const services = { ...opened, policies: openDefaultPolicies(opened.database, now) };

export const handler = createHandler(
  'data-retention-policy',
  {
    'retention-policies.show': showPolicy(services),
    'retention-policies.set': setPolicy(services),
    'retention-policies.replace': replacePolicy(services),
    'retention-policies.delete': deletePolicy(services),
    'default-retention-policies.show': showDefault(services),
    'default-retention-policies.set': setDefault(services),
    'default-retention-policies.replace': replaceDefault(services),
    'default-retention-policies.delete': deleteDefault(services),
  },
  { ...services, validators: { retentionPolicy } },
);
