import { useQuery } from '@tanstack/react-query';
import { getRouteApi } from '@tanstack/react-router';
import { lazy, Suspense, useCallback, useMemo, useState } from 'react';
import { useMissingCreation } from '../../api/organizations.ts';
import { anyWorkspaceQuery, listWorkspaces } from '../../api/workspaces.ts';
import { Button } from '../../components/button.tsx';
import { EmptyState } from '../../components/empty-state.tsx';
import { ListMenu } from '../../components/list-menu.tsx';
import { Loaded, Skeleton } from '../../components/loaded.tsx';
import { PageTitle } from '../../components/page.tsx';
import { toVisible } from '../../components/visible-text.tsx';
import { timeZone } from '../../lib/format-time.ts';
import { withoutInvisible } from '../../lib/invisible.ts';
import { timeFormat } from '../../lib/preferences.ts';
import { useStore } from '../../lib/store.ts';
import { useAddressedDialog } from '../../lib/use-addressed-dialog.ts';
import { useMediaQuery } from '../../lib/use-media-query.ts';
import { formatCount } from '../../lib/words.ts';
import { workspaceColumns } from '../../lib/workspace-columns.ts';
import './workspaces-page.css';
import { Filters } from './filters.tsx';
import { filterNames, splitList, toListQuery, type WorkspaceSearch, withFilter, withTag } from './search.ts';
import { emptySelection, type Selection, selectionSize } from './selection.ts';
import { useFirstPage } from './use-rows.ts';
import { useUnused } from './use-unused.ts';
import { WorkspaceTable } from './workspace-table.tsx';

const BulkBar = lazy(() => import('./bulk-bar.tsx').then(({ BulkBar }) => ({ default: BulkBar })));
const FirstSteps = lazy(() => import('./first-steps.tsx').then(({ FirstSteps }) => ({ default: FirstSteps })));
const CreateDialog = lazy(() => import('./create-dialog.tsx').then(({ CreateDialog }) => ({ default: CreateDialog })));

const route = getRouteApi('/signed-in/$organization/workspaces');

