import { createHandler } from '../../shared/http/stack.ts';
import { account, membership, organization, reservedTagKey, token } from '../../shared/validators/compiled/bodies.js';
import { openOrganizationServices } from './dependencies.ts';
import { membershipOperations } from './memberships.ts';
import { organizationOperations } from './organizations.ts';
import { reservedTagKeyOperations } from './reserved-tag-keys.ts';
import { tokenOperations } from './tokens.ts';
import { userOperations } from './users.ts';

/** Lambda handler of organizations, memberships, users and tokens. */
export const handler = createHandler(
  'organizations',
  {
    ...organizationOperations,
    ...reservedTagKeyOperations,
    ...membershipOperations,
    ...userOperations,
    ...tokenOperations,
  },
  { ...openOrganizationServices(), validators: { account, membership, organization, reservedTagKey, token } },
);
