import { firstIncluded } from '../../../../../shared/client/documents.ts';
import type { Project } from '../../../../../shared/client/types.ts';
import type { WorkspaceDocument } from '../../api/workspaces.ts';

/** Defaults that the console names. The default agent pool goes with the default execution mode. */
export type InheritedSetting = Exclude<keyof Project['attributes']['setting-overwrites'], 'default-agent-pool'>;

/** Source of an inherited value. */
export type InheritedFrom = 'project' | 'organization';

/** Returns the source of an inherited value: the project if it has its own, else the organization. */
export const inheritedFrom = (document: WorkspaceDocument, setting: InheritedSetting): InheritedFrom =>
  firstIncluded(document, 'projects')?.attributes['setting-overwrites'][setting] === true ? 'project' : 'organization';

/** Labels the choice to inherit a setting with the source and, if the caller can see it, the value. */
export const inheritLabel = (document: WorkspaceDocument, setting: InheritedSetting): string => {
  const project = firstIncluded(document, 'projects');
  const source = project ?? firstIncluded(document, 'organizations');
  const origin =
    inheritedFrom(document, setting) === 'project' ? `the project ${project?.attributes.name}` : 'the organization';
  const value = source?.attributes[setting];
  const shown = typeof value === 'boolean' ? (value ? 'on' : 'off') : value;
  return `Inherited from ${origin}${shown === undefined ? '' : ` (${shown})`}`;
};
