import { exists } from '../../changes/conditions.ts';
import { conflict, DomainError } from '../../errors.ts';
import { isAlive, isRestorable, type Workspace } from '../../workspace/workspace-record.ts';
import { type NamedKind, OWNERS_TEAM, type Team } from '../records.ts';
import { done, type Plan, type Stored } from './plan.ts';
import { recordLabels } from './records.ts';
import { changePermissions } from './teams.ts';

/** Rules for the deletion of records that are in use. */

const count = (number: number, noun: string): string => `${number} ${noun}${number === 1 ? '' : 's'}`;

/** Creates the 422 error for a record that every organization must have. */
const notRemovable = (detail: string): DomainError => new DomainError('unprocessable', detail);

/** @throws DomainError 422 for the owners team. */
export const requireRemovableTeam = ({ name }: Team): void => {
  if (name === OWNERS_TEAM) throw notRemovable('The owners team cannot be deleted.');
};

/** @throws DomainError 409 while an organization has workspaces, also deleted ones that can be restored. */
export const requireNoWorkspaces = (kept: readonly Workspace[], at: number): void => {
  const found = kept.filter(isAlive);
  if (found.length > 0) throw conflict(`The organization still has ${count(found.length, 'workspace')}.`);
  const deleted = kept.filter((workspace) => isRestorable(workspace, at));
  if (deleted.length > 0) {
    throw conflict(
      `The organization still has ${count(deleted.length, 'deleted workspace')} that can be restored. An owner can delete them permanently.`,
    );
  }
};

/** @throws DomainError 422 for the default project; 409 while the project has workspaces (PROJECT-7). */
export const requireUnusedProject = (workspaces: number, isDefault: boolean): void => {
  if (isDefault) throw notRemovable('The default project cannot be deleted.');
  if (workspaces > 0) throw conflict(`The project still has ${count(workspaces, 'workspace')}.`);
};

/** @throws DomainError 409 while a workspace uses an agent pool, or it is a default. */
export const requireUnusedPool = (workspaces: number, projects: number, isDefault: boolean): void => {
  const uses = [
    ...(workspaces > 0 ? [`used by ${count(workspaces, 'workspace')}`] : []),
    ...(projects > 0 ? [`the default of ${count(projects, 'project')}`] : []),
    ...(isDefault ? ['the default of 1 organization'] : []),
  ];
  if (uses.length > 0) throw conflict(`The agent pool is still ${uses.join(', and ')}.`);
};

/** @throws DomainError 409 while a workspace has a repository of a connection or installation. */
export const requireNoRepositories = (kind: NamedKind, workspaces: number): void => {
  if (workspaces > 0) {
    throw conflict(`The ${recordLabels[kind]} is still used by ${count(workspaces, 'workspace')}.`);
  }
};

/** Plans to revoke the permissions of a team on its organization. */
export const revokePermissions = (organization: Stored<'organization'> | undefined, { id }: Team): Plan<undefined> => {
  if (organization === undefined || !Object.hasOwn(organization.record.access, id)) return done(undefined);
  const of = { kind: 'organization', id: organization.record.name } as const;
  return {
    effects: [{ kind: 'update', of, change: changePermissions(id, []), condition: exists('pk') }],
    result: undefined,
  };
};
