import { useQuery } from '@tanstack/react-query';
import { type ReactNode, useState } from 'react';
import { isNotFound } from '../../../../shared/client/errors.ts';
import type { ApiRequest } from '../../../../shared/client/request.ts';
import { apiQuery } from '../api/query-client.ts';
import { useAddressedDialog } from '../lib/use-addressed-dialog.ts';
import { useDebounced } from '../lib/use-debounced.ts';
import { toLabel } from '../lib/words.ts';
import { actionColumn, type RowButton } from './action-column.tsx';
import { Button } from './button.tsx';
import { ConfirmDialog, DeleteDialog } from './confirm-dialog.tsx';
import { type AttributeColumns, DataTable, type Resource, toColumns } from './data-table.tsx';
import { EmptyState } from './empty-state.tsx';
import { ListMenu } from './list-menu.tsx';
import { Loaded } from './loaded.tsx';
import { Count, Page, type Section } from './page.tsx';
import { Pages } from './pages.tsx';
import { SearchField } from './search-field.tsx';

/** Number of resources of a page of a list. */
const LIST_PAGE_SIZE = 20;

interface ListDocument {
  readonly data: readonly Resource[];
  readonly meta?: { readonly pagination: { readonly 'total-count': number } };
}

/** An action on one resource of a list, which opens a dialog. */
export interface RowAction<R> extends Omit<RowButton<R>, 'onClick'> {
  /** `name` is the name of the row. */
  readonly dialog: (row: R, onClose: () => void, name: string) => ReactNode;
}

/** The deletion of a resource of a list, after a confirmation. */
interface Deletion<R> extends Pick<RowAction<R>, 'disabledReason'> {
  /** Kind of the resource in messages, such as "project". */
  readonly kind: string;
  /** Says what the deletion does. */
  readonly description: string;
  readonly request: (id: string) => ApiRequest;
  /** Paths below `/api/v2` whose cached data are out of date after the deletion. */
  readonly invalidates: readonly string[];
  /** Whether the user has to type the name, because there is no way back. */
  readonly isNameTyped?: boolean;
  /** Whether the service has the resource by its id, so that a resource that somebody else has changed is not deleted unseen. */
  readonly isRead?: boolean;
}

const deletionAction = <R extends Resource>({
  kind,
  request,
  disabledReason = () => undefined,
  isNameTyped = false,
  isRead = true,
  ...dialog
}: Deletion<R>): RowAction<R> => ({
  label: 'Delete',
  isDangerous: true,
  disabledReason,
  dialog: ({ id, attributes }, onClose, name) => {
    const confirmation = {
      ...dialog,
      title: `Delete “${name}”`,
      submitLabel: 'Delete',
      request: request(id),
      message: `Deleted the ${kind} ${name}.`,
      ...(isNameTyped && { confirmName: name }),
      onClose,
    };
    return isRead ? <DeleteDialog {...confirmation} shown={attributes} /> : <ConfirmDialog {...confirmation} />;
  },
});

/** Returns the columns of a table by the attributes and relationships that they show. */
const toFileColumns = (columns: Readonly<Record<string, boolean | { readonly name?: string }>>) =>
  Object.fromEntries(
    Object.entries(columns).flatMap(([key, column]) => {
      if (column === false) return [];
      const heading = (column === true ? undefined : column.name) ?? toLabel(key);
      // A column that is named by its heading shows a relationship.
      return [[/^[A-Z]/.test(key) ? key.toLowerCase().replaceAll(' ', '-') : key, heading]];
    }),
  );

type RowOf<D extends ListDocument> = D['data'][number];

