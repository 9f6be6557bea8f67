import { isDeepStrictEqual } from 'node:util';
import { requireMatch } from '../../../shared/domain/changes/entity-tags.ts';
import type { WorkspaceGrant } from '../../../shared/domain/directory/grants.ts';
import { notFound } from '../../../shared/domain/errors.ts';
import { changeAccess } from '../../../shared/domain/transitions/relationships/change-team-access.ts';
import { accessOf, whileMatching } from '../../../shared/domain/transitions/while-matching.ts';
import type { Operation } from '../../../shared/http/operation.ts';
import { requireSameId } from '../../../shared/jsonapi/require-same-id.ts';
import { teamWorkspaceDocument } from '../../../shared/resources/team-workspaces/response.ts';
import type { TeamDependencies } from '../dependencies.ts';
import { findWorkspaceAccess } from './find.ts';
import { workspaceGrantOf } from './grant.ts';

/** `PATCH /team-workspaces/:team_workspace_id`: keeps the parts that the body omits (TEAM-10). */
export const updateWorkspaceAccess =
  (dependencies: TeamDependencies): Operation<'team-workspaces.update'> =>
  async ({ contextFor, digest, parameters: { team_workspace_id: id }, body: { data } }) => {
    const { attributes = {} } = data;
    const access = await findWorkspaceAccess(dependencies, digest, id, 'team-access.manage');
    const { caller, team, workspace } = access;
    requireSameId(data.id, id);
    const next = (before: WorkspaceGrant | undefined): WorkspaceGrant => {
      if (before === undefined) throw notFound();
      return workspaceGrantOf(attributes, before);
    };
    const request = contextFor(caller);
    const before = workspace.access[team];
    requireMatch(request.precondition, accessOf(team).of(workspace));
    if (isDeepStrictEqual(next(before), before)) return teamWorkspaceDocument(access);
    const transition = whileMatching(request, changeAccess(request, team, next), accessOf(team));
    const changed = await dependencies.store.workspaces.apply(workspace, transition, request);
    return teamWorkspaceDocument({ workspace: changed, team });
  };
