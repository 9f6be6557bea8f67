import { endpoints } from '../../shared/http/endpoints.ts';
import { retentionPolicy } from '../../shared/schemas/compiled/bodies.js';
import { openServices } from '../../shared/services.ts';
import { deletePolicy, replacePolicy, setPolicy, showPolicy } from './of-workspace.ts';

const services = openServices('data-retention-policy');

export const handler = endpoints(
  'data-retention-policy',
  {
    'retention-policies.show': showPolicy(services),
    'retention-policies.set': setPolicy(services),
    'retention-policies.replace': replacePolicy(services),
    'retention-policies.delete': deletePolicy(services),
  },
  { ...services, validators: { retentionPolicy } },
);
