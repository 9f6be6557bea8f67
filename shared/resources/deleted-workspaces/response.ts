import { deletedWorkspacePermissions } from '../../access/deleted-workspace-policy.ts';
import { type CallerInOrganization, seesTeam } from '../../access/organization-policy.ts';
import type { Rights } from '../../access/rights.ts';
import { tagNames } from '../../domain/tags/tag.ts';
import type { RestorableWorkspace } from '../../domain/workspace/workspace-record.ts';
import { type Resource, toOne } from '../../jsonapi/document.ts';
import { timestamp } from '../../lib/clock.ts';
import { BASE_PATH } from '../../routes/api.ts';
import { visibleActor } from '../actor.ts';
import type { ComputedValues } from '../attribute-table.ts';
import type { attributes } from './attributes.ts';

/**
 * Builds the resource of a deleted workspace.
 * @param rights rights of the caller in the project that the workspace would be restored to.
 */
export const deletedWorkspaceResource = (
  workspace: RestorableWorkspace,
  context: CallerInOrganization,
  rights: Rights,
): Resource => {
  const { id, name, organization, project, createdAt, deletedAt, purgeAt, latestChangeAt, current, tags, change } =
    workspace;
  return {
    id,
    type: 'deleted-workspaces',
    attributes: {
      name,
      'created-at': timestamp(createdAt),
      'deleted-at': timestamp(deletedAt),
      // The deletion is the last change of a workspace that can be restored. Teams are not read, so each counts as secret.
      'deleted-by': visibleActor(change.actor, (team) => seesTeam(context, { id: team, visibility: 'secret' })),
      'restorable-until': timestamp(purgeAt),
      'latest-change-at': timestamp(latestChangeAt),
      'resource-count': Math.max(0, current?.resources ?? 0),
      'tag-names': tagNames(tags),
      permissions: deletedWorkspacePermissions(rights),
    } satisfies ComputedValues<typeof attributes>,
    relationships: {
      organization: toOne('organizations', organization),
      project: toOne('projects', project),
    },
    links: { self: `${BASE_PATH}/deleted-workspaces/${id}` },
  };
};
