import { authorizeWorkspace } from '../../../shared/access/authorize/workspace.ts';
import { createResponseSizeBudget } from '../../../shared/documents/response-size-budget.ts';
import { variablesInForce } from '../../../shared/domain/variable-sets/precedence.ts';
import type { Operation } from '../../../shared/http/operation.ts';
import { listDocument } from '../../../shared/jsonapi/pagination.ts';
import { mapWithConcurrency } from '../../../shared/lib/concurrency.ts';
import { setVariableResource, variableResource } from '../../../shared/resources/variables/response.ts';
import type { VariableDependencies } from '../variables.ts';

/** Number of variable sets whose variables are read concurrently. */
const QUERIES = 16;

/** `GET /workspaces/:workspace_id/all-vars` (VARSET-10): the variables in force for the workspace. */
export const listAllVariables: Operation<'all-variables.list', VariableDependencies> = async (
  { digest, parameters: { workspace_id: id }, query, url },
  { store, variableSets },
) => {
  const { takeVariable } = createResponseSizeBudget();
  const { workspace, results } = await authorizeWorkspace(
    store,
    digest,
    { id },
    'variable.read',
    async (ids, found) => {
      const [own, applicable] = await Promise.all([
        store.variables.list(ids.workspace, undefined, takeVariable),
        variableSets.findApplicable(found),
      ]);
      const filled = applicable.filter(({ variables }) => variables.length > 0);
      const sets = await mapWithConcurrency(filled, QUERIES, async (variableSet) => ({
        variableSet,
        variables: await store.variables.list(variableSet.id, undefined, takeVariable),
      }));
      return { own, sets };
    },
  );
  const inForce = variablesInForce(workspace, results.own, results.sets);
  return listDocument(inForce, { query, url }, ({ variable, variableSet }) =>
    variableSet === undefined ? variableResource(variable, workspace) : setVariableResource(variable, variableSet.id),
  );
};
