import { useQuery } from '@tanstack/react-query';
import { useState } from 'react';
import { findIncluded } from '../../../../../shared/client/documents.ts';
import { memberName } from '../../../../../shared/client/memberships.ts';
import { addTeamMember, removeTeamMember, type Team, type TeamDocument } from '../../../../../shared/client/teams.ts';
import { membershipsQuery } from '../../api/memberships.ts';
import { actionColumn } from '../../components/action-column.tsx';
import { ActionDialog } from '../../components/action-dialog.tsx';
import { Person } from '../../components/avatar.tsx';
import { Button } from '../../components/button.tsx';
import { ConfirmDialog, useDialogAction } from '../../components/confirm-dialog.tsx';
import { DataTable } from '../../components/data-table.tsx';
import { EmptyState } from '../../components/empty-state.tsx';
import { TextField } from '../../components/form.tsx';
import { Section } from '../../components/page.tsx';
import { ResourceLink } from '../../components/resource-link.tsx';
import { useDebounced } from '../../lib/use-debounced.ts';
import { teamPaths } from './team-dialog.tsx';
import { useOrganizationName } from './use-organization.ts';

interface TeamMembersProps {
  readonly document: TeamDocument;
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
export const TeamMembers = ({ document, readOnly }: TeamMembersProps) => {
  const organization = useOrganizationName();
  const [isAdding, setAdding] = useState(false);
  const [removed, setRemoved] = useState<Member>();
  const team = document.data;
  const { name } = team.attributes;
  const members = team.relationships.users?.data;
  const kept = readOnly ?? (name === 'owners' && members?.length === 1 ? LAST_OWNER : undefined);
  return (
    <Section
      title="Members"
      actions={
        <Button icon="plus" disabledReason={readOnly} onClick={() => setAdding(true)}>
          Add member
        </Button>
      }
    >
      {members === undefined ? (
        <EmptyState title="You may not see the members" />
      ) : members.length === 0 ? (
        <EmptyState title="The team has no members" />
      ) : (
        <DataTable
          label="Members"
          rows={members
            .map((user) => ({
              id: user.id,
              name: findIncluded(document, 'users', user)?.attributes.username ?? user.id,
            }))
            .toSorted((first, second) => first.name.localeCompare(second.name))}
          rowKey={({ id }) => id}
          columns={[
            {
              name: 'Name',
              cell: (member) => (
                <Person name={member.name}>
                  <ResourceLink type="users" {...member} />
                </Person>
              ),
            },
            actionColumn(
              (member: Member) => member.name,
              [{ label: 'Remove', isDangerous: true, disabledReason: () => kept, onClick: setRemoved }],
            ),
          ]}
        />
      )}
      {isAdding && <AddMemberDialog team={team} onClose={() => setAdding(false)} />}
      {removed !== undefined && (
        <ConfirmDialog
          title={`Remove “${removed.name}”`}
          description={`The user loses what only “${name}” allows.`}
          submitLabel="Remove"
          request={removeTeamMember(team.id, removed.id)}
          invalidates={teamPaths(organization)}
          message={`Removed the member ${removed.name} from the team ${name}.`}
          onClose={() => setRemoved(undefined)}
        />
      )}
    </Section>
  );
};

const AddMemberDialog = ({ team, onClose }: { readonly team: Team; readonly onClose: () => void }) => {
  const organization = useOrganizationName();
  const [name, setName] = useState('');
  const found = useQuery(membershipsQuery(organization, useDebounced(name)));
  const candidates = (found.data?.document.data ?? []).filter(
    ({ relationships }) => !relationships.teams.data.some(({ id }) => id === team.id),
  );
  const chosen = candidates.find((member) => memberName(member) === name.trim());
  const teamName = team.attributes.name;
  const action = useDialogAction<unknown>({
    invalidates: teamPaths(organization),
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
