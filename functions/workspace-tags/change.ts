import type { WorkspaceAccess } from '../../shared/access/authorize/workspace.ts';
import type { Tags } from '../../shared/domain/tags/tag.ts';
import { changeTags } from '../../shared/domain/transitions/relationships/change-tags.ts';
import type { Workspace } from '../../shared/domain/workspace/workspace-record.ts';
import type { Dependencies } from '../../shared/runtime/dependencies.ts';

/**
 * Time during which a request starts changes, in milliseconds. The last one, which may take 8 s, must end before the
 * timeout of the function. A repeated request changes the workspaces that are left.
 */
export const START_MILLISECONDS = 10_000;

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
