import { authorizeWorkspace, type WorkspaceAccess } from '../../shared/access/authorize/workspace.ts';
import {
  addBindings,
  type Binding,
  effectiveBindings,
  replaceBindings,
  type Tags,
} from '../../shared/domain/tags/tag.ts';
import type { OperationRequest, Operations } from '../../shared/http/operation.ts';
import type { Document } from '../../shared/jsonapi/document.ts';
import { listDocument } from '../../shared/jsonapi/pagination.ts';
import { now } from '../../shared/lib/clock.ts';
import { readBindings } from '../../shared/resources/tags/request-mapping.ts';
import { bindingResource, effectiveBindingResource } from '../../shared/resources/tags/response.ts';
import type { Dependencies } from '../../shared/runtime/dependencies.ts';
import { changeOrPreview } from './workspace-tags.ts';

type ListRequest = OperationRequest<'tag-bindings.list' | 'tag-bindings.list-related'>;
type ChangeRequest = OperationRequest<'tag-bindings.add' | 'tag-bindings.add-related' | 'tag-bindings.replace-related'>;

const documentOf = (
  { organization, workspace: { id, tags } }: Pick<WorkspaceAccess, 'organization' | 'workspace'>,
  request: Pick<ListRequest, 'query' | 'url'>,
): Document => listDocument(tags, request, (tag) => bindingResource(organization, { type: 'workspaces', id }, tag));

/** `GET /workspaces/:workspace_id/tag-bindings` and `…/relationships/tag-bindings` (TAG-17), including flat tags. */
const list = async (request: ListRequest, { store }: Dependencies): Promise<Document> => {
  const { digest, parameters } = request;
  const access = await authorizeWorkspace(store, digest, { id: parameters.workspace_id }, 'workspace.read-settings');
  return documentOf(access, request);
};

const changeBindings = async (
  dependencies: Dependencies,
  request: ChangeRequest,
  to: (tags: Tags, bindings: readonly Binding[], at: number) => Tags,
) => {
  const { digest, parameters, body } = request;
  const bindings = readBindings(body.data, '/data');
  const access = await authorizeWorkspace(dependencies.store, digest, { id: parameters.workspace_id }, 'tag.manage');
  const at = now();
  return { ...access, ...(await changeOrPreview(dependencies, request, access, (tags) => to(tags, bindings, at))) };
};

export const bindingOperations = {
  'tag-bindings.list': list,
  'tag-bindings.list-related': list,

  /** `GET /workspaces/:workspace_id/effective-tag-bindings` (TAG-17): includes the bindings inherited from the project. */
  'effective-tag-bindings.list': async (request, { store }) => {
    const { digest, parameters } = request;
    const access = await authorizeWorkspace(store, digest, { id: parameters.workspace_id }, 'workspace.read-settings');
    const { organization, project, workspace } = access;
    const effective = effectiveBindings(workspace.tags, project);
    return listDocument(effective, request, (binding) => effectiveBindingResource(organization, workspace.id, binding));
  },

  /**
   * `PATCH /workspaces/:workspace_id/tag-bindings` (TAG-15): adds bindings, replaces values of existing keys, returns all.
   */
  'tag-bindings.add': async (request, dependencies) => {
    return documentOf(await changeBindings(dependencies, request, addBindings), request);
  },

  /** `POST /workspaces/:workspace_id/relationships/tag-bindings`: adds bindings, with an empty response. */
  'tag-bindings.add-related': async (request, dependencies) => {
    return (await changeBindings(dependencies, request, addBindings)).preview;
  },

  /** `PATCH /workspaces/:workspace_id/relationships/tag-bindings`: replaces all bindings with a value. */
  'tag-bindings.replace-related': async (request, dependencies) => {
    return (await changeBindings(dependencies, request, replaceBindings)).preview;
  },
} satisfies Partial<Operations<'workspace-tags', Dependencies>>;
