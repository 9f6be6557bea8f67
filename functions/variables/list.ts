import { authorizeWorkspace, type WorkspaceTarget } from '../../shared/access/authorize/workspace.ts';
import { createResponseSizeBudget } from '../../shared/documents/response-size-budget.ts';
import { DomainError } from '../../shared/domain/errors.ts';
import type { Operation, OperationRequest } from '../../shared/http/operation.ts';
import type { Document } from '../../shared/jsonapi/document.ts';
import { paginate, rangeOf, readOptionalPage, singlePage } from '../../shared/jsonapi/pagination.ts';
import { type VariablePaths, variableResource } from '../../shared/resources/variables/response.ts';
import type { VariableDependencies } from './dependencies.ts';
import { listEverywhere } from './list-everywhere.ts';

type ListRequest = Pick<OperationRequest<'variables.list'>, 'digest' | 'query' | 'url'>;

/** `GET /workspaces/:workspace_id/vars` (VAR-10): all variables, or one page if requested. */
export const listInWorkspace =
  (dependencies: VariableDependencies): Operation<'workspace-variables.list'> =>
  (request) =>
    list(dependencies, request, { id: request.parameters.workspace_id }, 'successor');

/** `GET /vars` (VAR-9): variables of the workspace in the filters or, without filters, all that the caller may read. */
export const listVariables =
  (dependencies: VariableDependencies): Operation<'variables.list'> =>
  (request) => {
    const target = readFilters(request.query);
    return target === undefined
      ? listEverywhere(dependencies, request)
      : list(dependencies, request, target, 'deprecated');
  };

const list = async (
  { store }: VariableDependencies,
  { digest, query, url }: ListRequest,
  target: WorkspaceTarget,
  paths: VariablePaths,
): Promise<Document> => {
  const page = readOptionalPage(query);
  const { workspace, results: variables } = await authorizeWorkspace(store, digest, target, 'variable.read', (ids) =>
    store.variables.list(ids.workspace, page && rangeOf(page), createResponseSizeBudget().takeVariable),
  );
  const total = page === undefined ? variables.length : (workspace.variableCount ?? 0);
  return {
    data: variables.map((variable) => variableResource(variable, workspace, paths)),
    ...paginate(page ?? singlePage(total), total, url, query),
  };
};

const filters = { workspace: 'filter[workspace][name]', organization: 'filter[organization][name]' } as const;

/** Reads the filters. @throws DomainError 400 for one without the other. */
const readFilters = (query: URLSearchParams): { organization: string; name: string } | undefined => {
  const [name, organization] = [query.get(filters.workspace), query.get(filters.organization)];
  if (name && organization) return { organization, name };
  if (!name && !organization) return undefined;
  const [given, parameter] = name
    ? [filters.workspace, filters.organization]
    : [filters.organization, filters.workspace];
  throw new DomainError('bad-request', `${given} requires ${parameter}; send both or neither`, {
    source: { parameter },
  });
};
