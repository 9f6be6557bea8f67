import { authenticate } from '../../shared/access/authorize/caller.ts';
import { authorizeOrganization } from '../../shared/access/authorize/organization.ts';
import { organizationsOf } from '../../shared/access/caller-organizations.ts';
import { requireOrganizationPermission } from '../../shared/access/organization-policy.ts';
import type { Organization } from '../../shared/domain/directory/records.ts';
import type { Features } from '../../shared/domain/editions.ts';
import { invalid, notFound } from '../../shared/domain/errors.ts';
import { nameTaken } from '../../shared/domain/transitions/transition.ts';
import type { Operation } from '../../shared/http/endpoints.ts';
import { paginate, readPageOf, slice } from '../../shared/jsonapi/pagination.ts';
import type { OrganizationAttributes } from '../../shared/resources/organizations/request.ts';
import {
  entitlementSetDocument,
  organizationDocument,
  organizationResource,
} from '../../shared/resources/organizations/response.ts';
import type { OrganizationSettings } from '../../shared/store/directory/organizations.ts';
import { orAbsent, sameResource } from './answers.ts';
import { readDefaultPool } from './pools.ts';
import type { DirectoryServices, Group } from './services.ts';

const byName = (a: { organization: Organization }, b: { organization: Organization }): number =>
  a.organization.name < b.organization.name ? -1 : 1;

/** `GET /organizations`: those that the caller belongs to; `q` is looked for in name and e-mail address. */
const list =
  (services: DirectoryServices): Operation<'organizations.list'> =>
  async ({ digest, query, url }) => {
    const principal = await authenticate(services.store, digest);
    const text = (query.get('q') ?? '').toLowerCase();
    const rows = (await organizationsOf(services.store, principal))
      .filter(({ organization: { name, email } }) => [name, email].some((it) => it.toLowerCase().includes(text)))
      .sort(byName);
    const page = readPageOf(rows, query);
    return {
      data: slice(rows, page).map((row) => organizationResource({ ...row, features: services.features })),
      ...paginate(page, rows.length, url, query),
    };
  };

/** @throws DomainError 422 for what this edition, or the organization's plan, does not have. */
const checkAssessments = (
  enforced: boolean | undefined,
  { healthAssessments }: Features,
  { plan }: Pick<Organization, 'plan'>,
): void => {
  if (enforced === undefined) return;
  const refuse = (why: string) => invalid('assessments-enforced', `Assessments enforced is ${why}`);
  if (!healthAssessments) throw refuse('not available on the self-hosted edition');
  if (enforced && plan !== 'plus') throw refuse('available only for organizations on the Plus tier');
};

/** What the attributes ask for; what they leave out is absent. */
const settingsOf = (attributes: OrganizationAttributes): Partial<OrganizationSettings> => ({
  ...(attributes.email !== undefined && { email: attributes.email }),
  ...(attributes['default-execution-mode'] && { defaultExecutionMode: attributes['default-execution-mode'] }),
  ...(attributes['allow-force-delete-workspaces'] !== undefined && {
    allowForceDeleteWorkspaces: attributes['allow-force-delete-workspaces'],
  }),
  ...(attributes['assessments-enforced'] !== undefined && { assessmentsEnforced: attributes['assessments-enforced'] }),
});

/**
 * `POST /organizations`: for site administrators, who are strangers in it from then on. Its first owner is the user
 * whom `owner` names, or who has the e-mail address; one that is not there yet is made.
 */
const create =
  ({ store, administration, features }: DirectoryServices): Operation<'organizations.create'> =>
  async ({ digest, body: { data } }) => {
    const principal = await authenticate(store, digest);
    if (principal.kind !== 'site') throw notFound('This needs the token of a site administrator.');
    const { attributes = {} } = data;
    const { name, email, owner: username } = attributes;
    if (name === undefined) throw invalid('name', "Name can't be blank");
    if (email === undefined) throw invalid('email', "Email can't be blank");
    checkAssessments(attributes['assessments-enforced'], features, { plan: 'free' });
    const { organization, owner } = await administration.createOrganization({
      defaultExecutionMode: 'remote',
      allowForceDeleteWorkspaces: false,
      assessmentsEnforced: false,
      plan: 'free',
      ...settingsOf(attributes),
      name,
      email,
      ...(username !== undefined && { owner: username }),
      defaultAgentPool: null,
    });
    if (owner === undefined) throw nameTaken();
    return organizationDocument({ organization, caller: { principal, teams: [] }, features });
  };

/** `GET /organizations/:organization_name` */
const show =
  ({ store, features }: DirectoryServices): Operation<'organizations.show'> =>
  async ({ digest, parameters }) => {
    const access = await authorizeOrganization(store, digest, { organization: parameters.organization_name });
    return organizationDocument({ ...access, features });
  };

/** `GET /organizations/:organization_name/entitlement-set`: what clients ask for before anything else. */
const entitlements =
  ({ store, features }: DirectoryServices): Operation<'organizations.entitlements'> =>
  async ({ digest, parameters }) => {
    const organization = parameters.organization_name;
    const access = await authorizeOrganization(store, digest, { organization, admitsRuns: true });
    return entitlementSetDocument({ ...access, features });
  };

/** `PATCH /organizations/:organization_name`: settings; the name is part of many keys, and never changes. */
const update =
  ({ store, administration, features }: DirectoryServices): Operation<'organizations.update'> =>
  async ({ digest, parameters: { organization_name: name }, body: { data } }) => {
    const { attributes = {} } = data;
    const pool = readDefaultPool(
      store,
      attributes['default-agent-pool-id'],
      data.relationships?.['default-agent-pool'],
    );
    const { caller, organization: before } = await authorizeOrganization(
      store,
      digest,
      { organization: name },
      (access) => requireOrganizationPermission(access, 'organization.update'),
    );
    sameResource(data.id, name);
    if (attributes.name !== undefined && attributes.name !== name) throw invalid('name', 'Name cannot be changed');
    checkAssessments(attributes['assessments-enforced'], features, before);
    const organization = await orAbsent(
      administration.updateOrganization(name, {
        ...settingsOf(attributes),
        ...(await pool(name)),
      }),
    );
    return organizationDocument({ organization, caller, features });
  };

/** `DELETE /organizations/:organization_name`: gone at once for everybody; its name is free again when all of it is. */
const remove =
  ({ store, administration, removalFor }: DirectoryServices): Operation<'organizations.delete'> =>
  async ({ id, digest, parameters: { organization_name: name } }) => {
    const { caller } = await authorizeOrganization(store, digest, { organization: name }, (access) =>
      requireOrganizationPermission(access, 'organization.delete'),
    );
    const item = await administration.findOrganizationItem(name);
    if (item === undefined) throw notFound();
    await removalFor({ id, principal: caller.principal }).begin(item);
    return undefined;
  };

export const organizations = (services: DirectoryServices): Group<'organizations'> => ({
  'organizations.list': list(services),
  'organizations.create': create(services),
  'organizations.show': show(services),
  'organizations.update': update(services),
  'organizations.delete': remove(services),
  'organizations.entitlements': entitlements(services),
});
