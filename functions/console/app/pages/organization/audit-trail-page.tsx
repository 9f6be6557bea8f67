import { useInfiniteQuery, useQuery } from '@tanstack/react-query';
import { getRouteApi } from '@tanstack/react-router';
import { listAllWorkspaces } from '../../api/consumers.ts';
import { auditTrailQuery, listAuditTrail } from '../../api/history.ts';
import { apiQuery } from '../../api/query-client.ts';
import { Curl } from '../../components/curl.tsx';
import { Page } from '../../components/page.tsx';
import { isFiltered, toHistoryFilter } from '../../lib/history-search.ts';
import { useDebounced } from '../../lib/use-debounced.ts';
import { toWords } from '../../lib/words.ts';
import { HistoryFilters } from '../history-filters.tsx';
import { HistoryList, mentionsId } from '../history-list.tsx';

const route = getRouteApi('/signed-in/$organization/audit-trail');

/** Changes to choose from, by what changes. Those of a workspace are the ones that concern others; its history has all. */
const changes: Readonly<Record<string, readonly string[]>> = {
  organization: [
    ...['created', 'updated', 'deleted', 'retention-policy-changed'],
    ...['reserved-tag-key-created', 'reserved-tag-key-updated', 'reserved-tag-key-deleted'],
  ],
  project: ['created', 'updated', 'access-changed', 'deleted'],
  team: ['created', 'updated', 'deleted'],
  'team-membership': ['created', 'deleted'],
  'organization-membership': ['created', 'deleted'],
  token: ['created', 'first-used', 'revoked'],
  request: ['refused'],
  'variable-set': [
    ...['created', 'updated', 'deleted', 'assignments-changed'],
    ...['variable-created', 'variable-updated', 'variable-deleted', 'variable-verified'],
  ],
  'agent-pool': ['created', 'updated', 'deleted'],
  'ssh-key': ['created', 'updated', 'deleted'],
  'vcs-connection': ['created', 'updated', 'deleted'],
  'app-installation': ['created', 'updated', 'deleted'],
  workspace: [
    ...['created', 'updated', 'moved', 'access-changed', 'locked', 'unlocked', 'force-unlocked'],
    ...['deleted', 'restored', 'purged'],
  ],
};
const actions = Object.entries(changes)
  .flatMap(([resource, names]) => names.map((name) => `${resource}.${name}`))
  .map((action) => ({ value: action, label: toWords(action) }));

/** Shows all changes of an organization and of everything in it. */
export const AuditTrailPage = () => {
  const { organization } = route.useParams();
  const search = route.useSearch();
  const navigate = route.useNavigate();
  const filter = toHistoryFilter(useDebounced(search));
  const trail = useInfiniteQuery(auditTrailQuery(organization, filter));
  // Names of consumers and of workspaces that variable sets are assigned to.
  const workspaces = useQuery({
    ...apiQuery(listAllWorkspaces(organization, 1, 100)),
    enabled: mentionsId(trail, 'ws'),
  });
  return (
    <Page title="Audit trail" actions={<Curl requests={[listAuditTrail(organization, filter)]} />}>
      <div className="section">
        <HistoryFilters
          organization={organization}
          search={search}
          actions={actions}
          history={trail}
          onChange={(changed) => navigate({ search: changed, replace: true })}
        />
        <HistoryList
          organization={organization}
          history={trail}
          known={workspaces.data?.document.data ?? []}
          areResourcesShown
          onRemoveFilters={isFiltered(search) ? () => navigate({ search: {}, replace: true }) : undefined}
        />
      </div>
    </Page>
  );
};
