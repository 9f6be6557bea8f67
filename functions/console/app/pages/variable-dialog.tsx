import { type ReactNode, useState } from 'react';
import type { Variable } from '../../../../shared/client/types.ts';
import {
  createVariable,
  updateVariable,
  type VariableDocument,
  type VariableInput,
} from '../../../../shared/client/variables.ts';
import { type EditedOwner, variableQuery } from '../api/variables.ts';
import { ActionDialog } from '../components/action-dialog.tsx';
import { changedEntries, rebaseEntries, useRevision } from '../components/changed-meanwhile.tsx';
import { useDialogAction } from '../components/confirm-dialog.tsx';
import { EditDialog, type Edited } from '../components/edit-dialog.tsx';
import { bindFields, CheckboxField, SelectField, TextField } from '../components/form.tsx';
import { Notice } from '../components/notice.tsx';
import { categoryLabel } from '../lib/words.ts';

interface VariableDialogProps {
  readonly owner: EditedOwner;
  /** The variable to change; without it, a variable is added. */
  readonly variable?: Variable;
  /** Warning before a change. */
  readonly warning?: ReactNode;
  readonly onClose: () => void;
}

/**
 * Adds a variable to a workspace or a variable set, or changes one. The value of a sensitive variable can be replaced and
 * never read.
 */
export const VariableDialog = ({ variable, ...form }: VariableDialogProps) =>
  variable === undefined ? (
    <VariableForm {...form} />
  ) : (
    <EditDialog
      title={`Edit “${variable.attributes.key}”`}
      query={variableQuery(form.owner, variable.id)}
      onClose={form.onClose}
    >
      {(edited) => <VariableForm {...form} edited={edited} />}
    </EditDialog>
  );

/** Names a variable for screen readers: variables of two categories can have one key. */
export const variableName = ({ attributes: { key, category } }: Variable): string =>
  category === 'env' ? `${key} (environment)` : key;

/** Names a variable that is deleted, with its category. */
export const deletionTitle = ({ attributes: { key, category } }: Variable): string =>
  `Delete the ${categoryLabel(category)} variable “${key}”`;

/** Returns the part of a message that names the variable set of a variable; nothing for a variable of a workspace. */
export const inVariableSet = ({ variableSet }: EditedOwner, preposition: 'to' | 'in' | 'from'): string =>
  variableSet === undefined ? '' : ` ${preposition} the variable set ${variableSet.name}`;

/** Keys of values that are secrets. */
const SECRET = /secret|token|password|passwd|(private|access|api)_?key(?!_id)|credentials/i;

/** Values of the form. */
interface Entries {
  readonly key: string;
  readonly value: string;
  readonly description: string;
  readonly category: VariableInput['category'];
  readonly sensitive: boolean;
  readonly hcl: boolean;
}

const toEntries = (variable: Variable | undefined): Entries => ({
  key: variable?.attributes.key ?? '',
  value: variable?.attributes.value ?? '',
  description: variable?.attributes.description ?? '',
  category: variable?.attributes.category ?? 'terraform',
  sensitive: variable?.attributes.sensitive ?? false,
  hcl: variable?.attributes.hcl ?? false,
});

const VariableForm = ({
  owner,
  edited,
  warning,
  onClose,
}: Omit<VariableDialogProps, 'variable'> & { readonly edited?: Edited<VariableDocument> }) => {
  // The form keeps its entries while the query is refreshed.
  const [opened] = useState(edited?.stored);
  const variable = opened?.document.data;
  const [entries, setEntries] = useState(() => toEntries(variable));
  const { field, flag } = bindFields(entries, (changed) => setEntries({ ...entries, ...changed }));
  const { key, value, description, category, sensitive: isSensitive, hcl: isHcl } = entries;

  const isCategoryFixed = owner.type === 'varsets' && variable !== undefined;
  const action = useDialogAction<VariableDocument>({
    invalidates: owner.paths,
    message:
      variable === undefined
        ? `Added the variable ${key.trim()}${inVariableSet(owner, 'to')}.`
        : `Changed the variable ${key}${inVariableSet(owner, 'in')}.`,
    onClose,
  });
  const { base, changes } = useRevision(opened, action.error, edited?.reload, ({ data: former }, { data: newest }) =>
    setEntries((entered) => rebaseEntries(entered, toEntries(former), toEntries(newest))),
  );
  const before = base?.document.data.attributes;
  const toolCategory = before?.category === 'infra' ? 'infra' : 'terraform';

  // An empty field keeps the stored value of a sensitive variable, which nobody can read.
  const keepsValue = before?.sensitive === true && value === '';
  const hasReference = typeof before?.['value-reference'] === 'string' && value === '';
  const isValueKept = keepsValue || hasReference;
  const input: VariableInput = {
    key: key.trim(),
    category,
    ...(!isValueKept && { value }),
    description: description === '' ? null : description,
    sensitive: isSensitive,
    hcl: isHcl,
  };
  const changed =
    before &&
    changedEntries(
      {
        key: before.key,
        category: before.category,
        ...(!isValueKept && { value: before.value ?? '' }),
        description: before.description || null,
        sensitive: before.sensitive,
        hcl: before.hcl,
      },
      input,
    );
  const request =
    variable === undefined
      ? createVariable(owner, input)
      : updateVariable(owner, variable.id, changed ?? {}, { ifMatch: base?.etag, isSensitive });
  return (
    <ActionDialog
      title={variable === undefined ? 'Add a variable' : `Edit “${variable.attributes.key}”`}
      {...(owner.variableSet !== undefined && { description: owner.variableSet.reach })}
      submitLabel={variable === undefined ? 'Add' : 'Save'}
      size="medium"
      action={action}
      request={request}
      required={{ Key: key }}
      isUnchanged={changed !== undefined && Object.keys(changed).length === 0}
      changes={changes}
      onClose={onClose}
    >
      {warning !== undefined && <Notice kind="warning">{warning}</Notice>}
      <TextField
        {...field('key')}
        label="Key"
        isCode
        isReadOnly={before?.sensitive === true}
        {...(before?.sensitive === true && { hint: 'The key of a sensitive variable cannot be changed.' })}
        autoFocus={variable === undefined}
      />
      <TextField
        {...field('value')}
        label={before?.sensitive ? 'New value' : 'Value'}
        lines={3}
        isCode
        isHidden={isSensitive}
        {...(before?.sensitive && { hint: 'Leave it empty to keep the stored value, which nobody can read.' })}
        {...(hasReference && { hint: `The value comes from ${before?.['value-reference']}. A value replaces it.` })}
        autoFocus={variable !== undefined}
      />
      <SelectField
        {...field('category')}
        label="Category"
        options={[
          { value: toolCategory, label: 'Terraform variable' },
          { value: 'env', label: 'Environment variable' },
        ]}
        isDisabled={isCategoryFixed}
        {...(isCategoryFixed && { hint: 'The category cannot be changed in a variable set.' })}
      />
      <CheckboxField
        {...flag('sensitive')}
        label="Sensitive"
        hint={`${isSensitive || !SECRET.test(key) ? '' : 'The key looks like that of a secret, whose value nobody should read. '}The value can be replaced, but nobody can read it again. This cannot be undone.`}
        isDisabled={before?.sensitive === true}
      />
      {category !== 'env' && (
        <CheckboxField {...flag('hcl')} label="HCL" hint="The value is an expression, such as a list or a map." />
      )}
      <TextField {...field('description')} label="Description" isOptional />
    </ActionDialog>
  );
};
