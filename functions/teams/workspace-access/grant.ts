import { type CustomAccess, levelOf, partsOf, type WorkspaceGrant } from '../../../shared/domain/directory/grants.ts';
import { invalid } from '../../../shared/domain/errors.ts';
import type { TeamWorkspaceAttributes } from '../../../shared/resources/team-workspaces/attributes.ts';
import { teamWorkspaceRequest } from '../../../shared/resources/team-workspaces/request-mapping.ts';
import { workspaceAccessNames } from '../../../shared/resources/team-workspaces/response.ts';
import { requireNoParts } from '../access.ts';

/**
 * Maps attributes to the access of a team to a workspace (TEAM-9, TEAM-10).
 * @param before the access that the team has; undefined for none.
 */
export const workspaceGrantOf = (attributes: TeamWorkspaceAttributes, before?: WorkspaceGrant): WorkspaceGrant => {
  const { access, ...parts } = teamWorkspaceRequest(attributes);
  const level = access ?? (before === undefined ? undefined : levelOf(before));
  if (level === undefined) throw invalid('access', "Access can't be blank");
  if (level !== 'custom') {
    requireNoParts(
      level,
      Object.keys(parts).map((part) => workspaceAccessNames[part as keyof CustomAccess]),
    );
    return level;
  }
  return { ...(before !== undefined && partsOf(before)), ...parts };
};
