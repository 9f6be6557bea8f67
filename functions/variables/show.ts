import type { OperationRequest } from '../../shared/http/operation.ts';
import type { Document } from '../../shared/jsonapi/document.ts';
import { type VariablePaths, variableResource } from '../../shared/resources/variables/response.ts';
import type { VariableDependencies } from './dependencies.ts';
import { findVariable, type VariableParameters } from './find.ts';

type ShowRequest = Pick<OperationRequest<'workspace-variables.show'>, 'digest'> & {
  readonly parameters: VariableParameters;
};

/**
 * `GET /workspaces/:workspace_id/vars/:variable_id` (VAR-6).
 * @param paths the kind of the links in the document.
 */
export const showVariable =
  (dependencies: VariableDependencies, paths: VariablePaths = 'successor') =>
  async ({ digest, parameters }: ShowRequest): Promise<Document> => {
    const { access, variable } = await findVariable(dependencies, digest, parameters, 'variable.read');
    return { data: variableResource(variable, access.workspace, paths) };
  };
