import { authenticate } from '../../shared/access/authorize/caller.ts';
import { invalid, notFound } from '../../shared/domain/errors.ts';
import { nameTaken } from '../../shared/domain/transitions/transition.ts';
import type { Operation } from '../../shared/http/operation.ts';
import { organizationRequest } from '../../shared/resources/organizations/request-mapping.ts';
import { organizationDocument } from '../../shared/resources/organizations/response.ts';
import type { OrganizationDependencies } from './dependencies.ts';
import { readAssessments } from './read-assessments.ts';
import { mayCreateOrganizations } from './users/may-create-organizations.ts';

/**
 * `POST /organizations`: a user who creates an organization becomes its owner. An organization that is created with a
 * site token has the owner that the request names, or none (ORG-2).
 */
export const createOrganization =
  (dependencies: OrganizationDependencies): Operation<'organizations.create'> =>
  async ({ contextFor, digest, body: { data } }) => {
    const { store, directory, features } = dependencies;
    const principal = await authenticate(store, digest);
    const isUser = principal.kind === 'user';
    const user = isUser ? await store.users.find(principal.id, true) : undefined;
    if (principal.kind !== 'site' && !(user && mayCreateOrganizations(user, dependencies))) {
      throw notFound('This needs the token of a site administrator.');
    }
    const { name, email, owner, assessmentsEnforced, ...settings } = organizationRequest(data.attributes ?? {});
    if (name === undefined) throw invalid('name', "Name can't be blank");
    if (email === undefined) throw invalid('email', "Email can't be blank");
    if (isUser && owner !== undefined) throw invalid('owner', 'Owner can be set only with a site token');
    const { organization, created } = await directory.organizations.create(contextFor({ principal }), {
      defaultExecutionMode: 'remote',
      assessmentsEnforced: false,
      plan: 'free',
      ...settings,
      ...readAssessments(assessmentsEnforced, features, { plan: 'free' }),
      name,
      email,
      owner: isUser ? { id: principal.id } : owner === undefined ? null : { username: owner },
      defaultAgentPool: null,
    });
    if (!created) throw nameTaken();
    const caller = isUser ? { principal, teams: [organization.ownersTeam], member: true } : { principal, teams: [] };
    return organizationDocument({ organization, caller, features });
  };
