import { useQuery } from '@tanstack/react-query';
import { useState } from 'react';
import type { ApiRequest } from '../api/request.ts';
import { teamsQuery } from '../api/team-access.ts';
import { ActionDialog } from '../components/action-dialog.tsx';
import { useDialogAction } from '../components/confirm-dialog.tsx';
import { SelectField, TextField } from '../components/form.tsx';
import { useDebounced } from '../lib/use-debounced.ts';

/** Levels of access without `custom`, with their meaning. */
export type AccessLevels<L extends string> = readonly { readonly value: L; readonly label: string }[];

/** What both dialogs need to know about the workspace or the project. */
interface TargetProps<L extends string> {
  readonly levels: AccessLevels<L>;
  /** Paths below `/api/v2` whose cached data are out of date after the action. */
  readonly invalidates: readonly string[];
  readonly onClose: () => void;
}

interface AddTeamDialogProps<L extends string> extends TargetProps<L> {
  readonly organization: string;
  /** Name of the workspace or the project. */
  readonly name: string;
  readonly request: (team: string, access: L) => ApiRequest;
}

/** Shows a dialog that gives a team access to a workspace or a project. The first level is the suggestion. */
export const AddTeamDialog = <L extends string>({
  organization,
  name,
  levels,
  request,
  invalidates,
  onClose,
}: AddTeamDialogProps<L>) => {
  const [team, setTeam] = useState('');
  const [access, setAccess] = useState(levels[0]?.value as L);
  const found = useQuery(teamsQuery(organization, useDebounced(team)));
  const teams = found.data?.document.data ?? [];
  const chosen = teams.find(({ attributes }) => attributes.name === team.trim());
  const action = useDialogAction({ invalidates, message: `Added the access of the team ${team.trim()}.`, onClose });
  return (
    <ActionDialog
      title={`Add a team to “${name}”`}
      submitLabel="Add"
      action={action}
      request={request(chosen?.id ?? '', access)}
      disabledReason={chosen === undefined ? 'Type the name of a team that you can see.' : undefined}
      onClose={onClose}
    >
      <TextField
        name="team"
        label="Team"
        hint="Type a part of the name, then choose the team."
        value={team}
        onChange={setTeam}
        suggestions={teams.map(({ attributes }) => attributes.name)}
        autoFocus
      />
      <SelectField name="access" label="Access" value={access} options={levels} onChange={setAccess} />
    </ActionDialog>
  );
};

interface EditAccessDialogProps<L extends string> extends TargetProps<L> {
  /** Name of the team. */
  readonly team: string;
  /** Present access. `custom` is offered only to teams that have it. */
  readonly access: L;
  readonly request: (access: L) => ApiRequest;
}

/** Shows a dialog that changes the access of a team to a workspace or a project. */
export const EditAccessDialog = <L extends string>({
  team,
  access,
  levels,
  request,
  invalidates,
  onClose,
}: EditAccessDialogProps<L>) => {
  const [level, setLevel] = useState(access);
  const action = useDialogAction({ invalidates, message: `Changed the access of the team ${team}.`, onClose });
  const isCustom = !levels.some(({ value }) => value === access);
  return (
    <ActionDialog
      title={`Edit the access of “${team}”`}
      submitLabel="Save"
      action={action}
      request={request(level)}
      isUnchanged={level === access}
      onClose={onClose}
    >
      <SelectField
        name="access"
        label="Access"
        value={level}
        options={isCustom ? [{ value: access, label: 'Custom' }, ...levels] : levels}
        onChange={setLevel}
      />
    </ActionDialog>
  );
};
