import { useInfiniteQuery, useQuery } from '@tanstack/react-query';
import { getRouteApi, Link } from '@tanstack/react-router';
import { listConsumers } from '../../../../../shared/client/consumers.ts';
import { firstIncluded } from '../../../../../shared/client/documents.ts';
import { listHistory } from '../../../../../shared/client/history.ts';
import { historyQuery } from '../../api/history.ts';
import { apiQuery } from '../../api/query-client.ts';
import { listRuns } from '../../api/runs.ts';
import { ListMenu } from '../../components/list-menu.tsx';
import { Section } from '../../components/page.tsx';
import { variableSetActions, workspaceActions, workspacePresets } from '../../lib/history-actions.ts';
import { containing, historyColumns } from '../../lib/history-columns.ts';
import { isFiltered, toHistoryFilter } from '../../lib/history-search.ts';
import { useDebounced } from '../../lib/use-debounced.ts';
import { HistoryFilters } from '../history-filters.tsx';
import { HistoryList, mentionsId } from '../history-list.tsx';
import { useWorkspace } from './use-workspace.ts';

const route = getRouteApi('/signed-in/$organization/workspaces/$workspace/history');

/** Shows all changes of a workspace with their old and new values. */
export const HistoryPage = () => {
  const { organization, workspace, document } = useWorkspace();
  const project = firstIncluded(document, 'projects');
  const search = route.useSearch();
  const navigate = route.useNavigate();
  const settled = useDebounced(search);
  const filter = toHistoryFilter(settled);
  const history = useInfiniteQuery(historyQuery(workspace.id, filter, settled.text));
  const consumers = useQuery({
    ...apiQuery(listConsumers(workspace.id, 1, 100)),
    enabled: mentionsId(history, 'ws'),
  });
  const runs = useQuery({
    ...apiQuery(listRuns(workspace.id, { group: '', search: '' }, 1)),
    enabled: workspace.attributes.permissions['can-read-run'] && mentionsId(history, 'run'),
  });
  const known = [
    ...(project === undefined ? [] : [project]),
    ...(consumers.data?.document.data ?? []),
    ...(runs.data?.document.data ?? []).map(({ id, attributes }) => ({
      id,
      attributes: { name: attributes.message || id },
    })),
  ];
  return (
    <Section
      title="History"
      description={
        <>
          Changes to variable sets, including those that apply to this workspace, are in the{' '}
          <Link to="/$organization/audit-trail" params={{ organization }} search={{ action: variableSetActions }}>
            audit trail
          </Link>
          .
        </>
      }
      actions={
        <ListMenu
          title="History"
          request={listHistory(workspace.id, filter)}
          columns={historyColumns}
          isShown={containing(settled.text)}
        />
      }
    >
      <HistoryFilters
        organization={organization}
        search={search}
        actions={workspaceActions}
        presets={workspacePresets}
        history={history}
        onChange={(changed) => navigate({ search: changed, replace: true })}
      />
      <HistoryList
        key={JSON.stringify(settled)}
        organization={organization}
        history={history}
        known={known}
        onRemoveFilters={isFiltered(search) ? () => navigate({ search: {}, replace: true }) : undefined}
      />
    </Section>
  );
};
