import { firstIncluded } from '../../../../../shared/client/documents.ts';
import type { Project } from '../../../../../shared/client/types.ts';
import type { WorkspaceDocument } from '../../api/workspaces.ts';

/** Defaults that the console names. The default agent pool goes with the default execution mode. */
export type InheritedSetting = Exclude<keyof Project['attributes']['setting-overwrites'], 'default-agent-pool'>;

/** Names the source of an inherited value: the project if it has its own, else the organization. */
export const inheritedFrom = (document: WorkspaceDocument, setting: InheritedSetting): string => {
  const project = firstIncluded(document, 'projects');
  const isOfProject = project?.attributes['setting-overwrites'][setting] === true;
  return isOfProject ? `the project ${project.attributes.name}` : 'the organization';
};

/** Labels the choice to inherit a setting with the source and, if the caller can see it, the value. */
export const inheritLabel = (document: WorkspaceDocument, setting: InheritedSetting): string => {
  const source = firstIncluded(document, 'projects') ?? firstIncluded(document, 'organizations');
  const value = source?.attributes[setting];
  const shown = typeof value === 'boolean' ? (value ? 'on' : 'off') : value;
  return `Inherited from ${inheritedFrom(document, setting)}${shown === undefined ? '' : ` (${shown})`}`;
};
