import { useQuery } from '@tanstack/react-query';
import { Link } from '@tanstack/react-router';
import { findIncluded } from '../../../../../shared/client/documents.ts';
import { apiRequest } from '../../../../../shared/client/request.ts';
import { hasState } from '../../../../../shared/client/workspaces.ts';
import { apiQuery } from '../../api/query-client.ts';
import { Badge, RunStatus } from '../../components/badge.tsx';
import { DataTable } from '../../components/data-table.tsx';
import { EmptyState } from '../../components/empty-state.tsx';
import { ListMenu } from '../../components/list-menu.tsx';
import { Loaded } from '../../components/loaded.tsx';
import { Count, Section } from '../../components/page.tsx';
import { Time } from '../../components/time.tsx';
import { toVisible } from '../../components/visible-text.tsx';
import { workspaceColumns } from '../../lib/workspace-columns.ts';

/** Number of workspaces that are shown. The list of workspaces shows all of them. */
const SHOWN = 8;

const listRecent = (organization: string, project: string) =>
  apiRequest('get', '/api/v2/organizations/{organization_name}/workspaces', {
    path: { organization_name: organization },
    query: {
      'filter[project][id]': project,
      sort: '-latest-change-at',
      include: ['current_run'],
      'page[size]': SHOWN,
    },
  });

interface ProjectWorkspacesProps {
  readonly organization: string;
  /** Id of the project. */
  readonly project: string;
}

/** Shows the workspaces of a project whose states have changed last, and leads to all of them. */
export const ProjectWorkspaces = ({ organization, project }: ProjectWorkspacesProps) => {
  const request = listRecent(organization, project);
  const workspaces = useQuery(apiQuery(request));
  const total = workspaces.data?.document.meta.pagination['total-count'] ?? 0;
  const linkToAll = (
    <Link to="/$organization/workspaces" params={{ organization }} search={{ project }} className="button button-quiet">
      {total > SHOWN ? `Show all ${total.toLocaleString()}` : 'Show in the list'}
    </Link>
  );
  return (
    <Section
      title="Workspaces"
      aside={<Count total={total} />}
      description={total > SHOWN && `The ${SHOWN} whose state has changed last.`}
      actions={
        <>
          <ListMenu title="Workspaces" request={request} columns={workspaceColumns} />
          {total > 0 && linkToAll}
        </>
      }
    >
      <Loaded query={workspaces}>
        {({ document }) =>
          document.data.length === 0 ? (
            <EmptyState title="You see no workspace in this project" />
          ) : (
            <DataTable
              label="Workspaces"
              rows={document.data}
              rowKey={({ id }) => id}
              columns={[
                {
                  name: 'Name',
                  cell: ({ attributes: { name, locked } }) => (
                    <span className="cluster">
                      <Link to="/$organization/workspaces/$workspace" params={{ organization, workspace: name }}>
                        {toVisible(name)}
                      </Link>
                      {locked && <Badge kind="warning">locked</Badge>}
                    </span>
                  ),
                },
                {
                  name: 'Current run',
                  cell: ({ attributes: { name }, relationships }) => {
                    const run = findIncluded(document, 'runs', relationships['current-run'].data);
                    return (
                      run && (
                        <Link
                          to="/$organization/workspaces/$workspace/runs/$run"
                          params={{ organization, workspace: name, run: run.id }}
                        >
                          <RunStatus status={run.attributes.status} />
                        </Link>
                      )
                    );
                  },
                },
                {
                  name: 'State changed',
                  cell: (workspace) => hasState(workspace) && <Time value={workspace.attributes['latest-change-at']} />,
                },
              ]}
            />
          )
        }
      </Loaded>
    </Section>
  );
};
