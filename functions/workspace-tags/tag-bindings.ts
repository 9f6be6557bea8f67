import { authorizeWorkspace } from '../../shared/access/authorize/workspace.ts';
import type { Organization } from '../../shared/domain/directory/records.ts';
import {
  addBindings,
  type Binding,
  effectiveBindings,
  replaceBindings,
  type Tags,
} from '../../shared/domain/tags/tag.ts';
import type { Workspace } from '../../shared/domain/workspace/workspace-record.ts';
import type { Operation, OperationRequest } from '../../shared/http/operation.ts';
import type { Document, Resource } from '../../shared/jsonapi/document.ts';
import { paginate, readPageOf, slice } from '../../shared/jsonapi/pagination.ts';
import { now } from '../../shared/lib/clock.ts';
import { readBindings } from '../../shared/resources/tags/request-mapping.ts';
import { bindingResource, effectiveBindingResource } from '../../shared/resources/tags/response.ts';
import type { Dependencies } from '../../shared/runtime/dependencies.ts';
import { change } from './workspace-tags.ts';

type ListRequest = Pick<
  OperationRequest<
    'tag-bindings.list' | 'tag-bindings.list-related' | 'tag-bindings.add' | 'effective-tag-bindings.list'
  >,
  'digest' | 'parameters' | 'query' | 'url'
>;
type ChangeRequest = Pick<
  OperationRequest<'tag-bindings.add' | 'tag-bindings.add-related' | 'tag-bindings.replace-related'>,
  'contextFor' | 'digest' | 'parameters' | 'body'
>;

const documentOf = (resources: readonly Resource[], { query, url }: Pick<ListRequest, 'query' | 'url'>): Document => {
  const page = readPageOf(resources, query);
  return { data: slice(resources, page), ...paginate(page, resources.length, url, query) };
};

const bindingsOf = (organization: Organization, { id, tags }: Workspace): readonly Resource[] =>
  tags.map((tag) => bindingResource(organization, { type: 'workspaces', id }, tag));

/** `GET /workspaces/:workspace_id/tag-bindings` and `…/relationships/tag-bindings` (TAG-17), including flat tags. */
export const listBindings =
  ({ store }: Dependencies) =>
  async (request: ListRequest): Promise<Document> => {
    const { digest, parameters } = request;
    const access = await authorizeWorkspace(store, digest, { id: parameters.workspace_id }, 'workspace.read-settings');
    return documentOf(bindingsOf(access.organization, access.workspace), request);
  };

/** `GET /workspaces/:workspace_id/effective-tag-bindings` (TAG-17): includes the bindings inherited from the project. */
export const listEffectiveBindings =
  ({ store }: Dependencies): Operation<'effective-tag-bindings.list'> =>
  async (request) => {
    const { digest, parameters } = request;
    const access = await authorizeWorkspace(store, digest, { id: parameters.workspace_id }, 'workspace.read-settings');
    const { organization, project, workspace } = access;
    const effective = effectiveBindings(workspace.tags, project);
    return documentOf(
      effective.map((binding) => effectiveBindingResource(organization, workspace.id, binding)),
      request,
    );
  };

const changeBindings = async (
  dependencies: Dependencies,
  { contextFor, digest, parameters, body }: ChangeRequest,
  to: (tags: Tags, bindings: readonly Binding[], at: number) => Tags,
) => {
  const bindings = readBindings(body.data, '/data');
  const access = await authorizeWorkspace(dependencies.store, digest, { id: parameters.workspace_id }, 'tag.manage');
  const at = now();
  const workspace = await change(dependencies, contextFor, access, (tags) => to(tags, bindings, at));
  return { ...access, workspace };
};

/**
 * `PATCH /workspaces/:workspace_id/tag-bindings` (TAG-15): adds bindings, replaces values of existing keys, returns all.
 */
export const addBindingsTo =
  (dependencies: Dependencies): Operation<'tag-bindings.add'> =>
  async (request) => {
    const { organization, workspace } = await changeBindings(dependencies, request, addBindings);
    return documentOf(bindingsOf(organization, workspace), request);
  };

/** `POST /workspaces/:workspace_id/relationships/tag-bindings`: adds bindings, with an empty response. */
export const addRelatedBindings =
  (dependencies: Dependencies): Operation<'tag-bindings.add-related'> =>
  async (request) => {
    await changeBindings(dependencies, request, addBindings);
    return undefined;
  };

/** `PATCH /workspaces/:workspace_id/relationships/tag-bindings`: replaces all bindings with a value. */
export const replaceRelatedBindings =
  (dependencies: Dependencies): Operation<'tag-bindings.replace-related'> =>
  async (request) => {
    await changeBindings(dependencies, request, replaceBindings);
    return undefined;
  };
