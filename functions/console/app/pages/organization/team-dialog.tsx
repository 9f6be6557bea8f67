import { useState } from 'react';
import { createTeam, type OrganizationAccess, type Team, updateTeam } from '../../../../../shared/client/teams.ts';
import { useHasIdentityProviders } from '../../api/identity-providers.ts';
import { ActionDialog } from '../../components/action-dialog.tsx';
import { useRevision } from '../../components/changed-meanwhile.tsx';
import { useDialogAction } from '../../components/confirm-dialog.tsx';
import type { Edited } from '../../components/edit-dialog.tsx';
import { CheckboxField, SelectField, TextField, toOptions } from '../../components/form.tsx';
import { organizationRights as rights } from '../../lib/access-levels.ts';
import { GROUP_HINT, toLabel } from '../../lib/words.ts';
import { useOrganizationName } from './use-organization.ts';

/** Paths whose data are out of date after a change of a team or its members. */
export const teamPaths = (organization: string): readonly string[] => [
  `/organizations/${organization}/teams`,
  `/organizations/${organization}/organization-memberships`,
  '/organization-memberships',
  '/teams',
];

type Visibility = Team['attributes']['visibility'];

/** Visibilities of teams in words. */
export const visibilities: Readonly<Record<Visibility, string>> = {
  organization: 'Visible: all members see it',
  secret: 'Secret: members and managers see it',
};

interface TeamDialogProps {
  readonly edited?: Edited<{ readonly data: Team }>;
  readonly onClose: () => void;
}

/** Shows a dialog that creates a team or edits it. */
export const TeamDialog = ({ edited, onClose }: TeamDialogProps) => {
  const organization = useOrganizationName();
  const [opened] = useState(edited?.stored);
  const team = opened?.document.data;
  const [name, setName] = useState(team?.attributes.name ?? '');
  const hasProviders = useHasIdentityProviders();
  const [group, setGroup] = useState(team?.attributes['sso-team-id'] ?? '');
  const [visibility, setVisibility] = useState<Visibility>(team?.attributes.visibility ?? 'organization');
  const [access, setAccess] = useState<Partial<OrganizationAccess>>(team?.attributes['organization-access'] ?? {});
  const action = useDialogAction<unknown>({
    invalidates: teamPaths(organization),
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