interface ResourceListProps<D extends ListDocument> {
  /** Heading of the page or section, and name of the list for screen readers. */
  readonly title: string;
  /** Component of the heading, with the actions next to it. */
  readonly frame: typeof Page | typeof Section;
  /** Text below the heading of a section. */
  readonly description?: ReactNode;
  /** `search` is a part of the name; empty without `searchLabel`. */
  readonly request: (page: number, search: string) => ApiRequest<D>;
  /** Label of the field that searches by name. Without it, the list has none. */
  readonly searchLabel?: string;
  readonly columns: (document: D, nameOf: (row: RowOf<D>) => string) => AttributeColumns<RowOf<D>>;
  readonly nameOf: (row: RowOf<D>, document: D) => string;
  readonly emptyTitle: string;
  /** Says what the resources are for, or where they come from. */
  readonly hint?: string;
  /** Stands in place of a list that the user may not read, which is 404. */
  readonly concealed?: string;
  readonly actions?: readonly RowAction<RowOf<D>>[];
  readonly deletion?: Deletion<RowOf<D>>;
  readonly add?: {
    readonly label: string;
    readonly disabledReason?: string | undefined;
    readonly dialog: (onClose: () => void) => ReactNode;
  };
}

/** Shows a list of resources page by page, with the actions on each of them and a way to add one. */
export const ResourceList = <D extends ListDocument>({
  title,
  frame: Frame,
  description,
  request: requestOf,
  searchLabel,
  columns,
  nameOf,
  emptyTitle,
  hint,
  concealed,
  actions = [],
  deletion,
  add,
}: ResourceListProps<D>) => {
  const [page, setPage] = useState(1);
  const [text, setText] = useState('');
  const search = useDebounced(text.trim());
  const request = requestOf(page, search);
  const list = useQuery(apiQuery(request));
  const [dialog, setDialog] = useState<(onClose: () => void) => ReactNode>();
  const open = (content: (onClose: () => void) => ReactNode) => setDialog(() => content);
  // Of several lists on a page, the address names none.
  useAddressedDialog(Frame === Page ? ['new'] : [], () => {
    if (add !== undefined && add.disabledReason === undefined) open(add.dialog);
  });
  const rowActions = [...actions, ...(deletion === undefined ? [] : [deletionAction(deletion)])];
  const shown = list.data && columns(list.data.document, (row) => row.id);
  const header = (
    <>
      <ListMenu title={title} request={request} columns={shown && toFileColumns(shown)} />
      {add !== undefined && (
        <Button
          look={Frame === Page ? 'primary' : 'secondary'}
          icon="plus"
          disabledReason={add.disabledReason}
          onClick={() => open(add.dialog)}
        >
          {add.label}
        </Button>
      )}
    </>
  );
  const total = list.data?.document.meta?.pagination['total-count'];
  const isConcealed = concealed !== undefined && isNotFound(list.error);
  const content = isConcealed ? (
    <p className="muted">{concealed}</p>
  ) : (
    <>
      {searchLabel !== undefined && (
        <div className="cluster">
          <SearchField
            label={searchLabel}
            placeholder={searchLabel}
            value={text}
            onChange={(changed) => {
              setText(changed);
              setPage(1);
            }}
          />
        </div>
      )}
      <Loaded query={list}>
        {({ document }) => {
          const nameOfRow = (row: RowOf<D>) => nameOf(row, document);
          const buttons = rowActions.map(({ dialog: content, ...button }) => ({
            ...button,
            onClick: (row: RowOf<D>) => open((onClose) => content(row, onClose, nameOfRow(row))),
          }));
          return document.data.length === 0 ? (
            search === '' ? (
              <EmptyState title={emptyTitle}>{hint !== undefined && <p className="muted">{hint}</p>}</EmptyState>
            ) : (
              <EmptyState title={`Nothing matches “${search}”`} />
            )
          ) : (
            <>
              {hint !== undefined && <p className="muted">{hint}</p>}
              <DataTable
                label={title}
                rows={document.data}
                rowKey={({ id }) => id}
                columns={[
                  ...toColumns(columns(document, nameOfRow)),
                  ...(rowActions.length > 0 ? [actionColumn(nameOfRow, buttons)] : []),
                ]}
              />
              {document.meta !== undefined && (
                <Pages
                  page={page}
                  pageSize={LIST_PAGE_SIZE}
                  total={document.meta.pagination['total-count']}
                  onChange={setPage}
                />
              )}
            </>
          );
        }}
      </Loaded>
      {dialog?.(() => setDialog(undefined))}
    </>
  );
  return (
    <Frame title={title} aside={<Count total={total} />} actions={header} description={description}>
      {content}
    </Frame>
  );
};
