import { useQuery } from '@tanstack/react-query';
import { useState } from 'react';
import { findIncluded } from '../../api/documents.ts';
import {
  type AccessLevel,
  addTeamAccess,
  changeTeamAccess,
  listTeamAccess,
  removeTeamAccess,
  type TeamWorkspace,
  teamAccessQuery,
} from '../../api/team-access.ts';
import { Button } from '../../components/button.tsx';
import { ConfirmDialog } from '../../components/confirm-dialog.tsx';
import { Curl } from '../../components/curl.tsx';
import { DataTable } from '../../components/data-table.tsx';
import { EmptyState } from '../../components/empty-state.tsx';
import { Loaded } from '../../components/loaded.tsx';
import { Notice } from '../../components/notice.tsx';
import { Section } from '../../components/page.tsx';
import { Pages } from '../../components/pages.tsx';
import { missingPermission } from '../../lib/permissions.ts';
import { type AccessLevels, AddTeamDialog, ChangeAccessDialog } from '../team-access-dialog.tsx';
import { useWorkspace } from './use-workspace.ts';

const levels: AccessLevels<AccessLevel> = [
  { value: 'read', label: 'Read' },
  { value: 'plan', label: 'Plan: read and create plans' },
  { value: 'write', label: 'Write: plan, apply, lock, change variables' },
  { value: 'admin', label: 'Admin: everything' },
];

/** Paths of the access of teams. */
const invalidates = ['/team-workspaces'];

/** Access of a team with its name. */
interface NamedAccess {
  readonly access: TeamWorkspace;
  readonly team: string;
}

/** Shows which teams may use a workspace directly, and changes their access. */
export const AccessPage = () => {
  const { permissions } = useWorkspace().workspace.attributes;
  const missing = missingPermission(permissions, 'can-read-settings');
  return missing === undefined ? (
    <TeamAccess />
  ) : (
    <Notice kind="info" title="You may not see the access of teams">
      <p>{missing}</p>
    </Notice>
  );
};

const TeamAccess = () => {
  const { organization, name, workspace } = useWorkspace();
  const [page, setPage] = useState(1);
  const accesses = useQuery(teamAccessQuery(workspace.id, page));
  const [isAdding, setAdding] = useState(false);
  const [changed, setChanged] = useState<NamedAccess>();
  const [removed, setRemoved] = useState<NamedAccess>();
  const reason = missingPermission(workspace.attributes.permissions, 'can-update');
  return (
    <Section
      title="Team access"
      description="Owners, and teams with rights on the project or the organization, have access in addition."
      actions={
        <>
          <Curl requests={[listTeamAccess(workspace.id, page)]} />
          <Button look="primary" icon="plus" disabledReason={reason} onClick={() => setAdding(true)}>
            Add team
          </Button>
        </>
      }
    >
      <Loaded query={accesses}>
        {({ document }) =>
          document.data.length === 0 ? (
            <EmptyState title="No team has access to this workspace alone" />
          ) : (
            <>
              <DataTable
                label="Access of teams"
                rows={document.data.map((access) => ({
                  access,
                  team:
                    findIncluded(document, 'teams', access.relationships.team.data)?.attributes.name ??
                    access.relationships.team.data.id,
                }))}
                rowKey={({ access }) => access.id}
                columns={[
                  { name: 'Team', cell: ({ team }) => team },
                  { name: 'Access', cell: ({ access }) => access.attributes.access },
                  { name: 'Runs', cell: ({ access }) => access.attributes.runs },
                  { name: 'Variables', cell: ({ access }) => access.attributes.variables },
                  { name: 'State', cell: ({ access }) => access.attributes['state-versions'] },
                  { name: 'Locking', cell: ({ access }) => (access.attributes['workspace-locking'] ? 'yes' : 'no') },
                  {
                    name: 'Actions',
                    isNameHidden: true,
                    cell: (row) => (
                      <span className="row-actions">
                        <Button
                          look="quiet"
                          aria-label={`Change the access of ${row.team}`}
                          disabledReason={reason}
                          onClick={() => setChanged(row)}
                        >
                          Change
                        </Button>
                        <Button
                          look="quiet"
                          aria-label={`Remove the access of ${row.team}`}
                          disabledReason={reason}
                          onClick={() => setRemoved(row)}
                        >
                          Remove
                        </Button>
                      </span>
                    ),
                  },
                ]}
              />
              <Pages page={page} pageSize={100} total={document.meta.pagination['total-count']} onChange={setPage} />
            </>
          )
        }
      </Loaded>
      {isAdding && (
        <AddTeamDialog
          organization={organization}
          name={name}
          levels={levels}
          request={(team, access) => addTeamAccess(workspace.id, team, access)}
          invalidates={invalidates}
          onClose={() => setAdding(false)}
        />
      )}
      {changed !== undefined && (
        <ChangeAccessDialog
          team={changed.team}
          access={changed.access.attributes.access}
          levels={levels}
          request={(access) => changeTeamAccess(changed.access.id, access)}
          invalidates={invalidates}
          onClose={() => setChanged(undefined)}
        />
      )}
      {removed !== undefined && (
        <ConfirmDialog
          title={`Remove the access of ${removed.team}`}
          description={`Its members can use ${name} only through other rights from then on.`}
          submitLabel="Remove"
          request={removeTeamAccess(removed.access.id)}
          invalidates={invalidates}
          message={`Removed the access of ${removed.team}.`}
          onClose={() => setRemoved(undefined)}
        />
      )}
    </Section>
  );
};
