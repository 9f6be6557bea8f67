import { useQuery } from '@tanstack/react-query';
import type { ReactNode } from 'react';
import {
  deleteWorkloadIdentity,
  listWorkloadIdentities,
  showWorkloadIdentity,
  type WorkloadIdentity,
} from '../../../../../shared/client/workload-identities.ts';
import { apiQuery } from '../../api/query-client.ts';
import { teamsQuery } from '../../api/team-access.ts';
import { Badge } from '../../components/badge.tsx';
import { EditDialog } from '../../components/edit-dialog.tsx';
import { Page } from '../../components/page.tsx';
import { ResourceLink } from '../../components/resource-link.tsx';
import { ResourceList } from '../../components/resource-list.tsx';
import { toVisible } from '../../components/visible-text.tsx';
import { describeCondition, platformOf, platforms } from '../../lib/pipeline-platforms.ts';
import { formatCount } from '../../lib/words.ts';
import { IdentityTokenDialog } from './identity-token-dialog.tsx';
import { PipelineDialog } from './pipeline-dialog.tsx';
import { ScopeLinks } from './scope-links.tsx';
import { useMissingPermission, useOrganizationName } from './use-organization.ts';
import { WorkloadIdentityDialog, workloadIdentityPaths } from './workload-identity-dialog.tsx';

/** Returns the platform, and the address of an issuer that does not follow from it. */
const showIssuer = ({ issuer, conditions }: WorkloadIdentity['attributes']) => {
  const platform = platforms[platformOf(issuer, conditions)];
  return (
    <div>
      {platform.label}
      {issuer !== platform.issuer && <div className="muted">{toVisible(issuer)}</div>}
    </div>
  );
};

/** Returns what the tokens of a workload identity reach. */
const reachOf = ({ relationships: { projects, workspaces } }: WorkloadIdentity): ReactNode =>
  projects === undefined || workspaces === undefined ? (
    'everything of the team'
  ) : (
    <ScopeLinks projects={projects.data} workspaces={workspaces.data} />
  );

/** Lists the workload identities of an organization, creates, changes, tests and deletes them. */
export const WorkloadIdentitiesPage = () => {
  const organization = useOrganizationName();
  const missing = useMissingPermission('can-create-team');
  const teams = useQuery(teamsQuery(organization));
  const teamOf = ({ relationships }: WorkloadIdentity): ReactNode => {
    const { id } = relationships.team.data;
    const team = teams.data?.document.data.find((one) => one.id === id);
    // Until the names are loaded, nothing is shown rather than an id that is replaced at once.
    if (team !== undefined) return <ResourceLink type="teams" id={id} name={team.attributes.name} />;
    return teams.isPending ? '' : id;
  };
  return (
    <ResourceList
      title="Workload identities"
      frame={Page}
      request={(page) => listWorkloadIdentities(organization, page)}
      nameOf={({ attributes }) => attributes.name}
      emptyTitle="There are no workload identities"
      hint="A pipeline with a workload identity stores no token. It shows the identity token of its own platform, such as GitHub Actions, and gets a short token that acts as a team."
      columns={() => ({
        name: {
          cell: ({ attributes }) => (
            <span className="cluster">
              {toVisible(attributes.name)}
              {!attributes.enabled && <Badge kind="warning">disabled</Badge>}
            </span>
          ),
        },
        issuer: { name: 'Platform', cell: ({ attributes }) => showIssuer(attributes) },
        conditions: {
          cell: ({ attributes }) => (
            <div>
              {attributes.conditions.map(describeCondition).map((text) => (
                <div key={text}>{toVisible(text)}</div>
              ))}
            </div>
          ),
        },
        Team: { cell: teamOf },
        Reach: { cell: reachOf },
        'lifetime-minutes': {
          name: 'Lifetime',
          isNumber: true,
          cell: ({ attributes }) => formatCount(attributes['lifetime-minutes'], 'minute'),
        },
        // Shown next to the name.
        enabled: false,
        audience: false,
        'created-at': false,
      })}
      add={{
        label: 'New workload identity',
        disabledReason: missing,
        dialog: (onClose) => <WorkloadIdentityDialog onClose={onClose} />,
      }}
      actions={[
        {
          label: 'Set up',
          dialog: (identity, onClose) => <PipelineDialog identity={identity} onClose={onClose} />,
        },
        {
          label: 'Test',
          dialog: (identity, onClose) => <IdentityTokenDialog identity={identity} onClose={onClose} />,
        },
        {
          label: 'Edit',
          disabledReason: () => missing,
          dialog: ({ id, attributes }, onClose) => (
            <EditDialog
              title={`Edit “${attributes.name}”`}
              query={apiQuery(showWorkloadIdentity(id))}
              onClose={onClose}
            >
              {(edited) => <WorkloadIdentityDialog edited={edited} onClose={onClose} />}
            </EditDialog>
          ),
        },
      ]}
      deletion={{
        kind: 'workload identity',
        description: 'Pipelines get no tokens any more, and tokens that they have end within seconds.',
        request: deleteWorkloadIdentity,
        invalidates: workloadIdentityPaths(organization),
        disabledReason: () => missing,
      }}
    />
  );
};
