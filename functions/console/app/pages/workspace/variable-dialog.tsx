import { useQuery, useQueryClient } from '@tanstack/react-query';
import { useCallback, useState } from 'react';
import type { Reply } from '../../api/send.ts';
import type { Schemas, Variable } from '../../api/types.ts';
import { useAction } from '../../api/use-action.ts';
import {
  createVariable,
  updateVariable,
  type VariableInput,
  variablePaths,
  variableQuery,
} from '../../api/variables.ts';
import { ActionDialog } from '../../components/action-dialog.tsx';
import { useRevision } from '../../components/changed-meanwhile.tsx';
import { Dialog, DialogBody } from '../../components/dialog.tsx';
import { CheckboxField, SelectField, TextField } from '../../components/form.tsx';
import { Loaded } from '../../components/loaded.tsx';
import { toast } from '../../components/toast.tsx';

interface VariableDialogProps {
  readonly workspace: string;
  /** The variable to change; without it, a variable is added. */
  readonly variable?: Variable;
  readonly onClose: () => void;
}

type VariableDocument = { readonly data: Schemas['Variable'] };

const fields = ['key', 'value', 'description', 'category', 'sensitive', 'hcl'];

/** Adds a variable to a workspace, or changes one. The value of a sensitive variable can be replaced and never read. */
export const VariableDialog = ({ workspace, variable, onClose }: VariableDialogProps) =>
  variable === undefined ? (
    <VariableForm workspace={workspace} onClose={onClose} />
  ) : (
    <EditDialog workspace={workspace} variable={variable} onClose={onClose} />
  );

/** Loads the present revision of a variable before it is edited. */
const EditDialog = ({ workspace, variable, onClose }: Required<VariableDialogProps>) => {
  const query = useQuery({ ...variableQuery(workspace, variable.id), staleTime: 0, gcTime: 0 });
  if (query.data !== undefined) return <VariableForm workspace={workspace} stored={query.data} onClose={onClose} />;
  return (
    <Dialog title={`Change ${variable.attributes.key}`} onClose={onClose}>
      <DialogBody>
        <Loaded query={query}>{() => null}</Loaded>
      </DialogBody>
    </Dialog>
  );
};

const VariableForm = ({
  workspace,
  stored,
  onClose,
}: {
  readonly workspace: string;
  readonly stored?: Reply<VariableDocument>;
  readonly onClose: () => void;
}) => {
  const queryClient = useQueryClient();
  // The form keeps its entries while the query is refreshed.
  const [opened] = useState(stored);
  const variable = opened?.document.data;
  const before = variable?.attributes;
  const [key, setKey] = useState(before?.key ?? '');
  const [value, setValue] = useState(before?.value ?? '');
  const [description, setDescription] = useState(before?.description ?? '');
  const [category, setCategory] = useState<'infra' | 'env'>(before?.category === 'env' ? 'env' : 'infra');
  const [isSensitive, setSensitive] = useState(before?.sensitive ?? false);
  const [isHcl, setHcl] = useState(before?.hcl ?? false);

  const action = useAction<VariableDocument>({
    invalidates: variablePaths(workspace),
    onDone: () => {
      toast(variable === undefined ? `Added ${key.trim()}.` : `Changed ${key}.`);
      onClose();
    },
  });
  const id = variable?.id ?? '';
  const reload = useCallback(
    () => queryClient.fetchQuery({ ...variableQuery(workspace, id), staleTime: 0 }),
    [queryClient, workspace, id],
  );
  const { base, changes } = useRevision<VariableDocument>(opened, action.error, reload);

  // An empty field keeps the stored value of a sensitive variable, which nobody can read.
  const keepsValue = before?.sensitive === true && value === '';
  const hasReference = typeof before?.['value-reference'] === 'string' && value === '';
  const input: VariableInput = {
    key: key.trim(),
    category,
    ...(!keepsValue && !hasReference && { value }),
    description: description === '' ? null : description,
    sensitive: isSensitive,
    hcl: isHcl,
  };
  const request =
    variable === undefined
      ? createVariable(workspace, input)
      : updateVariable(workspace, variable, input, { ifMatch: base?.etag, isSensitive });
  return (
    <ActionDialog
      title={variable === undefined ? 'Add a variable' : `Change ${variable.attributes.key}`}
      submitLabel={variable === undefined ? 'Add' : 'Save'}
      size="medium"
      action={action}
      request={request}
      fields={fields}
      changes={changes}
      onClose={onClose}
    >
      <TextField
        name="key"
        label="Key"
        value={key}
        onChange={setKey}
        isCode
        isReadOnly={before?.sensitive === true}
        {...(before?.sensitive === true && { hint: 'The key of a sensitive variable cannot be changed.' })}
        autoFocus={variable === undefined}
      />
      <TextField
        name="value"
        label={before?.sensitive ? 'New value' : 'Value'}
        lines={3}
        value={value}
        onChange={setValue}
        isCode
        {...(before?.sensitive && { hint: 'Leave it empty to keep the stored value, which nobody can read.' })}
        {...(hasReference && { hint: `The value comes from ${before?.['value-reference']}. A value replaces it.` })}
        autoFocus={variable !== undefined}
      />
      <SelectField
        name="category"
        label="Category"
        value={category}
        options={[
          { value: 'infra', label: 'Infrastructure: input variable of the configuration' },
          { value: 'env', label: 'Environment: environment variable of runs' },
        ]}
        onChange={setCategory}
      />
      <CheckboxField
        name="sensitive"
        label="Sensitive"
        hint="The value can be replaced, but nobody can read it again. This cannot be undone."
        isChecked={isSensitive}
        isDisabled={before?.sensitive === true}
        onChange={setSensitive}
      />
      {category === 'infra' && (
        <CheckboxField
          name="hcl"
          label="HCL"
          hint="The value is an expression, such as a list or a map."
          isChecked={isHcl}
          onChange={setHcl}
        />
      )}
      <TextField name="description" label="Description" isOptional value={description} onChange={setDescription} />
    </ActionDialog>
  );
};
