import { authorizeRecord } from '../../shared/access/authorize/record.ts';
import { requireOrganizationPermission } from '../../shared/access/organization-policy.ts';
import { DomainError } from '../../shared/domain/errors.ts';
import { parseTimestamp } from '../../shared/domain/timestamps.ts';
import type { Operations } from '../../shared/http/operation.ts';
import { paginate, readPage } from '../../shared/jsonapi/pagination.ts';
import { readSort } from '../../shared/jsonapi/sort.ts';
import type { IntegrationDependencies } from './dependencies.ts';

const PING = 'filter[last-ping-since]';

/** @throws DomainError 400 for a filter that is not a time. */
const checkPingFilter = (query: URLSearchParams): void => {
  const text = query.get(PING);
  if (!text || parseTimestamp(text) !== undefined) return;
  throw new DomainError('bad-request', `${PING} must be a timestamp such as 2027-01-31T08:00:00Z`, {
    source: { parameter: PING },
  });
};

/** Operations on agents. The list is always empty, because no agent connects (POOL-8). */
export const agentOperations = {
  'agents.list': async ({ digest, parameters: { agent_pool_id: id }, query, url }, { store, directory }) => {
    const page = readPage(query);
    readSort(query, ['created-at']);
    checkPingFilter(query);
    await authorizeRecord(
      store,
      digest,
      (consistent) => directory.records.findById('agentPool', id, consistent),
      (access) => requireOrganizationPermission(access, 'shared-record.read'),
    );
    return { data: [], ...paginate(page, 0, url, query) };
  },
} satisfies Partial<Operations<'integrations', IntegrationDependencies>>;
