import { useQuery } from '@tanstack/react-query';
import { useState } from 'react';
import type { ApiRequest } from '../../../../shared/client/request.ts';
import { teamsQuery } from '../api/team-access.ts';
import { ActionDialog } from '../components/action-dialog.tsx';
import { changedEntries } from '../components/changed-meanwhile.tsx';
import { useDialogAction } from '../components/confirm-dialog.tsx';
import { bindFields, CheckboxField, SelectField, TextField, toOptions } from '../components/form.tsx';
import type { AccessLevels } from '../lib/access-levels.ts';
import { type AccessGroup, type PartValues, toPartAttributes, toPartValues } from '../lib/custom-access.ts';
import { useDebounced } from '../lib/use-debounced.ts';

/** Access in a request: a level, or `custom` with its parts. */
export interface AccessInput<L extends string> {
  readonly access: L;
}

/** Workspace or project of both dialogs. */
interface TargetProps<L extends string> {
  readonly levels: AccessLevels<L>;
  /** Parts of custom access. */
  readonly groups: readonly AccessGroup[];
  /** Paths below `/api/v2` whose cached data are out of date after the action. */
  readonly invalidates: readonly string[];
  readonly onClose: () => void;
}

interface AccessFieldsProps<L extends string> extends Pick<TargetProps<L>, 'levels' | 'groups'> {
  readonly level: L;
  readonly onLevelChange: (level: L) => void;
  readonly values: PartValues;
  readonly onChange: (values: PartValues) => void;
}

/** Shows the fields of an access: the level, and the parts of custom access. */
const AccessFields = <L extends string>({
  levels,
  groups,
  level,
  onLevelChange,
  values,
  onChange,
}: AccessFieldsProps<L>) => (
  <>
    <SelectField name="access" label="Access" value={level} options={toOptions(levels)} onChange={onLevelChange} />
    {level === 'custom' &&
      groups.map(({ legend, parts }, index) => {
        const { field, flag } = bindFields(values[index] ?? {}, (changed) =>
          onChange(
            values.map((group, position) => (position === index ? { ...group, ...changed } : group)) as PartValues,
          ),
        );
        return (
          <fieldset key={legend} className="stack stack-tight">
            <legend>{legend}</legend>
            {parts.map(({ name, label, levels: choices }) =>
              choices === undefined ? (
                <CheckboxField key={name} {...flag(name)} isChecked={values[index]?.[name] === true} label={label} />
              ) : (
                <SelectField
                  key={name}
                  {...field(name)}
                  value={String(values[index]?.[name])}
                  label={label}
                  options={toOptions(choices)}
                />
              ),
            )}
          </fieldset>
        );
      })}
  </>
);

interface AddTeamDialogProps<L extends string> extends TargetProps<L> {
  readonly organization: string;
  /** Name of the workspace or the project. */
  readonly name: string;
  readonly request: (team: string, access: AccessInput<L>) => ApiRequest;
}

/** Shows a dialog that gives a team access to a workspace or a project. The first level is the suggestion. */
export const AddTeamDialog = <L extends string>({
  organization,
  name,
  levels,
  groups,
  request,
  invalidates,
  onClose,
}: AddTeamDialogProps<L>) => {
  const [team, setTeam] = useState('');
  const [access, setAccess] = useState(toOptions(levels)[0]?.value as L);
  const [values, setValues] = useState(() => toPartValues(groups, undefined));
  const found = useQuery(teamsQuery(organization, useDebounced(team)));
  const teams = found.data?.document.data ?? [];
  const chosen = teams.find(({ attributes }) => attributes.name === team.trim());
  const action = useDialogAction({ invalidates, message: `Added the access of the team ${team.trim()}.`, onClose });
  return (
    <ActionDialog
      title={`Add a team to “${name}”`}
      submitLabel="Add"
      action={action}
      request={request(chosen?.id ?? '', { access, ...(access === 'custom' && toPartAttributes(groups, values)) })}
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
      <AccessFields
        levels={levels}
        groups={groups}
        level={access}
        onLevelChange={setAccess}
        values={values}
        onChange={setValues}
      />
    </ActionDialog>
  );
};

interface EditAccessDialogProps<L extends string> extends TargetProps<L> {
  /** Name of the team. */
  readonly team: string;
  /** Present access, which has the parts of its level. */
  readonly present: { readonly access: L };
  readonly request: (access: Partial<AccessInput<L>>) => ApiRequest;
}

/** Shows a dialog that changes the access of a team to a workspace or a project. */
export const EditAccessDialog = <L extends string>({
  team,
  present,
  levels,
  groups,
  request,
  invalidates,
  onClose,
}: EditAccessDialogProps<L>) => {
  const [{ level: before, values: former }] = useState({
    level: present.access,
    values: toPartValues(groups, present),
  });
  const [level, setLevel] = useState(before);
  const [values, setValues] = useState(former);
  // Custom access begins with the parts of the level before, and a part that is not sent stays (TEAM-10).
  const parts = values.map((group, index) => changedEntries(former[index] ?? {}, group)) as PartValues;
  const changed = {
    ...(level !== before && { access: level }),
    ...(level === 'custom' && toPartAttributes(groups, parts)),
  };
  const action = useDialogAction({ invalidates, message: `Changed the access of the team ${team}.`, onClose });
  return (
    <ActionDialog
      title={`Edit the access of “${team}”`}
      submitLabel="Save"
      action={action}
      request={request(changed)}
      isUnchanged={Object.keys(changed).length === 0}
      onClose={onClose}
    >
      <AccessFields
        levels={levels}
        groups={groups}
        level={level}
        onLevelChange={setLevel}
        values={values}
        onChange={setValues}
      />
    </ActionDialog>
  );
};
