import { useInfiniteQuery } from '@tanstack/react-query';
import { getRouteApi } from '@tanstack/react-router';
import { auditTrailQuery, listAuditTrail } from '../../api/history.ts';
import { Curl } from '../../components/curl.tsx';
import { Page } from '../../components/page.tsx';
import { toHistoryFilter } from '../../lib/history-search.ts';
import { useDebounced } from '../../lib/use-debounced.ts';
import { HistoryFilters } from '../history-filters.tsx';
import { HistoryList } from '../history-list.tsx';

const route = getRouteApi('/signed-in/$organization/audit-trail');

const actions = [
  'organization.updated',
  'project.created',
  'project.updated',
  'project.access-changed',
  'project.deleted',
  'team.created',
  'team.updated',
  'team.deleted',
  'team-membership.created',
  'team-membership.deleted',
  'organization-membership.created',
  'organization-membership.deleted',
  'token.created',
  'token.first-used',
  'request.refused',
  'token.revoked',
  'variable-set.created',
  'variable-set.updated',
  'variable-set.deleted',
  'variable-set.assignments-changed',
  'agent-pool.created',
  'agent-pool.deleted',
  'ssh-key.created',
  'ssh-key.deleted',
  'vcs-connection.created',
  'vcs-connection.deleted',
  'workspace.created',
  'workspace.updated',
  'workspace.force-unlocked',
  'workspace.deleted',
  'workspace.restored',
  'workspace.purged',
];

/** Shows all changes of an organization and of everything in it. */
export const AuditTrailPage = () => {
  const { organization } = route.useParams();
  const search = route.useSearch();
  const navigate = route.useNavigate();
  const filter = toHistoryFilter(useDebounced(search));
  const trail = useInfiniteQuery(auditTrailQuery(organization, filter));
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
        <HistoryList organization={organization} history={trail} areResourcesShown />
      </div>
    </Page>
  );
};
