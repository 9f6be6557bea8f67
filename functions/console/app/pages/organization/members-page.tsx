import { useQuery } from '@tanstack/react-query';
import { useState } from 'react';
import { findIncluded } from '../../../../../shared/client/documents.ts';
import { inviteMember, listMemberships, memberName, removeMember } from '../../../../../shared/client/memberships.ts';
import { teamsQuery } from '../../api/team-access.ts';
import { ActionDialog } from '../../components/action-dialog.tsx';
import { Badge } from '../../components/badge.tsx';
import { ConfirmDialog, useDialogAction } from '../../components/confirm-dialog.tsx';
import { TextField } from '../../components/form.tsx';
import { Page } from '../../components/page.tsx';
import { ResourceList } from '../../components/resource-list.tsx';
import { toVisible } from '../../components/visible-text.tsx';
import { TeamField } from './team-field.tsx';
import { LAST_OWNER } from './team-members-dialog.tsx';
import { useMissingPermission, useOrganizationName } from './use-organization.ts';

const pathsOf = (organization: string) => [
  `/organizations/${organization}/organization-memberships`,
  `/organizations/${organization}/teams`,
];

/** Returns a function that says why an owner cannot be removed. Nothing is disabled for callers who do not see the owners. */
const useOwnerGuard = () => {
  const teams = useQuery(teamsQuery(useOrganizationName(), 'owners')).data?.document.data ?? [];
  const missing = useMissingPermission('can-manage-owners');
  const owners = teams.find(({ attributes }) => attributes.name === 'owners')?.relationships.users?.data ?? [];
  return (user: string | undefined): string | undefined => {
    if (!owners.some(({ id }) => id === user)) return undefined;
    return missing ?? (owners.length === 1 ? LAST_OWNER : undefined);
  };
};

/** Lists the members of an organization, invites and removes them. */
export const MembersPage = () => {
  const organization = useOrganizationName();
  const missing = useMissingPermission('can-manage-membership');
  const ownerGuard = useOwnerGuard();
  return (
    <ResourceList
      title="Members"
      frame={Page}
      request={(page) => listMemberships(organization, page)}
      nameOf={(member) => memberName(member)}
      emptyTitle="You see no member"
      columns={(document) => ({
        username: {
          name: 'Name',
          cell: (member) => (
            <span className="cluster">
              {toVisible(memberName(member))}
              {member.attributes.status === 'invited' && <Badge kind="info">invited</Badge>}
            </span>
          ),
        },
        // Shown next to the name.
        status: false,
        email: true,
        Teams: {
          cell: ({ relationships }) =>
            relationships.teams.data
              .map((team) => findIncluded(document, 'teams', team)?.attributes.name ?? team.id)
              .join(', ') || 'none',
        },
        'created-at': { name: 'Since' },
      })}
      add={{
        label: 'Invite',
        disabledReason: missing,
        dialog: (onClose) => <InviteDialog organization={organization} onClose={onClose} />,
      }}
      actions={[
        {
          label: 'Remove',
          isDangerous: true,
          disabledReason: ({ relationships }) => missing ?? ownerGuard(relationships.user.data?.id),
          dialog: (member, onClose) => (
            <ConfirmDialog
              title={`Remove “${memberName(member)}”`}
              description="The user leaves all teams of the organization. If you remove yourself, you lose access to it."
              submitLabel="Remove"
              request={removeMember(member.id)}
              invalidates={pathsOf(organization)}
              message={`Removed the member ${memberName(member)}.`}
              onClose={onClose}
            />
          ),
        },
      ]}
    />
  );
};

const InviteDialog = ({ organization, onClose }: { readonly organization: string; readonly onClose: () => void }) => {
  const [email, setEmail] = useState('');
  const [team, setTeam] = useState('');
  const teams = useQuery(teamsQuery(organization)).data?.document.data ?? [];
  const action = useDialogAction({
    invalidates: pathsOf(organization),
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
