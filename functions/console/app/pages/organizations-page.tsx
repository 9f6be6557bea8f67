import { useQuery } from '@tanstack/react-query';
import { getRouteApi, Link, Navigate } from '@tanstack/react-router';
import { useState } from 'react';
import { accountQuery, organizationsQuery } from '../api/organizations.ts';
import { Button } from '../components/button.tsx';
import { DataTable } from '../components/data-table.tsx';
import { EmptyState } from '../components/empty-state.tsx';
import { Loaded } from '../components/loaded.tsx';
import { Page } from '../components/page.tsx';
import { Time } from '../components/time.tsx';
import { missingPermission } from '../lib/permissions.ts';
import { CreateOrganizationDialog } from './create-organization-dialog.tsx';

const route = getRouteApi('/signed-in/');

/** Lists the organizations of the caller. With exactly one, it is opened at once. */
export const OrganizationsPage = () => {
  const { all } = route.useSearch();
  const [isCreating, setCreating] = useState(false);
  const query = useQuery(organizationsQuery());
  const list = query.data?.document.data;
  const only = all === undefined && list?.length === 1 ? list[0] : undefined;
  // Nothing is requested for a page that is not shown.
  const enabled = list !== undefined && only === undefined;
  const account = useQuery({ ...accountQuery(), retry: false, enabled }).data?.document.data.attributes;
  const mayCreate = missingPermission(account?.permissions ?? {}, 'can-create-organizations') === undefined;
  if (only !== undefined) {
    return <Navigate to="/$organization/workspaces" params={{ organization: only.id }} replace />;
  }
  return (
    <Page
      title="Organizations"
      actions={
        mayCreate && (
          <Button look="primary" icon="plus" onClick={() => setCreating(true)}>
            New organization
          </Button>
        )
      }
    >
      <Loaded query={query}>
        {({ document: { data } }) =>
          data.length === 0 ? (
            <EmptyState title="You belong to no organization yet">
              <p>
                {mayCreate
                  ? 'Create one here, or let an owner invite you.'
                  : 'An owner can invite you, or the person who operates this service can create an organization for you.'}
              </p>
            </EmptyState>
          ) : (
            <DataTable
              label="Organizations"
              rows={data}
              rowKey={({ id }) => id}
              columns={[
                {
                  name: 'Name',
                  cell: ({ id }) => (
                    <Link to="/$organization/workspaces" params={{ organization: id }}>
                      {id}
                    </Link>
                  ),
                },
                { name: 'E-mail', cell: ({ attributes }) => attributes.email },
                { name: 'Default execution mode', cell: ({ attributes }) => attributes['default-execution-mode'] },
                { name: 'Created', cell: ({ attributes }) => <Time value={attributes['created-at']} /> },
              ]}
            />
          )
        }
      </Loaded>
      {isCreating && <CreateOrganizationDialog email={account?.email ?? ''} onClose={() => setCreating(false)} />}
    </Page>
  );
};
