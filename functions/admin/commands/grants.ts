import {
  type CustomProjectAccess,
  flags,
  type ProjectGrant,
  parts,
  projectFlags,
  projectLevels,
  projectParts,
  type WorkspaceGrant,
  workspaceLevels,
} from '../../../shared/domain/directory/grants.ts';
import { noRecord } from '../../../shared/domain/directory/transitions/records.ts';
import { grantAccess, revokeAccess } from '../../../shared/domain/transitions/relationships/change-team-access.ts';
import { isAlive } from '../../../shared/domain/workspace/workspace-record.ts';
import type { Parameters } from '../../../shared/schemas/admin-commands.ts';
import { type AdminDependencies, adminRequest } from '../dependencies.ts';
import type { CommandHandlers } from '../handler.ts';
import { invalidParameter } from '../parameters.ts';
import { findWorkspace } from './find-workspace.ts';

/** Parameters that describe custom access, by the kind of resource. */
const details = {
  workspace: [...Object.keys(parts), ...flags],
  project: [...projectFlags, ...Object.keys(projectParts)],
};
type Target = keyof typeof details;

/** Spells the name of a parameter as the start of a sentence: `stateVersions` becomes `State versions`. */
const sentenceCase = (name: string): string =>
  name.charAt(0).toUpperCase() + name.slice(1).replaceAll(/[A-Z]/g, (letter) => ` ${letter.toLowerCase()}`);

/**
 * Reads the grant from the parameters.
 * @throws DomainError 422 for an unknown level, or parts of custom access with another level (PERM-6, PERM-9).
 */
const readGrant = (parameters: Parameters<'grantAccess'>, target: Target): WorkspaceGrant | ProjectGrant => {
  const { access } = parameters;
  const given = Object.entries(parameters).filter(([name]) =>
    [...details.workspace, ...details.project].includes(name),
  );
  const [detail] = given;
  if (access !== 'custom') {
    if (detail !== undefined) {
      const problem = `${sentenceCase(detail[0])} is read-only when access level is '${access}'`;
      throw invalidParameter(detail[0], `${problem}; use the 'custom' access level to set this attribute.`);
    }
    const levels: readonly string[] = target === 'workspace' ? workspaceLevels : projectLevels;
    if (levels.includes(access)) return access as WorkspaceGrant | ProjectGrant;
    throw invalidParameter('access', `access to a ${target} must be one of: ${[...levels, 'custom'].join(', ')}`);
  }
  const foreign = given.find(([name]) => target === 'workspace' && details.project.some((flag) => flag === name));
  if (foreign !== undefined) {
    throw invalidParameter(
      foreign[0],
      `${foreign[0]} is not allowed on a workspace; omit it, or grant access to a project`,
    );
  }
  return Object.fromEntries(given) as CustomProjectAccess;
};

/** Creates the handlers of the commands that grant and revoke access of teams to workspaces and projects. */
export const grants = ({
  directory: { records, projects },
  workspaces,
}: AdminDependencies): Pick<CommandHandlers, 'grantAccess' | 'revokeAccess'> => {
  const targetOf = ({ workspace, project }: { workspace?: string; project?: string }): [Target, string] => {
    if (workspace !== undefined && project === undefined) return ['workspace', workspace];
    if (project !== undefined && workspace === undefined) return ['project', project];
    throw invalidParameter('workspace', 'Exactly one of workspace and project must be given');
  };

  const grantOnWorkspace = async (organization: string, name: string, team: string, grant: WorkspaceGrant) => {
    const workspace = await findWorkspace(workspaces, organization, name, isAlive);
    const granted = grantAccess(team, grant);
    if (!granted.applied(workspace)) await workspaces.apply(workspace, granted, adminRequest());
    return workspace.id;
  };

  return {
    grantAccess: async (parameters) => {
      const { organization } = parameters;
      const [target, name] = targetOf(parameters);
      const grant = readGrant(parameters, target);
      const team = await records.get('team', organization, parameters.team);
      if (target === 'workspace') {
        const id = await grantOnWorkspace(organization, name, team.id, grant as WorkspaceGrant);
        return { team: team.id, workspace: id, access: grant };
      }
      const project = await projects.grantAccess(adminRequest(), organization, name, {
        team: team.id,
        next: () => grant as ProjectGrant,
        noTeam: () => noRecord('team', parameters.team),
      });
      return { team: team.id, project: project.id, access: grant };
    },

    revokeAccess: async (parameters) => {
      const { organization } = parameters;
      const [target, name] = targetOf(parameters);
      const team = await records.get('team', organization, parameters.team);
      if (target === 'project') {
        const project = await projects.revokeAccess(adminRequest(), organization, name, team.id);
        return { team: team.id, project: project.id };
      }
      const workspace = await findWorkspace(workspaces, organization, name, isAlive);
      const revoked = revokeAccess(team.id);
      if (!revoked.applied(workspace)) await workspaces.apply(workspace, revoked, adminRequest());
      return { team: team.id, workspace: workspace.id };
    },
  };
};
