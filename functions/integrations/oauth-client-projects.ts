import type { VcsConnection } from '../../shared/domain/directory/records.ts';
import { DomainError } from '../../shared/domain/errors.ts';
import { isId } from '../../shared/domain/ids.ts';
import { limits } from '../../shared/domain/limits.ts';
import type { IntegrationDependencies } from './dependencies.ts';

/**
 * Checks the projects that a request allows to use a VCS connection (VCS-6).
 * @param stored ids that the connection has. They are accepted, even if their projects are deleted.
 * @param pointer JSON pointer to the list.
 * @throws DomainError 422, pointing at the first id that does not belong to the organization.
 */
export const checkProjects = async (
  { store }: Pick<IntegrationDependencies, 'store'>,
  organization: string,
  ids: readonly string[],
  stored: readonly string[],
  pointer: string,
): Promise<void> => {
  const unknown = ids.filter((id) => !stored.includes(id));
  const find = await store.records.find(
    unknown.filter((id) => isId('project', id)).map((id) => ({ kind: 'project', id })),
    true,
  );
  const missing = unknown.find((id) => find('project', id)?.organization !== organization);
  if (missing === undefined) return;
  throw new DomainError('invalid-attribute', 'Project does not exist in this organization', {
    source: { pointer: `${pointer}/${ids.indexOf(missing)}/id` },
  });
};

/**
 * Returns projects and those that are added, without duplicates.
 * @throws DomainError 422 if they are too many.
 */
export const withProjects = (projects: readonly string[], added: readonly string[]): readonly string[] => {
  const all = [...new Set([...projects, ...added])];
  if (all.length <= limits.vcsConnectionProjects) return all;
  const detail = `A VCS connection can have at most ${limits.vcsConnectionProjects} projects.`;
  throw new DomainError('unprocessable', detail);
};

/**
 * Reads the projects of a connection in a body (VCS-6).
 * @param before the stored connection.
 * @returns the projects that the body sets; nothing if it omits the list or has null.
 * @throws DomainError 422 for a project that does not belong to the organization.
 */
export const readProjects = async (
  dependencies: Pick<IntegrationDependencies, 'store'>,
  organization: string,
  relationship: { readonly data?: readonly { readonly id: string }[] | null } | null | undefined,
  before: Pick<VcsConnection, 'projects'> = {},
): Promise<Pick<VcsConnection, 'projects'>> => {
  const ids = relationship?.data?.map(({ id }) => id);
  if (ids === undefined) return {};
  await checkProjects(dependencies, organization, ids, before.projects ?? [], '/data/relationships/projects/data');
  return { projects: withProjects([], ids) };
};
