import { authenticate } from '../../shared/access/authorize/caller.ts';
import { invalid, notFound } from '../../shared/domain/errors.ts';
import { nameTaken } from '../../shared/domain/transitions/transition.ts';
import type { Operation } from '../../shared/http/operation.ts';
import { defaultSettings } from '../../shared/resources/attribute-table.ts';
import { attributes } from '../../shared/resources/organizations/attributes.ts';
import { organizationRequest } from '../../shared/resources/organizations/request-mapping.ts';
import { organizationDocument } from '../../shared/resources/organizations/response.ts';
import { checkAssessments } from './check-assessments.ts';
import type { OrganizationDependencies } from './dependencies.ts';

/**
 * `POST /organizations`: for site administrators, who do not belong to the organization (ORG-2). Its first owner is the
 * user of the name `owner`, or of the e-mail address; a user that does not exist is created.
 */
export const createOrganization =
  ({ store, directory, features }: OrganizationDependencies): Operation<'organizations.create'> =>
  async ({ digest, body: { data } }) => {
    const principal = await authenticate(store, digest);
    if (principal.kind !== 'site') throw notFound('This request requires the token of a site administrator.');
    const { name, email, owner: username, ...settings } = organizationRequest(data.attributes ?? {});
    if (name === undefined) throw invalid('name', "Name can't be blank");
    if (email === undefined) throw invalid('email', "Email can't be blank");
    checkAssessments(settings.assessmentsEnforced, features, { plan: 'free' });
    const { organization, owner } = await directory.createOrganization({
      ...defaultSettings(attributes),
      defaultExecutionMode: 'remote',
      assessmentsEnforced: false,
      plan: 'free',
      ...settings,
      name,
      email,
      ...(username !== undefined && { owner: username }),
      defaultAgentPool: null,
    });
    if (owner === undefined) throw nameTaken();
    return organizationDocument({ organization, caller: { principal, teams: [] }, features });
  };
