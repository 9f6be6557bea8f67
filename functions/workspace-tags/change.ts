import type { WorkspaceAccess } from '../../shared/access/authorize/workspace.ts';
import type { Tags } from '../../shared/domain/tags/tag.ts';
import { changeTags } from '../../shared/domain/transitions/relationships/change-tags.ts';
import type { Workspace } from '../../shared/domain/workspace/workspace-record.ts';
import type { Dependencies } from '../../shared/runtime/dependencies.ts';

/** Number of workspaces with tag changes in progress at the same time. */
export const CONCURRENCY = 16;

/** Changes the tags of a workspace and returns the changed workspace. Nothing is written if the tags stay the same. */
export const change = async (
  { store }: Dependencies,
  id: string,
  { workspace, caller: { principal } }: Pick<WorkspaceAccess, 'workspace' | 'caller'>,
  to: (tags: Tags) => Tags,
): Promise<Workspace> => {
  const transition = changeTags(to);
  if (transition.applied(workspace)) return workspace;
  return store.apply(workspace, transition, { id, principal });
};
