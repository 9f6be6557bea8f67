import { authenticate } from '../../shared/access/authorize/caller.ts';
import { authorizeOrganization } from '../../shared/access/authorize/organization.ts';
import { organizationsOf } from '../../shared/access/caller-organizations.ts';
import { concealNotFound } from '../../shared/access/conceal-not-found.ts';
import {
  requireOrganizationPermission,
  requireOwnersGroupPermission,
  requireReferencesPermission,
  requireSignInPolicyPermission,
} from '../../shared/access/organization-policy.ts';
import { canRead, effectiveRights } from '../../shared/access/rights.ts';
import type { Organization, User } from '../../shared/domain/directory/records.ts';
import type { Features } from '../../shared/domain/editions.ts';
import { invalid, notFound } from '../../shared/domain/errors.ts';
import { nameTaken } from '../../shared/domain/transitions/transition.ts';
import type { OperationRequest, Operations } from '../../shared/http/operation.ts';
import type { Document } from '../../shared/jsonapi/document.ts';
import { listDocument } from '../../shared/jsonapi/pagination.ts';
import { requireSameId } from '../../shared/jsonapi/require-same-id.ts';
import {
  defaultAgentPoolChange,
  pointAtDefaultAgentPool,
  readDefaultAgentPool,
} from '../../shared/resources/agent-pools/default-agent-pool.ts';
import { organizationRequest } from '../../shared/resources/organizations/attributes.ts';
import {
  entitlementSetDocument,
  organizationDocument,
  organizationResource,
} from '../../shared/resources/organizations/response.ts';
import { projectResource } from '../../shared/resources/projects/response.ts';
import type { OrganizationDependencies } from './dependencies.ts';

/** Checks whether a user may create organizations: by the deployment setting, or as a site administrator (ORG-2). */
export const mayCreateOrganizations = (
  { siteAdmin = false }: Pick<User, 'siteAdmin'>,
  { usersMayCreateOrganizations }: Pick<OrganizationDependencies, 'usersMayCreateOrganizations'>,
): boolean => usersMayCreateOrganizations || siteAdmin;

/**
 * Reads whether a request enforces health assessments. Null changes nothing; neither does false on an edition without
 * health assessments, because the Terraform provider always sends it (ORG-5).
 * @throws DomainError 422 if the value is true and the edition or the plan has no health assessments.
 */
const readAssessments = (
  enforced: boolean | null | undefined,
  { healthAssessments }: Features,
  { plan }: Pick<Organization, 'plan'>,
): { readonly assessmentsEnforced?: boolean } => {
  const unavailable = (why: string) => invalid('assessments-enforced', `Assessments enforced is ${why}`);
  if (enforced && !healthAssessments) throw unavailable('not available on the self-hosted edition');
  if (enforced && plan !== 'plus') throw unavailable('available only for organizations on the Plus tier');
  return healthAssessments && enforced !== null && enforced !== undefined ? { assessmentsEnforced: enforced } : {};
};

const byName = (a: { organization: Organization }, b: { organization: Organization }): number =>
  a.organization.name < b.organization.name ? -1 : 1;

/** `GET /organizations/:organization_name`; the default project is included for callers who may read it (HTTP-29). */
const showOrganization = async (
  { digest, parameters, include }: OperationRequest<'organizations.show'>,
  { store, features }: OrganizationDependencies,
): Promise<Document> => {
  const target = { organization: parameters.organization_name, ...(include.size > 0 && { project: null }) };
  const { caller, organization, project } = await authorizeOrganization(store, digest, target);
  const document = organizationDocument({ organization, caller, features });
  if (project === undefined) return document;
  const rights = effectiveRights(caller, organization, project);
  return { ...document, included: canRead(rights) ? [projectResource({ project, organization, rights })] : [] };
};

