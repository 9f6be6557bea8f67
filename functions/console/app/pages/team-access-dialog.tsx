import { useState } from 'react';
import type { ApiRequest } from '../../../../shared/client/request.ts';
import { ActionDialog } from '../components/action-dialog.tsx';
import { changedEntries } from '../components/changed-meanwhile.tsx';
import { useDialogAction } from '../components/confirm-dialog.tsx';
import { bindFields, CheckboxField, SelectField, TextField, toOptions } from '../components/form.tsx';
import type { AccessLevels } from '../lib/access-levels.ts';
import { type AccessGroup, type PartValues, toPartAttributes, toPartValues } from '../lib/custom-access.ts';
import { toWords } from '../lib/words.ts';
import { useCandidates } from './use-candidates.ts';

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

interface AddAccessDialogProps<L extends string> extends TargetProps<L> {
  readonly title: string;
  /** Kind of what the user chooses: a team, or what a team gets access to. */
  readonly kind: 'team' | 'project' | 'workspace';
  readonly organization: string;
  readonly request: (chosen: string, access: AccessInput<L>) => ApiRequest;
}

/** Shows a dialog that gives a team access to a workspace or a project. The first level is the suggestion. */
export const AddAccessDialog = <L extends string>({
  title,
  kind,
  organization,
  levels,
  groups,
  request,
  invalidates,
  onClose,
}: AddAccessDialogProps<L>) => {
  const [text, setText] = useState('');
  const [access, setAccess] = useState(toOptions(levels)[0]?.value as L);
  const [values, setValues] = useState(() => toPartValues(groups, undefined));
  const candidates = useCandidates(`${kind}s`, organization, text);
  const chosen = candidates.find(({ attributes }) => attributes.name === text.trim());
  const action = useDialogAction({
    invalidates,
    message: `Added the access ${kind === 'team' ? 'of' : 'to'} the ${kind} ${text.trim()}.`,
    onClose,
  });
  return (
    <ActionDialog
      title={title}
      submitLabel="Add"
      action={action}
      request={request(chosen?.id ?? '', { access, ...(access === 'custom' && toPartAttributes(groups, values)) })}
      disabledReason={chosen === undefined ? `Type the name of a ${kind} that you can see.` : undefined}
      onClose={onClose}
    >
      <TextField
        name={kind}
        label={toWords(kind)}
        hint={`Type a part of the name, then choose the ${kind}.`}
        value={text}
        onChange={setText}
        suggestions={candidates.map(({ attributes }) => attributes.name)}
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
