import { useQuery } from '@tanstack/react-query';
import { useState } from 'react';
import type { ApiRequest } from '../../../../shared/client/request.ts';
import { teamsQuery } from '../api/team-access.ts';
import { ActionDialog } from '../components/action-dialog.tsx';
import { useDialogAction } from '../components/confirm-dialog.tsx';
import { SelectField, TextField, toOptions } from '../components/form.tsx';
import type { AccessLevels } from '../lib/access-levels.ts';
import { useDebounced } from '../lib/use-debounced.ts';

/** Workspace or project of both dialogs. */
interface TargetProps<L extends string> {
  readonly levels: AccessLevels<L>;
  /** Paths below `/api/v2` whose cached data are out of date after the action. */
  readonly invalidates: readonly string[];
  readonly onClose: () => void;
}

/** Returns the levels to choose from: `custom` only if it is the present access. */
const toChoices = <L extends string>(levels: AccessLevels<L>, present?: L) =>
  toOptions(levels).filter(({ value }) => value !== 'custom' || value === present);

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
  const choices = toChoices(levels);
  const [access, setAccess] = useState(choices[0]?.value as L);
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
      <SelectField name="access" label="Access" value={access} options={choices} onChange={setAccess} />
    </ActionDialog>
  );
};

interface EditAccessDialogProps<L extends string> extends TargetProps<L> {
  /** Name of the team. */
  readonly team: string;
  /** Present access. */
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
  return (
    <ActionDialog
      title={`Edit the access of “${team}”`}
      submitLabel="Save"
      action={action}
      request={request(level)}
      isUnchanged={level === access}
      onClose={onClose}
    >
      <SelectField name="access" label="Access" value={level} options={toChoices(levels, access)} onChange={setLevel} />
    </ActionDialog>
  );
};
