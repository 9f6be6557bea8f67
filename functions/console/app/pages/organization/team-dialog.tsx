import { useNavigate } from '@tanstack/react-router';
import { useState } from 'react';
import { createTeam, type OrganizationAccess, type Team, updateTeam } from '../../../../../shared/client/teams.ts';
import { useHasIdentityProviders } from '../../api/identity-providers.ts';
import { ActionDialog } from '../../components/action-dialog.tsx';
import { changedEntries, rebaseEntries, useRevision } from '../../components/changed-meanwhile.tsx';
import { useDialogAction } from '../../components/confirm-dialog.tsx';
import type { Edited } from '../../components/edit-dialog.tsx';
import { bindFields, CheckboxField, SelectField, TextField, toOptions } from '../../components/form.tsx';
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

/** Returns the values of the form for a stored team, or for a new one. */
const toEntries = (team: Team | undefined) => ({
  name: team?.attributes.name ?? '',
  visibility: team?.attributes.visibility ?? ('organization' as const),
  'sso-team-id': team?.attributes['sso-team-id'] ?? '',
  access: Object.fromEntries(
    rights.map(([right]) => [right, team?.attributes['organization-access'][right] ?? false]),
  ) as Partial<OrganizationAccess>,
});

interface TeamDialogProps {
  readonly edited?: Edited<{ readonly data: Team }>;
  readonly onClose: () => void;
}

/** Shows a dialog that creates a team or edits it. */
export const TeamDialog = ({ edited, onClose }: TeamDialogProps) => {
  const organization = useOrganizationName();
  const [opened] = useState(edited?.stored);
  const team = opened?.document.data;
  const [entries, setEntries] = useState(() => toEntries(team));
  const { field } = bindFields(entries, (changed) => setEntries({ ...entries, ...changed }));
  const { name, visibility, 'sso-team-id': group, access } = entries;
  const hasProviders = useHasIdentityProviders();
  const navigate = useNavigate();
  const action = useDialogAction<{ readonly data: Team }>({
    invalidates: teamPaths(organization),
    message: team === undefined ? `Created the team ${name}.` : `Changed the team ${name}.`,
    ...(team === undefined && {
      leave: ({ document }) =>
        navigate({ to: '/$organization/teams/$team', params: { organization, team: document.data.id } }),
    }),
    onClose,
  });
  const { base, changes } = useRevision(opened, action.error, edited?.reload, ({ data: former }, { data: newest }) =>
    setEntries((entered) => {
      const [before, after] = [toEntries(former), toEntries(newest)];
      return {
        ...rebaseEntries(entered, before, after),
        access: rebaseEntries(entered.access, before.access, after.access),
      };
    }),
  );
  // Only what the user changed is sent, because each part needs a right of its own.
  const before = toEntries(base?.document.data);
  const changed = changedEntries(before.access, access);
  const attributes = {
    ...(name !== before.name && { name }),
    ...(visibility !== before.visibility && { visibility }),
    ...(group !== before['sso-team-id'] && { 'sso-team-id': group || null }),
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
      <TextField {...field('name')} label="Name" autoFocus />
      <SelectField {...field('visibility')} label="Visibility" options={toOptions(visibilities)} />
      {hasProviders && (
        <TextField
          {...field('sso-team-id')}
          label={toLabel('sso-team-id')}
          hint={`People in the group join the team when they sign in, and leave it at a sign-in without the group. ${GROUP_HINT}`}
          isOptional
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
            onChange={(isChecked) => setEntries({ ...entries, access: { ...access, [right]: isChecked } })}
          />
        ))}
      </fieldset>
    </ActionDialog>
  );
};
