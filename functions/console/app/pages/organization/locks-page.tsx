import { useQuery } from '@tanstack/react-query';
import { getRouteApi, Link } from '@tanstack/react-router';
import { useState } from 'react';
import { listWorkspaces, type WorkspaceRow, workspacePageQuery } from '../../api/workspaces.ts';
import { Button } from '../../components/button.tsx';
import { Curl } from '../../components/curl.tsx';
import { DataTable } from '../../components/data-table.tsx';
import { EmptyState } from '../../components/empty-state.tsx';
import { Loaded } from '../../components/loaded.tsx';
import { Page } from '../../components/page.tsx';
import { Pages } from '../../components/pages.tsx';
import { Time } from '../../components/time.tsx';
import { missingPermission } from '../../lib/permissions.ts';
import { ForceUnlockDialog } from '../workspace/lock-card.tsx';

const route = getRouteApi('/signed-in/$organization/locks');

const query = { 'filter[locked]': true, sort: 'locked-at' } as const;

/** Lists all locks of an organization, the oldest first, and releases them. */
export const LocksPage = () => {
  const { organization } = route.useParams();
  const [page, setPage] = useState(1);
  const locks = useQuery(workspacePageQuery(organization, query, page));
  const [released, setReleased] = useState<WorkspaceRow>();
  return (
    <Page
      title="Locks"
      aside={<span className="muted">oldest first</span>}
      actions={<Curl requests={[listWorkspaces(organization, query, page)]} />}
    >
      <Loaded query={locks}>
        {({ rows, total }) =>
          total === 0 ? (
            <EmptyState title="No workspace is locked" />
          ) : (
            <>
              <DataTable
                label="Locks"
                rows={rows}
                rowKey={({ workspace }) => workspace.id}
                columns={[
                  {
                    name: 'Workspace',
                    cell: ({ workspace: { attributes } }) => (
                      <Link
                        to="/$organization/workspaces/$workspace"
                        params={{ organization, workspace: attributes.name }}
                      >
                        {attributes.name}
                      </Link>
                    ),
                  },
                  { name: 'Holder', cell: ({ lockedBy }) => lockedBy },
                  {
                    name: 'Since',
                    cell: ({ workspace: { attributes } }) =>
                      attributes['locked-at'] !== null && <Time value={attributes['locked-at']} />,
                  },
                  {
                    name: 'Reason',
                    cell: ({ workspace: { attributes } }) => attributes['locked-reason'] || 'none given',
                  },
                  {
                    name: 'Expires',
                    cell: ({ workspace: { attributes } }) =>
                      attributes['lock-expires-at'] === null ? 'never' : <Time value={attributes['lock-expires-at']} />,
                  },
                  {
                    name: 'Actions',
                    isNameHidden: true,
                    cell: (row) => (
                      <span className="row-actions">
                        <Button
                          aria-label={`Force-unlock ${row.workspace.attributes.name}`}
                          disabledReason={missingPermission(row.workspace.attributes.permissions, 'can-force-unlock')}
                          onClick={() => setReleased(row)}
                        >
                          Force-unlock
                        </Button>
                      </span>
                    ),
                  },
                ]}
              />
              <Pages page={page} pageSize={100} total={total} onChange={setPage} />
            </>
          )
        }
      </Loaded>
      {released !== undefined && (
        <ForceUnlockDialog
          organization={organization}
          document={{ data: released.workspace }}
          holder={released.lockedBy ?? 'the holder'}
          onClose={() => setReleased(undefined)}
        />
      )}
    </Page>
  );
};
