import { authorizeOrganization } from '../../shared/access/authorize/organization.ts';
import { canRead, effectiveRights } from '../../shared/access/rights.ts';
import type { Project } from '../../shared/domain/directory/records.ts';
import type { Operation } from '../../shared/http/operation.ts';
import { paginate, rangeOf, readPage } from '../../shared/jsonapi/pagination.ts';
import { readSort } from '../../shared/jsonapi/sort.ts';
import { readCommaValues, readTags } from '../../shared/list-index/query-values.ts';
import type { ProjectDependencies } from './dependencies.ts';
import { presentProjects } from './present.ts';

/** `GET /organizations/:organization_name/projects` */
export const listProjects =
  (dependencies: ProjectDependencies): Operation<'projects.list'> =>
  async ({ digest, parameters: { organization_name: name }, query, include, url }) => {
    const { store } = dependencies;
    const page = readPage(query);
    const { sign } = readSort(query, ['name']) ?? { sign: 1 };
    const text = (query.get('q') ?? '').toLowerCase();
    const names = new Set(readCommaValues(query, 'filter[names]').map((one) => one.toLowerCase()));
    const tags = readTags(query, 'filter[tagged]');
    const isTagged = ({ bindings }: Pick<Project, 'bindings'>): boolean =>
      tags.every((tag) => bindings.some(({ key, value }) => key === tag.key && [undefined, value].includes(tag.value)));
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
            (names.size === 0 || names.has(row.name.toLowerCase())) &&
            isTagged(row),
        )
        .sort((a, b) => sign * (Number(a.name > b.name) - Number(a.name < b.name)) || Number(a.id > b.id) - 1);
    const { total, projects } = await store.projectPages.read(listIndex, choose, rangeOf(page));
    const presented = presentProjects(dependencies, { caller, organization }, listIndex, projects, include);
    return { ...presented, ...paginate(page, total, url, query) };
  };
