import { authorizeWorkspace, type WorkspaceTarget } from '../../shared/access/authorize/workspace.ts';
import { DomainError } from '../../shared/domain/errors.ts';
import { requireAllowedReference } from '../../shared/domain/workspace/value-reference.ts';
import { newVariable } from '../../shared/domain/workspace/variable.ts';
import type { Workspace } from '../../shared/domain/workspace/workspace-record.ts';
import { preloadEncryption } from '../../shared/encryption/encrypt.ts';
import type { BodyOf, Operation, OperationRequest } from '../../shared/http/operation.ts';
import type { Document } from '../../shared/jsonapi/document.ts';
import { now } from '../../shared/lib/clock.ts';
import { newId, versionId } from '../../shared/lib/random.ts';
import { variableRequest } from '../../shared/resources/variables/request-mapping.ts';
import { type VariablePaths, variableResource } from '../../shared/resources/variables/response.ts';
import { encryptContent } from './content.ts';
import type { VariableDependencies } from './dependencies.ts';

type Body = BodyOf<'variables.create'>;

/** `POST /workspaces/:workspace_id/vars` (VAR-8): creates a variable of the workspace in the path. */
export const createInWorkspace =
  (dependencies: VariableDependencies): Operation<'workspace-variables.create'> =>
  (request) =>
    create(dependencies, request, { id: request.parameters.workspace_id }, 'successor');

/** `POST /vars` (VAR-8): the workspace is named by the relationship or, deprecated, by a `filter` in the body. */
export const createVariable =
  (dependencies: VariableDependencies): Operation<'variables.create'> =>
  (request) =>
    create(dependencies, request, targetOf(request.body), 'deprecated', (workspace) =>
      requireSameWorkspace(workspace, request.body),
    );

const create = async (
  dependencies: VariableDependencies,
  {
    contextFor,
    digest,
    body,
  }: Pick<OperationRequest<'variables.create'>, 'contextFor' | 'digest'> &
    Pick<OperationRequest<'workspace-variables.create'>, 'body'>,
  target: WorkspaceTarget,
  paths: VariablePaths,
  check: (workspace: Workspace) => void = () => undefined,
): Promise<Document> => {
  const { store } = dependencies;
  const given = variableRequest(body.data.attributes);
  if (given.sensitive) preloadEncryption();
  const { caller, workspace, organization, project } = await authorizeWorkspace(
    store,
    digest,
    target,
    'variable.update',
  );
  check(workspace);
  if (given.reference !== undefined) requireAllowedReference(given.reference, organization, project);
  const request = contextFor(caller);
  const identity = {
    id: newId('variable', request),
    workspace: workspace.id,
    createdAt: now(),
    version: versionId(),
  };
  const planned = await encryptContent(dependencies, newVariable(identity, given));
  const variable = await store.variables.create(workspace, planned, request);
  return { data: variableResource(variable, workspace, paths) };
};

const unprocessable = (pointer: string, detail: string): DomainError =>
  new DomainError('unprocessable', detail, { source: { pointer } });

const targetOf = ({ data, filter }: Body): WorkspaceTarget => {
  const id = data.relationships?.workspace?.data?.id;
  if (id) return { id };
  const [name, organization] = [filter?.workspace?.name, filter?.organization?.name];
  if (name && organization) return { organization, name };
  if (!name && !organization) throw unprocessable('/data/relationships/workspace', "Workspace can't be blank");
  const [missing, pointer] = name
    ? ['Organization', '/filter/organization/name']
    : ['Workspace', '/filter/workspace/name'];
  throw unprocessable(pointer, `${missing} name can't be blank`);
};

/** @throws DomainError 422 if the relationship and the filter name different workspaces. */
const requireSameWorkspace = ({ name, organization }: Workspace, { filter }: Body): void => {
  const isSame = (given: string | null | undefined, is: string): boolean => !given || given === is;
  if (isSame(filter?.workspace?.name, name) && isSame(filter?.organization?.name, organization)) return;
  throw unprocessable('/filter', 'Filter names another workspace than the relationship');
};
