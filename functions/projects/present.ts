import { effectiveRights } from '../../shared/access/rights.ts';
import type { Caller, Organization, Project } from '../../shared/domain/directory/records.ts';
import type { Document } from '../../shared/jsonapi/document.ts';
import { projectDocument } from '../../shared/resources/projects/response.ts';
import type { ProjectDependencies } from './dependencies.ts';

/** Builds the document of a project, with the number of its workspaces from the list index. */
export const presentProject = async (
  { store }: ProjectDependencies,
  { caller, organization }: { readonly caller: Caller; readonly organization: Organization },
  project: Project,
): Promise<Document> => {
  const listIndex = await store.listIndexes.open(organization);
  const rights = effectiveRights(caller, organization, project);
  return projectDocument({ project, organization, rights, workspaceCount: listIndex.workspacesIn(project.id) });
};
