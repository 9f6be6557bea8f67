import { authorizeWorkspace } from '../../shared/access/authorize/workspace.ts';
import { DomainError } from '../../shared/domain/errors.ts';
import type { Operation } from '../../shared/http/operation.ts';
import { paginate, rangeOf, readPage } from '../../shared/jsonapi/pagination.ts';
import { now } from '../../shared/lib/clock.ts';
import { stateVersionResource } from '../../shared/resources/state-versions/response.ts';
import type { StateDependencies } from './dependencies.ts';
import { originOf } from './present.ts';

/** `GET /state-versions` (STATE-12): the state versions of one workspace, newest first. */
export const listStateVersions =
  ({ store }: StateDependencies): Operation<'state-versions.list'> =>
  async ({ digest, query, url }) => {
    const page = readPage(query);
    const range = rangeOf(page);
    const { workspace, results: versions } = await authorizeWorkspace(
      store,
      digest,
      targetOf(query),
      'state-version.read',
      (ids) => store.stateVersions.list(ids.workspace, range),
    );
    const [origin, at] = [originOf(url), now()];
    return {
      data: versions.map((version) => stateVersionResource({ version, origin, now: at })),
      ...paginate(page, workspace.stateVersions ?? 0, url, query),
    };
  };

/** Reads the filters. @throws DomainError 400 if one is missing. */
const targetOf = (query: URLSearchParams): { organization: string; name: string } => {
  const required = (parameter: string): string => {
    const value = query.get(parameter);
    if (value) return value;
    throw new DomainError('bad-request', `${parameter} is missing`, { source: { parameter } });
  };
  return { organization: required('filter[organization][name]'), name: required('filter[workspace][name]') };
};
