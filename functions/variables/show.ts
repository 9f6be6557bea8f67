import type { Operation } from '../../shared/http/operation.ts';
import { variableResource } from '../../shared/resources/variables/response.ts';
import { findVariable } from './find.ts';
import type { VariableServices } from './services.ts';

/** `GET /workspaces/:workspace_id/vars/:variable_id` (VAR-6). */
export const showVariable =
  (services: VariableServices): Operation<'workspace-variables.show'> =>
  async ({ digest, parameters }) => {
    const { access, variable } = await findVariable(services, digest, parameters, 'variable.read');
    return { data: variableResource(variable, access.workspace) };
  };
