import { useQuery } from '@tanstack/react-query';
import { getRouteApi, Link } from '@tanstack/react-router';
import { useState } from 'react';
import { listWorkspaces, type WorkspaceRow, workspacePageQuery } from '../../api/workspaces.ts';
import { DataTable } from '../../components/data-table.tsx';
import { EmptyState } from '../../components/empty-state.tsx';
import { ListMenu } from '../../components/list-menu.tsx';
import { Loaded } from '../../components/loaded.tsx';
import { Count, Page } from '../../components/page.tsx';
import { Pages } from '../../components/pages.tsx';
import { HolderLink, ResourceLink } from '../../components/resource-link.tsx';
import { Time } from '../../components/time.tsx';
import { toVisible } from '../../components/visible-text.tsx';
import { workspaceColumns } from '../../lib/workspace-columns.ts';
import { ForceUnlockDialog, UnlockButtons, useLockHolders } from '../workspace/lock-card.tsx';

const route = getRouteApi('/signed-in/$organization/locks');

const query = { 'filter[locked]': true, sort: 'locked-at' } as const;

/** Lists all locks of an organization, the oldest first, and releases them. */
export const LocksPage = () => {
  const { organization } = route.useParams();
  const [page, setPage] = useState(1);
  const locks = useQuery(workspacePageQuery(organization, query, page));
  const holderOf = useLockHolders();
  const [released, setReleased] = useState<WorkspaceRow>();
  return (
    <Page
      title="Locks"
      aside={<Count total={locks.data?.total} />}
      actions={
        <>
          {locks.data !== undefined && locks.data.total > 0 && (
            <Link
              to="/$organization/workspaces"
              params={{ organization }}
              search={{ locked: 'true', sort: 'locked-at' }}
              className="button button-quiet"
            >
              Show in the list of workspaces
            </Link>
          )}
          <ListMenu title="Locks" request={listWorkspaces(organization, query, page)} columns={workspaceColumns} />
        </>
      }
    >
      <Loaded query={locks}>
        {({ rows, total }) =>
          total === 0 ? (
            <EmptyState title="No workspace is locked">
              <p className="muted">
                While a workspace is locked, only the holder of the lock can change its state. Each run of terraform
                locks it. You can lock it on its overview, or several in the list of workspaces.
              </p>
            </EmptyState>
          ) : (
            <>
              <DataTable
                label="Locks"
                rows={rows}
                rowKey={({ workspace }) => workspace.id}
                columns={[
                  {
                    name: 'Workspace',
                    cell: ({ workspace: { attributes }, project }) => (
                      <>
                        <Link
                          to="/$organization/workspaces/$workspace"
                          params={{ organization, workspace: attributes.name }}
                        >
                          {attributes.name}
                        </Link>
                        {project !== undefined && (
                          <div className="muted">
                            <ResourceLink type="projects" id={project.id} name={project.attributes.name} />
                          </div>
                        )}
                      </>
                    ),
                  },
                  {
                    name: 'Holder',
                    cell: ({ workspace, lockedBy }) => (
                      <HolderLink workspace={workspace} {...holderOf(workspace, lockedBy)} />
                    ),
                  },
                  {
                    name: 'Since',
                    cell: ({ workspace: { attributes } }) =>
                      attributes['locked-at'] !== null && <Time value={attributes['locked-at']} />,
                  },
                  {
                    name: 'Reason',
                    cell: ({ workspace: { attributes } }) =>
                      attributes['locked-reason'] ? (
                        <span className="sentence">{toVisible(attributes['locked-reason'])}</span>
                      ) : null,
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
                        <UnlockButtons
                          organization={organization}
                          workspace={row.workspace}
                          holding={holderOf(row.workspace).holding}
                          onForceUnlock={() => setReleased(row)}
                          isInList
                        />
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
          workspace={released.workspace}
          holder={holderOf(released.workspace, released.lockedBy)}
          onClose={() => setReleased(undefined)}
        />
      )}
    </Page>
  );
};
