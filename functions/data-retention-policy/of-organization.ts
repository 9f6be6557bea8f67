import { authorizeOrganization, type OrganizationAccess } from '../../shared/access/authorize/organization.ts';
import { requireOrganizationPermission } from '../../shared/access/organization-policy.ts';
import {
  noRetentionPolicy,
  type RetentionPolicy,
  withRule,
} from '../../shared/domain/state-versions/retention-policy.ts';
import type { OperationRequest, Operations } from '../../shared/http/operation.ts';
import type { Document } from '../../shared/jsonapi/document.ts';
import { newId } from '../../shared/lib/random.ts';
import { retentionRule } from '../../shared/resources/data-retention-policies/request-mapping.ts';
import { retentionPolicyDocument } from '../../shared/resources/data-retention-policies/response.ts';
import type { Dependencies } from '../../shared/runtime/dependencies.ts';
import type { DefaultPolicies } from '../../shared/store/directory/organizations/default-policies.ts';

/** Default policy of workspaces without one of their own. Setting it requires permission to update the organization. */

interface DefaultDependencies extends Dependencies {
  readonly policies: DefaultPolicies;
}

type Routes = 'default-retention-policies.set' | 'default-retention-policies.replace';

const documentOf = (policy: RetentionPolicy, organization: string): Document =>
  retentionPolicyDocument(policy, { type: 'organizations', id: organization });

const requireManaging = (access: OrganizationAccess): void =>
  requireOrganizationPermission(access, 'organization.update');

/** Sets the policy. @returns its document, and whether the request created it. */
const set = async (
  { store, policies }: DefaultDependencies,
  { contextFor, digest, parameters: { organization_name: name }, body }: OperationRequest<Routes>,
): Promise<{ readonly document: Document; readonly isNew: boolean }> => {
  const rule = retentionRule(body.data);
  const access = await authorizeOrganization(store, digest, { organization: name }, requireManaging);
  const { caller, organization } = access;
  const request = contextFor(caller);
  const fresh = newId('retentionPolicy', request);
  const policy = await policies.changeDefaultPolicy(organization, (known) => withRule(known, rule, fresh), request);
  return { document: documentOf(policy as RetentionPolicy, organization.name), isNew: policy?.id === fresh };
};

export const defaultPolicyOperations = {
  /** `GET /organizations/:organization_name/relationships/data-retention-policy` */
  'default-retention-policies.show': async ({ digest, parameters: { organization_name: name } }, { store }) => {
    const target = { organization: name };
    const { organization } = await authorizeOrganization(store, digest, target, ({ organization: read }) => {
      if (read.retentionPolicy === undefined) throw noRetentionPolicy();
    });
    return documentOf(organization.retentionPolicy as RetentionPolicy, organization.name);
  },

  /** `POST …/relationships/data-retention-policy` */
  'default-retention-policies.set': async (request, dependencies) => {
    const { document, isNew } = await set(dependencies, request);
    return isNew ? document : { existing: document };
  },

  /** `PATCH …/relationships/data-retention-policy`: like POST, for older clients (RET-2). */
  'default-retention-policies.replace': async (request, dependencies) => (await set(dependencies, request)).document,

  /** `DELETE …/relationships/data-retention-policy` */
  'default-retention-policies.delete': async (
    { contextFor, digest, parameters: { organization_name: name } },
    { store, policies },
  ) => {
    const target = { organization: name };
    const { caller, organization } = await authorizeOrganization(store, digest, target, (access) => {
      requireManaging(access);
      if (access.organization.retentionPolicy === undefined) throw noRetentionPolicy();
    });
    await policies.changeDefaultPolicy(organization, () => undefined, contextFor(caller));
    return undefined;
  },
} satisfies Partial<Operations<'data-retention-policy', DefaultDependencies>>;
