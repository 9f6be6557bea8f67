import type { WorkspaceAccess } from '../../shared/access/authorize/workspace.ts';
import type { Tags } from '../../shared/domain/tags/tag.ts';
import { changeTags } from '../../shared/domain/transitions/change-tags.ts';
import type { Workspace } from '../../shared/domain/workspace/workspace-record.ts';
import type { Dependencies } from '../../shared/runtime/dependencies.ts';

/** Number of workspaces whose tags are changed at the same time. */
export const CONCURRENCY = 16;

/** Changes a workspace's tags, and answers it as it is then; where nothing would change, nothing is written. */
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
