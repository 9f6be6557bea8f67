import type { WorkspaceAccess } from '../../shared/access/authorize/workspace.ts';
import { withoutOverrides } from '../../shared/domain/tags/reserved-tag-keys.ts';
import type { Tags } from '../../shared/domain/tags/tag.ts';
import { changeTags } from '../../shared/domain/transitions/relationships/change-tags.ts';
import { whileMatching } from '../../shared/domain/transitions/while-matching.ts';
import type { Workspace } from '../../shared/domain/workspace/workspace-record.ts';
import type { OperationRequest } from '../../shared/http/operation.ts';
import type { Dependencies } from '../../shared/runtime/dependencies.ts';

/**
 * Time during which a request starts changes, in milliseconds. The last one, which may take 8 s, must end before the
 * timeout of the function. A repeated request changes the workspaces that are left.
 */
export const START_MILLISECONDS = 10_000;

/** Makes a change of tags fail if it overrides a binding of the project whose key is reserved (TAG-21). */
export const respectReserved =
  ({ organization, project }: Pick<WorkspaceAccess, 'organization' | 'project'>, to: (tags: Tags) => Tags) =>
  (tags: Tags): Tags =>
    withoutOverrides(tags, to(tags), organization, project, '/data');

/** Changes the tags of a workspace and returns the changed workspace. Nothing is written if the tags stay the same. */
export const change = async (
  { store }: Dependencies,
  contextFor: OperationRequest<'workspace-tags.add'>['contextFor'],
  access: WorkspaceAccess,
  to: (tags: Tags) => Tags,
): Promise<Workspace> => {
  const { workspace, caller } = access;
  const request = contextFor(caller);
  const transition = whileMatching(request, changeTags(respectReserved(access, to)));
  if (transition.applied(workspace)) return workspace;
  return store.workspaces.apply(workspace, transition, request);
};
