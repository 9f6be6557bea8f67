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
  teamsQuery,
} from '../../api/team-access.ts';
import { ActionDialog } from '../../components/action-dialog.tsx';
import { Button } from '../../components/button.tsx';
import { useDialogAction } from '../../components/confirm-dialog.tsx';
import { Curl } from '../../components/curl.tsx';
import { DataTable } from '../../components/data-table.tsx';
import { EmptyState } from '../../components/empty-state.tsx';
import { SelectField, TextField } from '../../components/form.tsx';
import { Loaded } from '../../components/loaded.tsx';
import { Notice } from '../../components/notice.tsx';
import { Section } from '../../components/page.tsx';
import { Pages } from '../../components/pages.tsx';
import { missingPermission } from '../../lib/permissions.ts';
import { useDebounced } from '../../lib/use-debounced.ts';
import { useWorkspace } from './use-workspace.ts';

const levels = [
  { value: 'read', label: 'Read' },
  { value: 'plan', label: 'Plan: read and create plans' },
  { value: 'write', label: 'Write: plan, apply, lock, change variables' },
  { value: 'admin', label: 'Admin: everything' },
] as const;

type Grantable = (typeof levels)[number]['value'];

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
  const { workspace } = useWorkspace();
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
      {isAdding && <AddDialog onClose={() => setAdding(false)} />}
      {changed !== undefined && <ChangeDialog {...changed} onClose={() => setChanged(undefined)} />}
      {removed !== undefined && <RemoveDialog {...removed} onClose={() => setRemoved(undefined)} />}
    </Section>
  );
};

const useAccessAction = (message: string, onClose: () => void) =>
  useDialogAction({ invalidates: ['/team-workspaces'], message, onClose });

const AddDialog = ({ onClose }: { readonly onClose: () => void }) => {
  const { organization, name, workspace } = useWorkspace();
  const [team, setTeam] = useState('');
  const [access, setAccess] = useState<Grantable>('read');
  const found = useQuery(teamsQuery(organization, useDebounced(team)));
  const teams = found.data?.document.data ?? [];
  const chosen = teams.find(({ attributes }) => attributes.name === team.trim());
  const action = useAccessAction(`${team} has access to ${name} now.`, onClose);
  return (
    <ActionDialog
      title="Add a team"
      submitLabel="Add"
      action={action}
      request={addTeamAccess(workspace.id, chosen?.id ?? '', access)}
      fields={['team', 'access']}
      disabledReason={chosen === undefined ? 'Type the name of a team that you can see.' : undefined}
      onClose={onClose}
    >
      <TextField
        name="team"
        label="Team"
        value={team}
        onChange={setTeam}
        suggestions={teams.map(({ attributes }) => attributes.name)}
        autoFocus
      />
      <SelectField name="access" label="Access" value={access} options={levels} onChange={setAccess} />
    </ActionDialog>
  );
};

type DialogProps = NamedAccess & { readonly onClose: () => void };

const ChangeDialog = ({ access, team, onClose }: DialogProps) => {
  const [level, setLevel] = useState<AccessLevel>(access.attributes.access);
  const action = useAccessAction(`Changed the access of ${team}.`, onClose);
  const options = level === 'custom' ? [{ value: 'custom' as const, label: 'Custom' }, ...levels] : levels;
  return (
    <ActionDialog
      title={`Change the access of ${team}`}
      submitLabel="Change"
      action={action}
      request={changeTeamAccess(access.id, level)}
      fields={['access']}
      onClose={onClose}
    >
      <SelectField<AccessLevel> name="access" label="Access" value={level} options={options} onChange={setLevel} />
    </ActionDialog>
  );
};

const RemoveDialog = ({ access, team, onClose }: DialogProps) => {
  const { name } = useWorkspace();
  const action = useAccessAction(`Removed the access of ${team}.`, onClose);
  return (
    <ActionDialog
      title={`Remove the access of ${team}`}
      description={`Its members can use ${name} only through other rights from then on.`}
      submitLabel="Remove"
      isDangerous
      action={action}
      request={removeTeamAccess(access.id)}
      onClose={onClose}
    />
  );
};
