import { concealNotFound } from '../../../shared/access/conceal-not-found.ts';
import type { VariableSetAction } from '../../../shared/access/variable-set-policy.ts';
import { createResponseSizeBudget } from '../../../shared/documents/response-size-budget.ts';
import { requireMatch } from '../../../shared/domain/changes/entity-tags.ts';
import { invalid, notFound } from '../../../shared/domain/errors.ts';
import { isId } from '../../../shared/domain/ids.ts';
import { isChangedBy } from '../../../shared/domain/transitions/relationships/change-variables.ts';
import {
  asRevised,
  changeVariable,
  isNewReference,
  newVariable,
  requireAllowedReference,
  type Variable,
} from '../../../shared/domain/workspace/variable.ts';
import { preloadEncryption } from '../../../shared/encryption/encrypt.ts';
import type { Operations } from '../../../shared/http/operation.ts';
import { paginate, rangeOf, readOptionalPage, singlePage } from '../../../shared/jsonapi/pagination.ts';
import { requireSameId } from '../../../shared/jsonapi/require-same-id.ts';
import { now } from '../../../shared/lib/clock.ts';
import { newId, versionId } from '../../../shared/lib/random.ts';
import { startEarly } from '../../../shared/lib/start-early.ts';
import { variableRequest } from '../../../shared/resources/variables/request-mapping.ts';
import { setVariableResource, verificationResource } from '../../../shared/resources/variables/response.ts';
import { compareValue, encryptContent, retryChangedVariable, type VariableDependencies } from '../variables.ts';
import { findVariableSet } from './find.ts';

interface Parameters {
  readonly varset_id: string;
  readonly variable_id: string;
}

type VariableSetAccess = Awaited<ReturnType<typeof findVariableSet>>;

/**
 * Finds a variable of a variable set, for a caller who may perform the action on the variable set.
 * @throws DomainError 401; 404, including for a variable of another variable set.
 */
const find = async (
  dependencies: VariableDependencies,
  digest: string,
  { varset_id: setId, variable_id: id }: Parameters,
  action: VariableSetAction,
): Promise<{ readonly access: VariableSetAccess; readonly variable: Variable }> => {
  const { variableSets } = dependencies;
  const place = isId('variable', id) ? variableSets.findPlace(id) : Promise.resolve(undefined);
  const read = startEarly(place.then(variableSets.readVariable));
  const access = await findVariableSet(dependencies, digest, setId, action);
  const variable = await read;
  if (variable?.variableSet !== setId) throw notFound();
  return { access, variable };
};

export const setVariableOperations = {
  /** `GET /varsets/:varset_id/relationships/vars` (VARSET-8): all variables, or one page if requested. */
  'varset-variables.list': async ({ digest, parameters: { varset_id: id }, query, url }, dependencies) => {
    const page = readOptionalPage(query);
    const { record, results: variables } = await findVariableSet(dependencies, digest, id, 'variable-set.read', () =>
      dependencies.store.variables.list(id, page && rangeOf(page), createResponseSizeBudget().takeVariable),
    );
    const total = page === undefined ? variables.length : record.variables.length;
    return {
      data: variables.map((variable) => setVariableResource(variable, id)),
      ...paginate(page ?? singlePage(total), total, url, query),
    };
  },

  /** `GET /varsets/:varset_id/relationships/vars/:variable_id` (VARSET-8). */
  'varset-variables.show': async ({ digest, parameters }, dependencies) => {
    const { variable } = await find(dependencies, digest, parameters, 'variable-set.read');
    return { data: setVariableResource(variable, parameters.varset_id) };
  },

  /** `POST /varsets/:varset_id/relationships/vars` (VARSET-8). */
  'varset-variables.create': async (
    { contextFor, digest, parameters: { varset_id: variableSet }, body: { data } },
    dependencies,
  ) => {
    const given = variableRequest(data.attributes);
    if (given.sensitive) preloadEncryption();
    const access = await findVariableSet(dependencies, digest, variableSet, 'variable-set.manage');
    const { caller, organization, owners } = access;
    if (given.reference !== undefined) requireAllowedReference(given.reference, organization, ...owners);
    const request = contextFor(caller);
    const identity = { id: newId('variable', request), variableSet, createdAt: now(), version: versionId() };
    const variable = await encryptContent(dependencies, newVariable(identity, given));
    await concealNotFound(dependencies.variableSets.createVariable(variableSet, variable, request));
    return { data: setVariableResource(variable, variableSet) };
  },

  /** `PATCH /varsets/:varset_id/relationships/vars/:variable_id` (VARSET-8): an omitted attribute keeps its value. */
  'varset-variables.update': async ({ contextFor, digest, parameters, body: { data } }, dependencies) => {
    const given = variableRequest(data.attributes ?? {});
    return retryChangedVariable(async () => {
      const { access, variable } = await find(dependencies, digest, parameters, 'variable-set.manage');
      requireSameId(data.id, variable.id);
      const request = contextFor(access.caller);
      if (isChangedBy(request, access.record.change, variable.id)) {
        return { data: setVariableResource(variable, access.record.id) };
      }
      if (given.category !== undefined && given.category !== variable.category) {
        throw invalid('category', 'Category cannot be updated for a variable of a variable set');
      }
      if (isNewReference(variable, given)) {
        requireAllowedReference(given.reference, access.organization, ...access.owners);
      }
      requireMatch(request.precondition, asRevised(variable));
      const changed = await encryptContent(dependencies, changeVariable(variable, given, versionId()));
      await concealNotFound(dependencies.variableSets.updateVariable(access.record.id, variable, changed, request));
      return { data: setVariableResource(changed, access.record.id) };
    });
  },

  /** `POST /varsets/:varset_id/relationships/vars/:variable_id/actions/verify` (VAR-16). */
  'varset-variables.verify': async ({ contextFor, digest, parameters, body: { value } }, dependencies) => {
    const { access, variable } = await find(dependencies, digest, parameters, 'variable-set.manage');
    const matches = await compareValue(dependencies, access.caller, variable, value);
    const request = contextFor(access.caller);
    await concealNotFound(dependencies.variableSets.recordVerification(access.record.id, variable, matches, request));
    return { data: verificationResource(variable, matches) };
  },

  /** `DELETE /varsets/:varset_id/relationships/vars/:variable_id` (VARSET-8). */
  'varset-variables.delete': ({ contextFor, digest, parameters }, dependencies) =>
    retryChangedVariable(async () => {
      const { access, variable } = await find(dependencies, digest, parameters, 'variable-set.manage');
      const request = contextFor(access.caller);
      requireMatch(request.precondition, asRevised(variable));
      await concealNotFound(dependencies.variableSets.deleteVariable(access.record.id, variable, request));
      return undefined;
    }),
} satisfies Partial<Operations<'variables', VariableDependencies>>;
