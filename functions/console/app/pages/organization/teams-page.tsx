import { useQuery } from '@tanstack/react-query';
import { useState } from 'react';
import { findIncluded } from '../../../../../shared/client/documents.ts';
import {
  createTeam,
  deleteTeam,
  listTeams,
  type OrganizationAccess,
  showTeam,
  type Team,
  updateTeam,
} from '../../../../../shared/client/teams.ts';
import { useHasIdentityProviders } from '../../api/identity-providers.ts';
import { organizationQuery } from '../../api/organizations.ts';
import { apiQuery } from '../../api/query-client.ts';
import { ActionDialog } from '../../components/action-dialog.tsx';
import { Badge } from '../../components/badge.tsx';
import { useRevision } from '../../components/changed-meanwhile.tsx';
import { useDialogAction } from '../../components/confirm-dialog.tsx';
import { EditDialog, type Edited } from '../../components/edit-dialog.tsx';
import { CheckboxField, SelectField, TextField, toOptions } from '../../components/form.tsx';
import { Page } from '../../components/page.tsx';
import { ResourceList } from '../../components/resource-list.tsx';
import { toVisible } from '../../components/visible-text.tsx';
import { organizationRights as rights } from '../../lib/access-levels.ts';
import { missingPermission, type UsedPermission } from '../../lib/permissions.ts';
import { GROUP_HINT, toLabel } from '../../lib/words.ts';
import { TeamMembersDialog } from './team-members-dialog.tsx';
import { TeamProjectsDialog } from './team-projects-dialog.tsx';
import { useMissingPermission, useOrganizationName } from './use-organization.ts';

const pathsOf = (organization: string) => [
  `/organizations/${organization}/teams`,
  `/organizations/${organization}/organization-memberships`,
  '/teams',
];

const permissionOf = (
  { attributes }: Team,
  name: Extract<keyof NonNullable<Team['attributes']['permissions']>, UsedPermission>,
): string | undefined => missingPermission(attributes.permissions ?? {}, name);

/** Reason why nobody can change the owners team (TEAM-3). */
const OWNERS_TEAM = 'The owners team always has all rights. It cannot be renamed or deleted.';

/** Number of members of a team that are shown by name. */
const SHOWN_MEMBERS = 10;

/** Lists the teams of an organization, changes them and their members. */
export const TeamsPage = () => {
  const organization = useOrganizationName();
  const missing = useMissingPermission('can-create-team');
  const hasProviders = useHasIdentityProviders();
  const settings = useQuery(organizationQuery(organization)).data?.document.data.attributes;
  /** Returns why the team cannot be changed: those who may change teams need no permission for the owners team. */
  const readOnly = (team: Team, name: Parameters<typeof permissionOf>[1]) => {
    const refused = permissionOf(team, name);
    if (refused === undefined || missing !== undefined || team.attributes.name !== 'owners') return refused;
    return hasProviders ? `${OWNERS_TEAM} Its group is one of the organization settings.` : OWNERS_TEAM;
  };
  return (
    <ResourceList
      title="Teams"
      frame={Page}
      request={(page) => listTeams(organization, page)}
      nameOf={({ attributes }) => attributes.name}
      emptyTitle="You see no team"
      hint="A secret team is visible only to its members and to those who may manage teams or see secret teams."
      columns={(document) => ({
        name: {
          cell: ({ attributes }) => (
            <span className="cluster">
              {toVisible(attributes.name)}
              {attributes.visibility === 'secret' && <Badge>secret</Badge>}
            </span>
          ),
        },
        Members: {
          cell: ({ relationships: { users } }) => {
            if (users === undefined) return 'not shown';
            const names = users.data
              .slice(0, SHOWN_MEMBERS)
              .map((user) => findIncluded(document, 'users', user)?.attributes.username ?? user.id);
            const others = users.data.length - names.length;
            return [...names, ...(others > 0 ? [`${others.toLocaleString()} more`] : [])].join(', ') || 'none';
          },
        },
        'organization-access': {
          name: 'Rights in the organization',
          cell: ({ attributes }) => {
            const held = rights.filter(([right]) => attributes['organization-access'][right]);
            return held.length === rights.length ? 'all' : held.map(([, [label]]) => label).join(', ') || 'none';
          },
        },
        // Shown next to the name.
        visibility: false,
        'users-count': false,
        'sso-team-id': hasProviders && {
          cell: ({ attributes }) =>
            (attributes.name === 'owners' ? settings?.['owners-team-saml-role-id'] : attributes['sso-team-id']) ??
            'none',
        },
        'allow-member-token-management': false,
        'is-unified': false,
        permissions: false,
      })}
      add={{
        label: 'New team',
        disabledReason: missing,
        dialog: (onClose) => <TeamDialog onClose={onClose} />,
      }}
      actions={[
        { label: 'Access', dialog: (team, onClose) => <TeamProjectsDialog team={team} onClose={onClose} /> },
        {
          label: 'Members',
          dialog: (team, onClose) => (
            <TeamMembersDialog
              team={team}
              readOnly={permissionOf(team, 'can-update-membership')}
              paths={pathsOf(organization)}
              onClose={onClose}
            />
          ),
        },
        {
          label: 'Edit',
          disabledReason: (team) => readOnly(team, 'can-update-organization-access'),
          dialog: ({ id, attributes }, onClose) => (
            <EditDialog title={`Edit “${attributes.name}”`} query={apiQuery(showTeam(id))} onClose={onClose}>
              {(edited) => <TeamDialog edited={edited} onClose={onClose} />}
            </EditDialog>
          ),
        },
      ]}
      deletion={{
        kind: 'team',
        description: 'Its access to workspaces and projects ends, and its tokens are revoked.',
        request: deleteTeam,
        invalidates: pathsOf(organization),
        disabledReason: (team) => readOnly(team, 'can-destroy'),
        isNameTyped: true,
      }}
    />
  );
};

