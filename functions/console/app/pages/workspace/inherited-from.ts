import { firstIncluded } from '../../api/documents.ts';
import type { WorkspaceDocument } from '../../api/workspaces.ts';

/** Names the source of an inherited value: the project if it has its own, else the organization. */
export const inheritedFrom = (
  document: WorkspaceDocument,
  setting: 'default-execution-mode' | 'default-deletion-protection',
): string => {
  const project = firstIncluded(document, 'projects');
  const isOfProject = project?.attributes['setting-overwrites'][setting] === true;
  return isOfProject ? `the project ${project.attributes.name}` : 'the organization';
};
