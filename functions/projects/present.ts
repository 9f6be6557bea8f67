import { effectiveRights } from '../../shared/access/rights.ts';
import type { Caller, Organization, Project } from '../../shared/domain/directory/records.ts';
import type { Document, Resource } from '../../shared/jsonapi/document.ts';
import type { ListIndex } from '../../shared/list-index/list-index.ts';
import { organizationResource } from '../../shared/resources/organizations/response.ts';
import { projectResource } from '../../shared/resources/projects/response.ts';
import { effectiveProjectBindings } from '../../shared/resources/tags/response.ts';
import type { ProjectInclude } from '../../shared/routes/projects.ts';
import type { ProjectDependencies } from './dependencies.ts';

/** A caller in an organization. */
interface CallerInOrganization {
  readonly caller: Caller;
  readonly organization: Organization;
}

const BINDINGS = 'effective-tag-bindings';

/** Adds the identifiers of included bindings to the relationship of a project. */
const withBindings = (project: Resource, bindings: readonly Resource[]): Resource => ({
  ...project,
  relationships: {
    ...project.relationships,
    [BINDINGS]: { ...project.relationships?.[BINDINGS], data: bindings.map(({ type, id }) => ({ type, id })) },
  },
});

/** Builds the resources of projects, with the numbers of their workspaces, and includes resources on request (PROJECT-10). */
export const presentProjects = (
  { features }: Pick<ProjectDependencies, 'features'>,
  { caller, organization }: CallerInOrganization,
  listIndex: ListIndex,
  projects: readonly Project[],
  include: ReadonlySet<ProjectInclude>,
): { readonly data: readonly Resource[]; readonly included?: readonly Resource[] } => {
  const includesBindings = include.has('effective_tag_bindings');
  const shown = projects.map((project) => {
    const rights = effectiveRights(caller, organization, project);
    const workspaceCount = listIndex.workspacesIn(project.id);
    const resource = projectResource({ project, organization, rights, workspaceCount });
    const bindings = includesBindings ? effectiveProjectBindings(organization, project) : [];
    return { resource: includesBindings ? withBindings(resource, bindings) : resource, bindings };
  });
  const data = shown.map(({ resource }) => resource);
  if (include.size === 0) return { data };
  const included = [
    ...shown.flatMap(({ bindings }) => bindings),
    ...(include.has('organization') && data.length > 0
      ? [organizationResource({ caller, organization, features })]
      : []),
  ];
  return { data, included };
};

/** Builds the document of a project, see `presentProjects`. */
export const presentProject = async (
  dependencies: ProjectDependencies,
  access: CallerInOrganization,
  project: Project,
  include: ReadonlySet<ProjectInclude> = new Set(),
): Promise<Document> => {
  const listIndex = await dependencies.store.listIndexes.open(access.organization);
  const { data, ...rest } = presentProjects(dependencies, access, listIndex, [project], include);
  return { data: data[0] as Resource, ...rest };
};
