import { authorizeOrganization } from '../../shared/access/authorize/organization.ts';
import { concealNotFound } from '../../shared/access/conceal-not-found.ts';
import { requireOrganizationPermission } from '../../shared/access/organization-policy.ts';
import { effectiveRights } from '../../shared/access/rights.ts';
import { invalid } from '../../shared/domain/errors.ts';
import { replaceBindings } from '../../shared/domain/tags/tag.ts';
import { nameTaken } from '../../shared/domain/transitions/transition.ts';
import type { Operation } from '../../shared/http/operation.ts';
import { startEarly } from '../../shared/lib/start-early.ts';
import {
  checkDefaultAgentPool,
  defaultAgentPoolReference,
  readDefaultAgentPool,
} from '../../shared/resources/agent-pools/default-agent-pool.ts';
import { projectDocument } from '../../shared/resources/projects/response.ts';
import { BINDINGS_POINTER, projectBindingsOf, projectChangeOf } from './attributes.ts';
import type { ProjectDependencies } from './dependencies.ts';

/** `POST /organizations/:organization_name/projects` (PROJECT-3) */
export const createProject =
  ({ store, projects }: ProjectDependencies): Operation<'projects.create'> =>
  async ({ digest, parameters: { organization_name: name }, body: { data } }) => {
    const { attributes = {}, relationships } = data;
    const requestedPool = readDefaultAgentPool(
      attributes['default-agent-pool-id'],
      relationships?.['default-agent-pool'],
    );
    const references = startEarly(store.findReferences(defaultAgentPoolReference(requestedPool)));
    const { caller, organization } = await authorizeOrganization(store, digest, { organization: name }, (access) =>
      requireOrganizationPermission(access, 'project.create'),
    );
    if (attributes.name === undefined) throw invalid('name', "Name can't be blank");
    const bindings = projectBindingsOf(relationships?.['tag-bindings']?.data ?? [], BINDINGS_POINTER);
    const { record, created } = await concealNotFound(
      projects.createProject(name, attributes.name, {
        ...projectChangeOf(attributes),
        ...checkDefaultAgentPool(requestedPool, (await references).agentPool, name),
        bindings: (before, at) => replaceBindings(before, bindings, at),
      }),
    );
    if (!created) throw nameTaken();
    const rights = effectiveRights(caller, organization, record);
    return projectDocument({ project: record, organization, rights, workspaceCount: 0 });
  };
