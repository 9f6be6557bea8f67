import { authorizeOrganization } from '../../shared/access/authorize/organization.ts';
import { canRead, effectiveRights } from '../../shared/access/rights.ts';
import { DomainError } from '../../shared/domain/errors.ts';
import type { Operation } from '../../shared/http/operation.ts';
import { paginate, rangeOf, readPage } from '../../shared/jsonapi/pagination.ts';
import { projectResource } from '../../shared/resources/projects/response.ts';
import type { ProjectDependencies } from './dependencies.ts';

const directions = { name: 1, '-name': -1 } as const;

const readDirection = (query: URLSearchParams): 1 | -1 => {
  const sort = query.get('sort') || 'name';
  if (Object.hasOwn(directions, sort)) return directions[sort as keyof typeof directions];
  throw new DomainError('bad-request', `sort must be one of: ${Object.keys(directions).join(', ')}`, {
    source: { parameter: 'sort' },
  });
};

/** `GET /organizations/:organization_name/projects` */
export const listProjects =
  ({ store }: ProjectDependencies): Operation<'projects.list'> =>
  async ({ digest, parameters: { organization_name: name }, query, url }) => {
    const [page, sign] = [readPage(query), readDirection(query)];
    const text = (query.get('q') ?? '').toLowerCase();
    const names = new Set((query.get('filter[names]') ?? '').split(',').filter(Boolean));
    const [{ caller, organization }] = await Promise.all([
      authorizeOrganization(store, digest, { organization: name }),
      store.listIndexes.refresh(name),
    ]);
    const listIndex = await store.listIndexes.open(organization);
    const choose = () =>
      listIndex
        .projects()
        .filter(
          (row) =>
            canRead(effectiveRights(caller, organization, row)) &&
            row.name.toLowerCase().includes(text) &&
            (names.size === 0 || names.has(row.name)),
        )
        .sort((a, b) => sign * (Number(a.name > b.name) - Number(a.name < b.name)) || Number(a.id > b.id) - 1);
    const { total, projects } = await store.readProjects(listIndex, choose, rangeOf(page));
    const resources = projects.map((project) =>
      projectResource({
        project,
        organization,
        rights: effectiveRights(caller, organization, project),
        workspaceCount: listIndex.workspacesIn(project.id),
      }),
    );
    return { data: resources, ...paginate(page, total, url, query) };
  };
