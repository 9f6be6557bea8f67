import { NOWHERE } from '../../../shared/access/authorize/confirm-rejection.ts';
import { authorizeRecord, type RecordAccess } from '../../../shared/access/authorize/record.ts';
import { requireVariableSetPermission, type VariableSetAction } from '../../../shared/access/variable-set-policy.ts';
import type { Project } from '../../../shared/domain/directory/records.ts';
import { notFound } from '../../../shared/domain/errors.ts';
import { isId } from '../../../shared/domain/ids.ts';
import type { VariableSet } from '../../../shared/domain/variable-sets/variable-set.ts';
import { startEarly } from '../../../shared/lib/start-early.ts';
import type { VariableDependencies } from '../variables.ts';

/**
 * Finds a variable set by its id for a caller who may perform the action. A variable set of a deleted project does not
 * exist.
 * @param reads further reads, in parallel with the reads of the authorization; they depend on the id alone.
 * @throws DomainError 401; 404.
 */
export const findVariableSet = async <T = undefined>(
  { store, variableSets }: VariableDependencies,
  digest: string,
  id: string,
  action: VariableSetAction,
  reads?: () => Promise<T>,
): Promise<RecordAccess<VariableSet> & { readonly results: T; readonly owners: readonly (Project | undefined)[] }> => {
  let owner: Promise<Project | undefined>;
  const { checked, ...access } = await authorizeRecord(
    store,
    digest,
    async (consistent) => {
      const variableSet = isId('variableSet', id) ? await variableSets.find(id, consistent) : undefined;
      owner = startEarly(store.projects.find(variableSet?.project ?? NOWHERE.project, consistent));
      return variableSet;
    },
    async ({ caller, organization, record }) => {
      const project = await owner;
      if (record.project !== undefined && project === undefined) throw notFound();
      requireVariableSetPermission({ caller, organization, project }, action);
      return project;
    },
    isId('variableSet', id) ? reads : undefined,
  );
  return { ...access, owners: [checked] };
};
