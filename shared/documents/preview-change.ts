import type { WorkspaceAccess } from '../access/authorize/workspace.ts';
import type { Project } from '../domain/directory/records.ts';
import type { Transition } from '../domain/transitions/transition.ts';
import { type Part, SETTINGS } from '../domain/transitions/while-matching.ts';
import type { Workspace } from '../domain/workspace/workspace-record.ts';
import type { Document, Resource } from '../jsonapi/document.ts';
import { compareResources, compareTags, dryRunResource } from '../resources/dry-runs/response.ts';
import type { Dependencies } from '../runtime/dependencies.ts';
import { previewTransition } from '../store/workspaces/workspace-store.ts';
import { presentWorkspace } from './workspace-documents.ts';

/** A workspace as the caller sees it, and its project after the change if that is another one. */
interface Subject {
  readonly access: WorkspaceAccess;
  readonly to?: Project;
}

/**
 * Reports what a transition would change of a workspace (EDIT-6).
 * @param id id of the request.
 * @param part what the result depends on.
 * @throws DomainError that the request would be rejected with.
 */
export const previewChange = async (
  { store, features }: Dependencies,
  id: string,
  { access: { workspace: before, organization, caller, project }, to = project }: Subject,
  transition: Transition,
  part: Part = SETTINGS,
): Promise<Document> => {
  const after = await previewTransition(store.workspaces, before, transition);
  const revised = part.of(before);
  if (after === before) return { data: dryRunResource(id, { outcome: 'unchanged', revised }) };
  const resourceOf = async (workspace: Workspace, within: Project): Promise<Resource> =>
    (await presentWorkspace({ store, features }, { workspace, organization, project: within, caller }))
      .data as Resource;
  const [old, young] = await Promise.all([resourceOf(before, project), resourceOf(after, to)]);
  const changes = { ...compareResources(old, young), ...compareTags(before.tags, after.tags) };
  return { data: dryRunResource(id, { outcome: 'changed', changes, revised }) };
};
