import { requireMatch } from '../../shared/domain/changes/entity-tags.ts';
import { asRevised } from '../../shared/domain/workspace/variable.ts';
import type { OperationRequest } from '../../shared/http/operation.ts';
import type { VariableDependencies } from './dependencies.ts';
import { findVariable, type VariableParameters } from './find.ts';
import { retryChangedVariable } from './retry-changed-variable.ts';

type DeleteRequest = Pick<OperationRequest<'variables.delete'>, 'contextFor' | 'digest'> & {
  readonly parameters: VariableParameters;
};

/** `DELETE /vars/:variable_id` and `/workspaces/:workspace_id/vars/:variable_id` (VAR-11). */
export const deleteVariable =
  ({ store }: VariableDependencies) =>
  ({ contextFor, digest, parameters }: DeleteRequest): Promise<undefined> =>
    retryChangedVariable(async () => {
      const { access, variable } = await findVariable({ store }, digest, parameters, 'variable.update');
      const request = contextFor(access.caller);
      requireMatch(request.precondition, asRevised(variable));
      await store.variables.delete(access.workspace, variable, request);
      return undefined;
    });
