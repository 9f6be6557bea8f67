import { type ColumnAttribute, createRowReader } from '../../list-index/columns.ts';
import type { ListIndex } from '../../list-index/list-index.ts';
import { deletedRow, type ProjectRow } from '../../list-index/row.ts';
import type { Item } from '../dynamodb/keys.ts';
import type { indexes } from '../dynamodb/table-definition.ts';
import { projectOf } from './directory-items.ts';
import { decoders, workspaceAttributes, workspaceOf } from './workspace-items.ts';

/** The attributes that the table's index contains. */
type IndexAttribute = (typeof indexes.list)['projected'][number] | (typeof indexes.list)['sortKey'];

/**
 * The attributes from which the columns of the list index are read. A column of an attribute that the table's index does
 * not project does not compile: then the index must be replaced, see docs/operate/upgrade.md.
 */
const projected: Readonly<Record<ColumnAttribute, IndexAttribute>> = workspaceAttributes;

/** Converts a row of the table's index to a row of the list index. */
const rowOf = createRowReader((attribute) => {
  const stored = projected[attribute];
  const decode = decoders[attribute];
  return decode === undefined ? (item: Item) => item[stored] : (item: Item) => decode(item[stored]);
});

/** Converts a project's item, or its row of the table's index, to a row of the list index. */
export const projectRowOf = (item: Item, organization: string): ProjectRow => {
  const { id, name, access, bindings, defaultExecutionMode, defaultAgentPool, defaultDeletionProtection } =
    projectOf(item);
  return {
    id,
    name,
    organization,
    access,
    bindings,
    defaultExecutionMode,
    defaultAgentPool,
    ...(defaultDeletionProtection !== undefined && { defaultDeletionProtection }),
    listedAt: Number(item['lk']),
    isDeleted: item['gone'] !== undefined,
  };
};

/** Converts the tombstone of a deleted project to a row of the list index. */
const tombstoneRowOf = (item: Item, organization: string): ProjectRow => ({
  id: String(item['id']),
  name: '',
  organization,
  access: {},
  bindings: [],
  defaultExecutionMode: null,
  defaultAgentPool: null,
  listedAt: Number(item['lk']),
  isDeleted: true,
});

/** Applies rows of the table's index to a list index. */
export const applyItems = (listIndex: ListIndex, organization: string, items: readonly Item[]): void => {
  for (const item of items) {
    if (item['ty'] === 'project') listIndex.applyProject(projectRowOf(item, organization));
    else if (item['ty'] === 'project-tombstone') listIndex.applyProject(tombstoneRowOf(item, organization));
    else listIndex.apply(item['gone'] === undefined ? rowOf(item) : deletedRow(workspaceOf(item)));
  }
};