export const organizationOperations = {
  /** `GET /organizations`: the organizations of the caller; `q` is a part of the name or e-mail address (ORG-4). */
  'organizations.list': async ({ digest, query, url }, dependencies) => {
    const principal = await authenticate(dependencies.store, digest);
    const [text, namePart, emailPart] = ['q', 'q[name]', 'q[email]'].map((parameter) =>
      (query.get(parameter) ?? '').toLowerCase(),
    ) as [string, string, string];
    const rows = (await organizationsOf(dependencies.store, principal))
      .filter(({ organization }) => {
        const [name, email] = [organization.name.toLowerCase(), organization.email.toLowerCase()];
        return (name.includes(text) || email.includes(text)) && name.includes(namePart) && email.includes(emailPart);
      })
      .sort(byName);
    return listDocument(rows, { query, url }, (row) =>
      organizationResource({ ...row, features: dependencies.features }),
    );
  },

  'organizations.show': showOrganization,

  /** Shows an organization in the response to a repeated creation, also to the site administrator who created it (HTTP-39). */
  'organizations.show-created': async (request: OperationRequest<'organizations.show'>, dependencies) => {
    const { store, features } = dependencies;
    const principal = await authenticate(store, request.digest);
    if (principal.kind !== 'site') return showOrganization(request, dependencies);
    const organization = await store.organizations.find(request.parameters.organization_name, true);
    if (organization === undefined) throw notFound();
    return organizationDocument({ organization, caller: { principal, teams: [] }, features });
  },

  /** `GET /organizations/:organization_name/entitlement-set`: clients send it first (ORG-7). */
  'organizations.entitlements': async ({ digest, parameters }, { store, features }) => {
    const organization = parameters.organization_name;
    const access = await authorizeOrganization(store, digest, { organization, admits: 'run' });
    return entitlementSetDocument({ ...access, features });
  },

  /**
   * `POST /organizations`: a user who creates an organization becomes its owner. An organization that is created with a
   * site token has the owner that the request names, or none (ORG-2).
   */
  'organizations.create': async ({ contextFor, digest, body: { data } }, dependencies) => {
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
    if (settings.signInPolicy === 'sso') {
      throw invalid('sign-in-policy', 'Sign-in policy sso needs an owner who has signed in to the organization');
    }
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
  },

  /** `PATCH /organizations/:organization_name`: settings (ORG-5). The name is part of many keys and cannot be changed. */
  'organizations.update': async (
    { contextFor, digest, parameters: { organization_name: name }, body: { data } },
    { store, directory, features },
  ) => {
    const {
      name: newName,
      owner: _,
      defaultAgentPool,
      assessmentsEnforced,
      ...settings
    } = organizationRequest(data.attributes ?? {});
    const requestedPool = readDefaultAgentPool(defaultAgentPool, data.relationships?.['default-agent-pool']);
    const access = await authorizeOrganization(store, digest, { organization: name }, (context) => {
      requireOrganizationPermission(context, 'organization.update');
      requireSignInPolicyPermission(context, settings);
    });
    requireSameId(data.id, name);
    if (newName !== undefined && newName !== name) throw invalid('name', 'Name cannot be changed');
    requireOwnersGroupPermission(access, settings);
    const permitted = requireReferencesPermission(access, access.organization, settings);
    const change = { ...permitted, ...readAssessments(assessmentsEnforced, features, access.organization) };
    const request = contextFor(access.caller);
    const organization = await pointAtDefaultAgentPool(requestedPool, () =>
      concealNotFound(
        directory.organizations.update(request, name, { ...change, ...defaultAgentPoolChange(requestedPool) }),
      ),
    );
    return organizationDocument({ organization, caller: access.caller, features });
  },

  /** `DELETE /organizations/:organization_name`: deleted for every caller at once; the name becomes free later (ORG-8). */
  'organizations.delete': async (
    { contextFor, digest, parameters: { organization_name: name } },
    { store, removal },
  ) => {
    const { caller } = await authorizeOrganization(store, digest, { organization: name }, (access) =>
      requireOrganizationPermission(access, 'organization.delete'),
    );
    if (!(await removal.beginOrganization(contextFor(caller), name))) throw notFound();
    return undefined;
  },
} satisfies Partial<Operations<'organizations', OrganizationDependencies>>;
