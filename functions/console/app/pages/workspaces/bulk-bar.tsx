import { useState } from 'react';
import type { WorkspaceListQuery } from '../../../../../shared/client/workspaces.ts';
import { Button } from '../../components/button.tsx';
import { Menu } from '../../components/menu.tsx';
import { type BulkAction, type BulkActionName, bulkActions } from './bulk/actions.ts';
import { BulkDialog } from './bulk/bulk-dialog.tsx';
import './bulk-bar.css';
import { emptySelection, type Selection, selectionSize } from './selection.ts';

interface BulkBarProps {
  readonly organization: string;
  readonly query: WorkspaceListQuery;
  readonly total: number;
  readonly selection: Selection;
  readonly onSelect: (selection: Selection) => void;
}

/** Shows how many workspaces are selected, and what can be done with them. */
export const BulkBar = ({ organization, query, total, selection, onSelect }: BulkBarProps) => {
  const [action, setAction] = useState<BulkActionName>();
  const size = selectionSize(selection, total);
  return (
    <section className="bulk-bar" aria-label="Selection">
      <span role="status">
        <strong>{size.toLocaleString()}</strong> selected
      </span>
      <Button look="quiet" onClick={() => onSelect(emptySelection)}>
        Clear
      </Button>
      {size < total && (
        <Button look="quiet" onClick={() => onSelect({ isAll: true, ids: new Set() })}>
          Select all {total.toLocaleString()}
        </Button>
      )}
      <Menu
        trigger={<Button look="primary">Change…</Button>}
        entries={(Object.keys(bulkActions) as BulkActionName[]).flatMap((name) => {
          const { label, startsGroup }: BulkAction = bulkActions[name];
          return [
            ...(startsGroup ? [{ kind: 'separator' } as const] : []),
            { kind: 'item', label, onSelect: () => setAction(name), isDangerous: name === 'delete' } as const,
          ];
        })}
      />
      {action !== undefined && (
        <BulkDialog
          organization={organization}
          query={query}
          total={total}
          selection={selection}
          name={action}
          onClose={() => setAction(undefined)}
        />
      )}
    </section>
  );
};
