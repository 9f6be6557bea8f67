import { concealNotFound } from '../../shared/access/conceal-not-found.ts';
import { replaceBindings } from '../../shared/domain/tags/tag.ts';
import type { Operation } from '../../shared/http/operation.ts';
import { requireSameId } from '../../shared/jsonapi/require-same-id.ts';
import {
  pointAtDefaultAgentPool,
  readDefaultAgentPool,
} from '../../shared/resources/agent-pools/default-agent-pool.ts';
import { projectRequest } from '../../shared/resources/projects/request-mapping.ts';
import { BINDINGS_POINTER, projectBindingsOf, projectChangeOf } from './change.ts';
import type { ProjectDependencies } from './dependencies.ts';
import { findProjectAndRefresh } from './find.ts';
import { presentProject } from './present.ts';

/** `PATCH /projects/:project_id`: an omitted attribute keeps its value; given bindings replace all (PROJECT-6). */
export const updateProject =
  (dependencies: ProjectDependencies): Operation<'projects.update'> =>
  async ({ digest, parameters: { project_id: id }, body: { data } }) => {
    const { projects } = dependencies;
    const { relationships } = data;
    const { name, defaultAgentPool, ...change } = projectRequest(data.attributes ?? {});
    const given = relationships?.['tag-bindings']?.data ?? undefined;
    const bindings = given && projectBindingsOf(given, BINDINGS_POINTER);
    const requestedPool = readDefaultAgentPool(defaultAgentPool, relationships?.['default-agent-pool']);
    const access = await findProjectAndRefresh(dependencies, digest, id, 'project.update');
    requireSameId(data.id, id);
    const { organization } = access.record;
    const project = await pointAtDefaultAgentPool(requestedPool, () =>
      concealNotFound(
        projects.updateProject(organization, id, {
          ...projectChangeOf(change, requestedPool, access.record),
          ...(name !== undefined && { newName: name }),
          ...(bindings && { bindings: (before, at) => replaceBindings(before, bindings, at) }),
        }),
      ),
    );
    return presentProject(dependencies, access, project);
  };
