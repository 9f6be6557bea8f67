import { authorizeOrganization } from '../../shared/access/authorize/organization.ts';
import { concealNotFound } from '../../shared/access/conceal-not-found.ts';
import { requireOrganizationPermission } from '../../shared/access/organization-policy.ts';
import { invalid } from '../../shared/domain/errors.ts';
import { nameTaken } from '../../shared/domain/transitions/transition.ts';
import type { Operation } from '../../shared/http/operation.ts';
import { defaultSettings } from '../../shared/resources/attribute-table.ts';
import { attributes } from '../../shared/resources/teams/attributes.ts';
import { teamRequest } from '../../shared/resources/teams/request-mapping.ts';
import type { TeamDependencies } from './dependencies.ts';
import { permissionsAfter } from './permissions.ts';
import { presentTeam } from './present.ts';

/** `POST /organizations/:organization_name/teams` (TEAM-3) */
export const createTeam =
  (dependencies: TeamDependencies): Operation<'teams.create'> =>
  async ({ contextFor, digest, parameters: { organization_name: organization }, body: { data } }) => {
    const { name, organizationAccess: requested, ...settings } = teamRequest(data.attributes ?? {});
    const access = await authorizeOrganization(dependencies.store, digest, { organization }, (context) => {
      requireOrganizationPermission(context, 'team.manage');
      if (requested && Object.values(requested).includes(true)) {
        requireOrganizationPermission(context, 'organization-access.manage');
      }
    });
    if (name === undefined) throw invalid('name', "Name can't be blank");
    const permissions = permissionsAfter([], requested) ?? [];
    const { record, created } = await concealNotFound(
      dependencies.directory.teams.create(contextFor(access.caller), {
        ...defaultSettings(attributes),
        ...settings,
        ...{ organization, name, permissions },
      }),
    );
    if (!created) throw nameTaken();
    return presentTeam(dependencies, access, record);
  };
