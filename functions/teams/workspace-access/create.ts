import { isDeepStrictEqual } from 'node:util';
import { authorizeWorkspace } from '../../../shared/access/authorize/workspace.ts';
import { requirePermission } from '../../../shared/access/workspace-policy.ts';
import { invalidRelationship } from '../../../shared/domain/errors.ts';
import { changeAccess } from '../../../shared/domain/transitions/relationships/change-team-access.ts';
import type { Operation } from '../../../shared/http/operation.ts';
import { startEarly } from '../../../shared/lib/start-early.ts';
import { teamWorkspaceDocument } from '../../../shared/resources/team-workspaces/response.ts';
import { requireTeam } from '../access.ts';
import type { TeamDependencies } from '../dependencies.ts';
import { workspaceGrantOf } from './grant.ts';

/** `POST /team-workspaces` (TEAM-11) */
export const createWorkspaceAccess =
  ({ store }: TeamDependencies): Operation<'team-workspaces.create'> =>
  async ({ contextFor, digest, body: { data } }) => {
    const { relationships } = data;
    const team = relationships.team.data.id;
    const grant = workspaceGrantOf(data.attributes);
    const firstRead = startEarly(store.teams.find(team, false));
    const access = await authorizeWorkspace(
      store,
      digest,
      relationships.workspace.data,
      async (current, consistent) => {
        requirePermission(current, 'team-access.manage');
        await requireTeam(current, consistent ? store.teams.find(team, true) : firstRead);
      },
    );
    const request = contextFor(access.caller);
    const granted = changeAccess(request, team, (before) => {
      // An earlier attempt of this request may have granted it.
      if (request.attempt === 'resumed' && isDeepStrictEqual(before, grant)) return grant;
      if (before !== undefined) throw invalidRelationship('team', 'Team has already been taken');
      return grant;
    });
    return teamWorkspaceDocument({ workspace: await store.workspaces.apply(access.workspace, granted, request), team });
  };
