import { useQuery } from '@tanstack/react-query';
import { useState } from 'react';
import { findIncluded } from '../../../../../shared/client/documents.ts';
import { inviteMember, listMemberships, memberName } from '../../../../../shared/client/memberships.ts';
import { teamsQuery } from '../../api/team-access.ts';
import { ActionDialog } from '../../components/action-dialog.tsx';
import { Person } from '../../components/avatar.tsx';
import { Badge } from '../../components/badge.tsx';
import { useDialogAction } from '../../components/confirm-dialog.tsx';
import { TextField } from '../../components/form.tsx';
import { Page } from '../../components/page.tsx';
import { Links, ResourceLink } from '../../components/resource-link.tsx';
import { ResourceList } from '../../components/resource-list.tsx';
import { teamPaths } from './team-dialog.tsx';
import { TeamField } from './team-field.tsx';
import { useMissingPermission, useOrganizationName } from './use-organization.ts';

/** Lists the members of an organization, and invites them. */
export const MembersPage = () => {
  const organization = useOrganizationName();
  const missing = useMissingPermission('can-manage-membership');
  return (
    <ResourceList
      title="Members"
      frame={Page}
      request={(page, search) => listMemberships(organization, page, search)}
      searchLabel="Search by name"
      nameOf={(member) => memberName(member)}
      emptyTitle="You see no member"
      {...(missing !== undefined && {
        hint: 'Without the right to manage members, you see only yourself.',
      })}
      columns={(document) => ({
        username: {
          name: 'Name',
          cell: (member) => (
            <Person name={memberName(member)}>
              <ResourceLink type="organization-memberships" id={member.id} name={memberName(member)} />{' '}
              {member.attributes.status === 'invited' && <Badge kind="info">invited</Badge>}
            </Person>
          ),
        },
        // Shown next to the name.
        status: false,
        email: true,
        Teams: {
          cell: ({ relationships }) => (
            <Links
              type="teams"
              resources={relationships.teams.data.map((team) => ({
                id: team.id,
                name: findIncluded(document, 'teams', team)?.attributes.name ?? team.id,
              }))}
            />
          ),
        },
        'created-at': { name: 'Since' },
      })}
      add={{
        label: 'Invite',
        disabledReason: missing,
        dialog: (onClose) => <InviteDialog organization={organization} onClose={onClose} />,
      }}
    />
  );
};

const InviteDialog = ({ organization, onClose }: { readonly organization: string; readonly onClose: () => void }) => {
  const [email, setEmail] = useState('');
  const [team, setTeam] = useState('');
  const teams = useQuery(teamsQuery(organization)).data?.document.data ?? [];
  const action = useDialogAction({
    invalidates: teamPaths(organization),
    message: `Invited the user ${email}.`,
    onClose,
  });
  return (
    <ActionDialog
      title="Invite a user"
      description="An existing user becomes a member at once. For others, the invitation waits until an administrator of this service creates the user. No e-mail is sent."
      submitLabel="Invite"
      action={action}
      request={inviteMember(organization, email, team)}
      required={{ 'E-mail': email, Team: team }}
      onClose={onClose}
    >
      <TextField name="email" label="E-mail" type="email" value={email} onChange={setEmail} autoFocus />
      <TeamField name="teams" teams={teams} value={team} onChange={setTeam} />
    </ActionDialog>
  );
};
