import { useQuery } from '@tanstack/react-query';
import { getRouteApi, Link, Navigate } from '@tanstack/react-router';
import { organizationsQuery } from '../api/organizations.ts';
import { DataTable } from '../components/data-table.tsx';
import { EmptyState } from '../components/empty-state.tsx';
import { Loaded } from '../components/loaded.tsx';
import { Page } from '../components/page.tsx';
import { Time } from '../components/time.tsx';

const route = getRouteApi('/signed-in/');

/** Lists the organizations of the caller. With exactly one, it is opened at once. */
export const OrganizationsPage = () => {
  const { all } = route.useSearch();
  const query = useQuery(organizationsQuery());
  const list = query.data?.document.data;
  const only = list?.length === 1 ? list[0] : undefined;
  if (only !== undefined && all === undefined) {
    return <Navigate to="/$organization/workspaces" params={{ organization: only.id }} replace />;
  }
  return (
    <Page title="Organizations">
      <Loaded query={query}>
        {({ document: { data } }) =>
          data.length === 0 ? (
            <EmptyState title="You belong to no organization yet">
              <p>
                An owner can invite you, or the person who operates this service can create an organization for you.
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
    </Page>
  );
};
