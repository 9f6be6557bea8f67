import { useInfiniteQuery, useQuery } from '@tanstack/react-query';
import { getRouteApi } from '@tanstack/react-router';
import { isNotFound } from '../../../../../shared/client/errors.ts';
import { listAuditTrail } from '../../../../../shared/client/history.ts';
import { listAllWorkspaces } from '../../../../../shared/client/workspaces.ts';
import { auditTrailQuery } from '../../api/history.ts';
import { apiQuery } from '../../api/query-client.ts';
import { ListMenu } from '../../components/list-menu.tsx';
import { Page } from '../../components/page.tsx';
import { trailActions, trailPresets } from '../../lib/history-actions.ts';
import { containing, historyColumns } from '../../lib/history-columns.ts';
import { isFiltered, toHistoryFilter } from '../../lib/history-search.ts';
import { useDebounced } from '../../lib/use-debounced.ts';
import { HistoryFilters } from '../history-filters.tsx';
import { HistoryList, mentionsId } from '../history-list.tsx';

const route = getRouteApi('/signed-in/$organization/audit-trail');

/** Shows all changes of an organization and of everything in it. */
export const AuditTrailPage = () => {
  const { organization } = route.useParams();
  const search = route.useSearch();
  const navigate = route.useNavigate();
  const settled = useDebounced(search);
  const filter = toHistoryFilter(settled);
  const trail = useInfiniteQuery(auditTrailQuery(organization, filter, settled.text));
  const isConcealed = isNotFound(trail.error);
  // Names of consumers and of workspaces that variable sets are assigned to.
  const workspaces = useQuery({
    ...apiQuery(listAllWorkspaces(organization, 1, 100)),
    enabled: mentionsId(trail, 'ws'),
  });
  return (
    <Page
      title="Audit trail"
      actions={
        isConcealed ? undefined : (
          <ListMenu
            title="Audit trail"
            request={listAuditTrail(organization, filter)}
            columns={historyColumns}
            isShown={containing(settled.text)}
          />
        )
      }
    >
      {isConcealed ? (
        <p className="muted">Only owners and teams with the right to read the audit trail see it.</p>
      ) : (
        <div className="section">
          <HistoryFilters
            organization={organization}
            search={search}
            actions={trailActions}
            presets={trailPresets}
            history={trail}
            onChange={(changed) => navigate({ search: changed, replace: true })}
          />
          <HistoryList
            key={JSON.stringify(settled)}
            organization={organization}
            history={trail}
            known={workspaces.data?.document.data ?? []}
            areResourcesShown
            onRemoveFilters={isFiltered(search) ? () => navigate({ search: {}, replace: true }) : undefined}
          />
        </div>
      )}
    </Page>
  );
};
