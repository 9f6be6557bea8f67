import { useNavigate } from '@tanstack/react-router';
import { useState } from 'react';
import {
  type BulkJob,
  type BulkSelection,
  createBulkJob,
  toNestedQuery,
} from '../../../../../../shared/client/bulk-jobs.ts';
import type { WorkspaceListQuery } from '../../../../../../shared/client/workspaces.ts';
import { useAction } from '../../../api/use-action.ts';
import { ActionDialog } from '../../../components/action-dialog.tsx';
import { TextField } from '../../../components/form.tsx';
import { formatCount } from '../../../lib/words.ts';
import { type Selection, selectionSize } from '../selection.ts';
import { type BulkActionName, bulkActions, emptyInput } from './actions.ts';
import { BulkFields } from './bulk-fields.tsx';

interface BulkDialogProps {
  readonly organization: string;
  readonly query: WorkspaceListQuery;
  readonly total: number;
  readonly selection: Selection;
  readonly name: BulkActionName;
  readonly onClose: () => void;
}

const toBulkSelection = (
  { isAll, ids: selected }: Selection,
  { sort: _, ...filter }: WorkspaceListQuery,
): BulkSelection => {
  const ids = [...selected];
  if (!isAll) return { ids };
  return { filter: toNestedQuery(filter), ...(ids.length > 0 && { except: ids }) };
};

/** Shows the form of an action on several workspaces, which opens the page of the bulk job with its preview. */
export const BulkDialog = ({ organization, query, total, selection, name, onClose }: BulkDialogProps) => {
  const navigate = useNavigate();
  const [input, setInput] = useState(emptyInput);
  const { label, change, ...action } = bulkActions[name];
  const creation = useAction<{ readonly data: BulkJob }>({
    invalidates: [`/organizations/${organization}/bulk-jobs`],
    onDone: ({ document }) =>
      navigate({ to: '/$organization/bulk-jobs/$id', params: { organization, id: document.data.id } }),
  });
  return (
    <ActionDialog
      title={`${label}: ${formatCount(selectionSize(selection, total), 'workspace')}`}
      description="The preview shows what would change in each workspace. Nothing is changed before you confirm it."
      submitLabel="Preview"
      action={creation}
      request={createBulkJob(organization, {
        ...change(input),
        selection: toBulkSelection(selection, query),
        ...(input.note.trim() !== '' && { note: input.note }),
      })}
      required={'required' in action ? action.required(input) : {}}
      onClose={onClose}
    >
      <BulkFields name={name} organization={organization} input={input} onChange={setInput} />
      <TextField
        name="note"
        label="Note"
        hint="Says why, next to the bulk job."
        isOptional
        value={input.note}
        onChange={(note) => setInput({ ...input, note })}
      />
    </ActionDialog>
  );
};
