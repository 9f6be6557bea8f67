import { authorizeOrganization } from '../../shared/access/authorize/organization.ts';
import { concealNotFound } from '../../shared/access/conceal-not-found.ts';
import { requireOrganizationPermission, requireReferencesPermission } from '../../shared/access/organization-policy.ts';
import { effectiveRights } from '../../shared/access/rights.ts';
import { invalid } from '../../shared/domain/errors.ts';
import { replaceBindings } from '../../shared/domain/tags/tag.ts';
import { nameTaken } from '../../shared/domain/transitions/transition.ts';
import type { Operation } from '../../shared/http/operation.ts';
import {
  pointAtDefaultAgentPool,
  readDefaultAgentPool,
} from '../../shared/resources/agent-pools/default-agent-pool.ts';
import { defaultSettings } from '../../shared/resources/attribute-table.ts';
import { attributes } from '../../shared/resources/projects/attributes.ts';
import { projectRequest } from '../../shared/resources/projects/request-mapping.ts';
import { projectDocument } from '../../shared/resources/projects/response.ts';
import { BINDINGS_POINTER, projectBindingsOf, projectChangeOf } from './change.ts';
import type { ProjectDependencies } from './dependencies.ts';

/** `POST /organizations/:organization_name/projects` (PROJECT-3) */
export const createProject =
  ({ store, directory }: ProjectDependencies): Operation<'projects.create'> =>
  async ({ contextFor, digest, parameters: { organization_name: name }, body: { data } }) => {
    const { relationships } = data;
    const { name: projectName, defaultAgentPool, ...given } = projectRequest(data.attributes ?? {});
    const requestedPool = readDefaultAgentPool(defaultAgentPool, relationships?.['default-agent-pool']);
    const { caller, organization } = await authorizeOrganization(store, digest, { organization: name }, (access) => {
      requireOrganizationPermission(access, 'project.create');
      requireReferencesPermission(access, {}, given);
    });
    if (projectName === undefined) throw invalid('name', "Name can't be blank");
    const bindings = projectBindingsOf(relationships?.['tag-bindings']?.data ?? [], BINDINGS_POINTER);
    const { record, created } = await pointAtDefaultAgentPool(requestedPool, () =>
      concealNotFound(
        directory.projects.create(contextFor(caller), name, projectName, {
          ...defaultSettings(attributes),
          ...projectChangeOf(given, requestedPool),
          bindings: (before, at) => replaceBindings(before, bindings, at),
        }),
      ),
    );
    if (!created) throw nameTaken();
    const rights = effectiveRights(caller, organization, record);
    return projectDocument({ project: record, organization, rights, workspaceCount: 0 });
  };