/** Lists the workspaces of an organization. Filters, order and the search are in the URL. */
export const WorkspacesPage = () => {
  const { organization } = route.useParams();
  const search = route.useSearch();
  const navigate = route.useNavigate();
  const query = useMemo(() => toListQuery(search), [search]);
  const first = useFirstPage(organization, query);
  // A selection is of what the user sees: it ends with the query, also if a filter applies just after a click.
  const [selected, setSelected] = useState({ query, selection: emptySelection });
  const selection = selected.query === query ? selected.selection : emptySelection;
  const select = (update: (former: Selection) => Selection) => {
    if (first.isPlaceholderData) return;
    setSelected((former) => ({
      query,
      selection: update(former.query === query ? former.selection : emptySelection),
    }));
  };
  const [isCreating, setCreating] = useState(false);
  const missing = useMissingCreation(organization);
  useAddressedDialog(['new'], () => setCreating(missing === undefined));
  const isNarrow = useMediaQuery('(width < 480px)');
  const areTimesExact = useStore(timeFormat) === 'exact';

  const change = useCallback(
    (changes: { readonly [N in keyof WorkspaceSearch]?: string }) => {
      navigate({ search: (former) => withFilter(former, changes), replace: true });
    },
    [navigate],
  );
  const isFiltered = filterNames.some((name) => search[name] !== undefined);
  // When the last filter is removed, the former result stays until the next one is there.
  const isEmpty = first.data?.total === 0 && !isFiltered && !first.isPlaceholderData;
  // The first steps stay until the first state is there, or the user hides them.
  const [begun, setBegun] = useState<string>();
  if (isEmpty && missing === undefined && begun !== organization) setBegun(organization);

  return (
    <div className="page workspaces-page">
      <PageTitle title={`Workspaces of ${organization}`} />
      <header className="page-header">
        <div className="cluster">
          <h1>Workspaces</h1>
          <span className="muted" role="status">
            {first.data !== undefined && `${first.data.total.toLocaleString()}${isFiltered ? ' found' : ''}`}
          </span>
          {areTimesExact && <span className="muted">· Times in {timeZone()}</span>}
        </div>
        <div className="cluster">
          {!isEmpty && (
            <ListMenu title="Workspaces" request={listWorkspaces(organization, query, 1)} columns={workspaceColumns} />
          )}
          <Button
            look="primary"
            icon="plus"
            aria-label="New workspace"
            disabledReason={missing}
            onClick={() => setCreating(true)}
          >
            {isNarrow ? 'New' : 'New workspace'}
          </Button>
        </div>
      </header>
      {!isEmpty && (
        <Filters
          organization={organization}
          search={search}
          statusCounts={first.data?.statusCounts ?? {}}
          rows={first.data?.rows ?? []}
          onChange={change}
        />
      )}
      <div className="workspaces-found">
        <Suspense fallback={<Skeleton lines={12} />}>
          {begun === organization && <FirstSteps organization={organization} onClose={() => setBegun(undefined)} />}
        </Suspense>
        <Loaded query={first} lines={12}>
          {(page) =>
            page.total === 0 ? (
              isEmpty ? (
                begun !== organization && (
                  <EmptyState title="There are no workspaces yet">
                    <p className="muted">You see only workspaces that you may read.</p>
                  </EmptyState>
                )
              ) : (
                <NoMatch
                  organization={organization}
                  search={search}
                  onChange={change}
                  onRemove={() => change(Object.fromEntries(filterNames.map((name) => [name, ''])))}
                />
              )
            ) : (
              <WorkspaceTable
                organization={organization}
                query={query}
                first={page}
                sort={search.sort ?? 'name'}
                isStale={first.isPlaceholderData}
                selection={selection}
                onSelect={select}
                onChange={change}
              />
            )
          }
        </Loaded>
        <Suspense>
          {first.data !== undefined && selectionSize(selection, first.data.total) > 0 && (
            <BulkBar
              organization={organization}
              query={query}
              total={first.data.total}
              selection={selection}
              onSelect={(next) => select(() => next)}
            />
          )}
        </Suspense>
      </div>
      <Suspense>
        {isCreating && <CreateDialog organization={organization} onClose={() => setCreating(false)} />}
      </Suspense>
    </div>
  );
};

/** Says that nothing matches the filters, and which of their tags and versions no workspace has. */
const NoMatch = ({
  organization,
  search: { name, ...search },
  onChange,
  onRemove,
}: {
  readonly organization: string;
  readonly search: WorkspaceSearch;
  readonly onChange: (changes: WorkspaceSearch) => void;
  readonly onRemove: () => void;
}) => {
  const byTag = withTag(search, name ?? '');
  const tagged = useQuery({
    ...anyWorkspaceQuery(organization, toListQuery(byTag)),
    // A comma separates the tags of the filter.
    enabled: name !== undefined && !name.includes(','),
  });
  const taggedCount = tagged.data?.document.meta.pagination['total-count'] ?? 0;
  const unused = useUnused(organization, [
    ...splitList(search.tags).map((tags) => ({ tags })),
    ...(search.version === undefined ? [] : [{ version: search.version }]),
  ]);
  return (
    <EmptyState
      title={name === undefined ? 'No workspace matches' : `No workspace matches “${withoutInvisible(name)}”`}
      action={
        <Button onClick={onRemove}>
          {filterNames.some((filter) => filter !== 'name' && search[filter] !== undefined)
            ? 'Clear filters'
            : 'Clear the search'}
        </Button>
      }
    >
      {unused.map((sentence) => (
        <p key={sentence}>{toVisible(sentence)}</p>
      ))}
      {name !== undefined && taggedCount > 0 && (
        <p>
          <Button onClick={() => onChange({ ...byTag, name: '' })}>
            Show {formatCount(taggedCount, 'workspace')} with the tag {toVisible(name)}
          </Button>
        </p>
      )}
    </EmptyState>
  );
};
