import { requireMatch } from '../../shared/domain/changes/entity-tags.ts';
import { DomainError } from '../../shared/domain/errors.ts';
import { isChangedBy } from '../../shared/domain/transitions/relationships/change-variables.ts';
import { requireAllowedReference } from '../../shared/domain/workspace/value-reference.ts';
import { asRevised, changeVariable, isNewReference } from '../../shared/domain/workspace/variable.ts';
import type { OperationRequest } from '../../shared/http/operation.ts';
import type { Document } from '../../shared/jsonapi/document.ts';
import { versionId } from '../../shared/lib/random.ts';
import { variableRequest } from '../../shared/resources/variables/request-mapping.ts';
import { type VariablePaths, variableResource } from '../../shared/resources/variables/response.ts';
import { encryptContent } from './content.ts';
import type { VariableDependencies } from './dependencies.ts';
import { findVariable, type VariableParameters } from './find.ts';
import { retryChangedVariable } from './retry-changed-variable.ts';

type UpdateRequest = Pick<OperationRequest<'variables.update'>, 'contextFor' | 'digest' | 'body'> & {
  readonly parameters: VariableParameters;
};

/** `PATCH /vars/:variable_id` and `/workspaces/:workspace_id/vars/:variable_id` (VAR-5): an omitted attribute keeps its value. */
export const updateVariable =
  (dependencies: VariableDependencies, paths: VariablePaths) =>
  async ({ contextFor, digest, parameters, body: { data } }: UpdateRequest): Promise<Document> => {
    const { store } = dependencies;
    const given = variableRequest(data.attributes ?? {});
    return retryChangedVariable(async () => {
      const { access, variable } = await findVariable({ store }, digest, parameters, 'variable.update');
      if (data.id && data.id !== variable.id) {
        throw new DomainError('unprocessable', "Id does not match the path's variable", {
          source: { pointer: '/data/id' },
        });
      }
      const { caller, workspace, organization, project } = access;
      const request = contextFor(caller);
      if (isChangedBy(request, workspace.change, variable.id)) {
        return { data: variableResource(variable, workspace, paths) };
      }
      requireMatch(request.precondition, asRevised(variable));
      if (isNewReference(variable, given)) requireAllowedReference(given.reference, organization, project);
      const changed = await encryptContent(dependencies, changeVariable(variable, given, versionId()));
      await store.variables.update(workspace, variable, changed, request);
      return { data: variableResource(changed, workspace, paths) };
    });
  };
