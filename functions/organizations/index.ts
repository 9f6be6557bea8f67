import { createHandler } from '../../shared/http/stack.ts';
import { openDependencies } from '../../shared/runtime/dependencies.ts';
import { readEnvironment } from '../../shared/runtime/environment.ts';
import { withDirectory } from '../../shared/runtime/with-directory.ts';
import { openSessions } from '../../shared/store/directory/sign-in/sessions.ts';
import {
  account,
  membership,
  organization,
  reservedTagKey,
  token,
  tokenTtlPolicies,
  workloadIdentity,
} from '../../shared/validators/compiled/bodies.js';
import { membershipOperations } from './memberships.ts';
import { organizationOperations } from './organizations.ts';
import { reservedTagKeyOperations } from './reserved-tag-keys.ts';
import { sessionOperations } from './sessions.ts';
import { tokenTtlPolicyOperations } from './token-ttl-policies.ts';
import { tokenOperations } from './tokens.ts';
import { userOperations } from './users.ts';
import { workloadIdentityOperations } from './workload-identities.ts';

const dependencies = withDirectory(openDependencies('organizations'));
const { SIGN_IN_FRESHNESS_DAYS, USERS_MAY_CREATE_ORGANIZATIONS } = readEnvironment('organizations');

/** Lambda handler of organizations, memberships, users, sessions, tokens and workload identities. */
export const handler = createHandler(
  'organizations',
  {
    ...organizationOperations,
    ...reservedTagKeyOperations,
    ...membershipOperations,
    ...userOperations,
    ...sessionOperations,
    ...tokenOperations,
    ...tokenTtlPolicyOperations,
    ...workloadIdentityOperations,
  },
  {
    ...dependencies,
    sessions: openSessions(dependencies.directory),
    usersMayCreateOrganizations: USERS_MAY_CREATE_ORGANIZATIONS,
    freshnessDays: SIGN_IN_FRESHNESS_DAYS,
    validators: { account, membership, organization, reservedTagKey, token, tokenTtlPolicies, workloadIdentity },
  },
);
