import { isDeepStrictEqual } from 'node:util';
import { presentWorkspace } from '../../shared/documents/workspace-documents.ts';
import type { Caller, Organization, Project } from '../../shared/domain/directory/records.ts';
import { isFlat } from '../../shared/domain/tags/tag.ts';
import type { Transition } from '../../shared/domain/transitions/transition.ts';
import type { Workspace } from '../../shared/domain/workspace/workspace-record.ts';
import type { Document, Resource } from '../../shared/jsonapi/document.ts';
import { compareResources, type DryRunChange, dryRunResource } from '../../shared/resources/dry-runs/response.ts';
import type { Dependencies } from '../../shared/runtime/dependencies.ts';
import { previewTransition } from '../../shared/store/workspaces/preview-transition.ts';

/** A workspace as the caller sees it, in its present project or in another one. */
interface Subject {
  readonly workspace: Workspace;
  readonly organization: Organization;
  readonly caller: Caller;
}

/** Returns the bindings with a value, which the resource of a workspace does not show. */
const bindingsOf = ({ tags }: Workspace) =>
  tags.filter((tag) => !isFlat(tag)).map(({ key, value }) => ({ key, value }));

const compareBindings = (before: Workspace, after: Workspace): Readonly<Record<string, DryRunChange>> => {
  const change = { old: bindingsOf(before), new: bindingsOf(after) };
  return isDeepStrictEqual(change.old, change.new) ? {} : { 'tag-bindings': change };
};

/**
 * Reports what an update would change (EDIT-6).
 * @param id id of the request.
 * @param projects project of the workspace before and after the update.
 * @throws DomainError that the update would be rejected with.
 */
export const previewUpdate = async (
  { store, features }: Dependencies,
  id: string,
  { workspace: before, ...others }: Subject,
  projects: { readonly before: Project; readonly after: Project },
  transition: Transition,
): Promise<Document> => {
  const after = await previewTransition(store.workspaces, before, transition);
  const resourceOf = async (workspace: Workspace, project: Project): Promise<Resource> =>
    (await presentWorkspace({ store, features }, { ...others, workspace, project })).data as Resource;
  const [old, young] = await Promise.all([resourceOf(before, projects.before), resourceOf(after, projects.after)]);
  const changes = { ...compareResources(old, young), ...compareBindings(before, after) };
  return { data: dryRunResource(id, { outcome: after === before ? 'unchanged' : 'changed', changes }) };
};
