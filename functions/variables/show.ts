import type { Operation } from '../../shared/http/operation.ts';
import { variableResource } from '../../shared/resources/variables/response.ts';
import type { VariableDependencies } from './dependencies.ts';
import { findVariable } from './find.ts';

/** `GET /workspaces/:workspace_id/vars/:variable_id` (VAR-6). */
export const showVariable =
  (dependencies: VariableDependencies): Operation<'workspace-variables.show'> =>
  async ({ digest, parameters }) => {
    const { access, variable } = await findVariable(dependencies, digest, parameters, 'variable.read');
    return { data: variableResource(variable, access.workspace) };
  };