type Visibility = Team['attributes']['visibility'];

const visibilities: Readonly<Record<Visibility, string>> = {
  organization: 'Visible: all members see it',
  secret: 'Secret: members and managers see it',
};

interface TeamDialogProps {
  readonly edited?: Edited<{ readonly data: Team }>;
  readonly onClose: () => void;
}

const TeamDialog = ({ edited, onClose }: TeamDialogProps) => {
  const organization = useOrganizationName();
  const [opened] = useState(edited?.stored);
  const team = opened?.document.data;
  const [name, setName] = useState(team?.attributes.name ?? '');
  const hasProviders = useHasIdentityProviders();
  const [group, setGroup] = useState(team?.attributes['sso-team-id'] ?? '');
  const [visibility, setVisibility] = useState<Visibility>(team?.attributes.visibility ?? 'organization');
  const [access, setAccess] = useState<Partial<OrganizationAccess>>(team?.attributes['organization-access'] ?? {});
  const action = useDialogAction<unknown>({
    invalidates: pathsOf(organization),
    message: team === undefined ? `Created the team ${name}.` : `Changed the team ${name}.`,
    onClose,
  });
  const { base, changes } = useRevision(opened, action.error, edited?.reload);
  // Only what the user changed is sent, because each part needs a right of its own.
  const changed = Object.fromEntries(
    rights.flatMap(([right]) =>
      (access[right] ?? false) === (team?.attributes['organization-access'][right] ?? false)
        ? []
        : [[right, access[right] ?? false]],
    ),
  );
  const attributes = {
    ...(name !== team?.attributes.name && { name }),
    ...(visibility !== team?.attributes.visibility && { visibility }),
    ...(group !== (team?.attributes['sso-team-id'] ?? '') && { 'sso-team-id': group || null }),
    ...(Object.keys(changed).length > 0 && { 'organization-access': changed }),
  };
  return (
    <ActionDialog
      title={team === undefined ? 'New team' : `Edit “${team.attributes.name}”`}
      submitLabel={team === undefined ? 'Create' : 'Save'}
      action={action}
      request={
        team === undefined
          ? createTeam(organization, { name, visibility, 'sso-team-id': group || null, 'organization-access': changed })
          : updateTeam(team.id, attributes, base?.etag)
      }
      required={{ Name: name }}
      isUnchanged={Object.keys(attributes).length === 0}
      changes={changes}
      onClose={onClose}
    >
      <TextField name="name" label="Name" value={name} onChange={setName} autoFocus />
      <SelectField
        name="visibility"
        label="Visibility"
        value={visibility}
        options={toOptions(visibilities)}
        onChange={setVisibility}
      />
      {hasProviders && (
        <TextField
          name="sso-team-id"
          label={toLabel('sso-team-id')}
          hint={`People in the group join the team when they sign in, and leave it at a sign-in without the group. ${GROUP_HINT}`}
          isOptional
          value={group}
          onChange={setGroup}
        />
      )}
      <fieldset className="stack stack-tight">
        <legend>Rights in the organization</legend>
        {rights.map(([right, [label, hint]]) => (
          <CheckboxField
            key={right}
            name={right}
            label={label}
            {...(hint !== undefined && { hint })}
            isChecked={access[right] ?? false}
            onChange={(isChecked) => setAccess({ ...access, [right]: isChecked })}
          />
        ))}
      </fieldset>
    </ActionDialog>
  );
};
