import { useQuery } from '@tanstack/react-query';
import { useState } from 'react';
import { findIncluded } from '../../../../../shared/client/documents.ts';
import { memberName } from '../../../../../shared/client/memberships.ts';
import { addTeamMember, removeTeamMember, showTeam, type Team } from '../../../../../shared/client/teams.ts';
import { membershipsQuery } from '../../api/memberships.ts';
import { apiQuery } from '../../api/query-client.ts';
import { actionColumn } from '../../components/action-column.tsx';
import { ActionDialog } from '../../components/action-dialog.tsx';
import { Button } from '../../components/button.tsx';
import { ConfirmDialog, useDialogAction } from '../../components/confirm-dialog.tsx';
import { Curl } from '../../components/curl.tsx';
import { DataTable } from '../../components/data-table.tsx';
import { Dialog, DialogBody } from '../../components/dialog.tsx';
import { DisabledReasons } from '../../components/disabled-reasons.tsx';
import { EmptyState } from '../../components/empty-state.tsx';
import { TextField } from '../../components/form.tsx';
import { Loaded } from '../../components/loaded.tsx';
import { useDebounced } from '../../lib/use-debounced.ts';
import { useOrganizationName } from './use-organization.ts';

interface TeamDialogProps {
  readonly team: Team;
  /** Paths whose data are out of date after a change of the members. */
  readonly paths: readonly string[];
  readonly onClose: () => void;
}

interface TeamMembersDialogProps extends TeamDialogProps {
  /** Reason why the user may not change the members. */
  readonly readOnly: string | undefined;
}

interface Member {
  readonly id: string;
  readonly name: string;
}

/** Reason why the only owner cannot be removed (ORG-12). */
export const LAST_OWNER = 'An organization needs an owner. Add another user to the owners team first.';

/** Lists the members of a team, adds and removes them. */
export const TeamMembersDialog = ({ team, readOnly, paths, onClose }: TeamMembersDialogProps) => {
  const request = showTeam(team.id);
  const query = useQuery(apiQuery(request));
  const [isAdding, setAdding] = useState(false);
  const [removed, setRemoved] = useState<Member>();
  const teamName = team.attributes.name;
  const members = query.data?.document.data.relationships.users?.data;
  const kept = readOnly ?? (teamName === 'owners' && members?.length === 1 ? LAST_OWNER : undefined);
  return (
    <Dialog title={`Members of “${teamName}”`} size="medium" onClose={onClose}>
      <DialogBody>
        <div className="cluster cluster-end">
          <Curl requests={[request]} />
          <Button look="primary" icon="plus" disabledReason={readOnly} onClick={() => setAdding(true)}>
            Add member
          </Button>
        </div>
        <DisabledReasons
          actions={[
            ['Add member', readOnly],
            ['Remove', kept],
          ]}
        />
        <Loaded query={query}>
          {({ document }) => {
            const { users } = document.data.relationships;
            if (users === undefined) return <EmptyState title="You may not see the members" />;
            if (users.data.length === 0) return <EmptyState title="The team has no members" />;
            return (
              <DataTable
                label="Members"
                rows={users.data.map((user) => ({
                  id: user.id,
                  name: findIncluded(document, 'users', user)?.attributes.username ?? user.id,
                }))}
                rowKey={({ id }) => id}
                columns={[
                  { name: 'Name', cell: ({ name }) => name },
                  actionColumn(
                    ({ name }: Member) => name,
                    [{ label: 'Remove', isDangerous: true, disabledReason: () => kept, onClick: setRemoved }],
                  ),
                ]}
              />
            );
          }}
        </Loaded>
        {isAdding && <AddMemberDialog team={team} paths={paths} onClose={() => setAdding(false)} />}
        {removed !== undefined && (
          <ConfirmDialog
            title={`Remove “${removed.name}”`}
            description={`The user loses what only “${teamName}” allows.`}
            submitLabel="Remove"
            request={removeTeamMember(team.id, removed.id)}
            invalidates={paths}
            message={`Removed the member ${removed.name} from the team ${teamName}.`}
            onClose={() => setRemoved(undefined)}
          />
        )}
      </DialogBody>
    </Dialog>
  );
};

const AddMemberDialog = ({ team, paths, onClose }: TeamDialogProps) => {
  const [name, setName] = useState('');
  const found = useQuery(membershipsQuery(useOrganizationName(), useDebounced(name)));
  const candidates = (found.data?.document.data ?? []).filter(
    ({ relationships }) => !relationships.teams.data.some(({ id }) => id === team.id),
  );
  const chosen = candidates.find((member) => memberName(member) === name.trim());
  const teamName = team.attributes.name;
  const action = useDialogAction<unknown>({
    invalidates: paths,
    message: `Added the member ${name.trim()} to the team ${teamName}.`,
    onClose,
  });
  return (
    <ActionDialog
      title={`Add a member to “${teamName}”`}
      submitLabel="Add"
      action={action}
      request={addTeamMember(team.id, chosen?.id ?? '')}
      disabledReason={
        chosen === undefined ? 'Type the name of a member of the organization that is not in the team.' : undefined
      }
      onClose={onClose}
    >
      <TextField
        name="member"
        label="Member of the organization"
        value={name}
        onChange={setName}
        suggestions={candidates.map(memberName)}
        autoFocus
      />
    </ActionDialog>
  );
};
