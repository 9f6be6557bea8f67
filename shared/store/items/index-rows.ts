import type { ListIndex } from '../../list-index/list-index.ts';
import type { ProjectRow, Row } from '../../list-index/row.ts';
import type { Item } from '../dynamodb/item.ts';
import type { indexes } from '../dynamodb/table-definition.ts';
import { projectOf } from './directory-items.ts';
import { tagsOf } from './tag-items.ts';

/** The attributes that the table's index contains. */
type IndexAttribute = (typeof indexes.list)['projected'][number] | (typeof indexes.list)['sortKey'];

/**
 * The attribute of the table's index from which each column of a row is read. A column without an entry does not compile,
 * nor does an attribute that the index does not project: then the index must be replaced, see docs/operate/upgrade.md.
 */
const columnAttributes = {
  id: 'id',
  name: 'name',
  project: 'prj',
  access: 'acc',
  tags: 'tags',
  runStatus: 'rs',
  runAt: 'ra',
  latestChangeAt: 'la',
  hasVariables: 'hv',
  hasLongText: 'x',
  listedAt: 'lk',
  gone: 'gone',
} as const satisfies Readonly<Record<keyof Row, IndexAttribute>>;

/** Converts a row of the table's index to a row of the list index. */
const rowOf = (item: Item): Row => ({
  id: String(item[columnAttributes.id]),
  name: String(item[columnAttributes.name]),
  project: String(item[columnAttributes.project]),
  access: item[columnAttributes.access] as Row['access'],
  tags: tagsOf(item[columnAttributes.tags]),
  runStatus: (item[columnAttributes.runStatus] ?? null) as Row['runStatus'],
  runAt: (item[columnAttributes.runAt] ?? null) as Row['runAt'],
  latestChangeAt: Number(item[columnAttributes.latestChangeAt]),
  hasVariables: item[columnAttributes.hasVariables] !== undefined,
  hasLongText: item[columnAttributes.hasLongText] !== undefined,
  listedAt: Number(item[columnAttributes.listedAt]),
  gone: item[columnAttributes.gone] !== undefined,
});

/** Converts a project's item, or its row of the table's index, to a row of the list index. */
export const projectRowOf = (item: Item, organization: string): ProjectRow => {
  const { id, name, access, bindings, defaultExecutionMode, defaultAgentPool } = projectOf(item);
  return {
    id,
    name,
    organization,
    access,
    bindings,
    defaultExecutionMode,
    defaultAgentPool,
    listedAt: Number(item['lk']),
    gone: item['gone'] !== undefined,
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
  gone: true,
});

/** Applies rows of the table's index to a list index. */
export const applyItems = (listIndex: ListIndex, organization: string, items: readonly Item[]): void => {
  for (const item of items) {
    if (item['ty'] === 'project') listIndex.applyProject(projectRowOf(item, organization));
    else if (item['ty'] === 'project-tombstone') listIndex.applyProject(tombstoneRowOf(item, organization));
    else listIndex.apply(rowOf(item));
  }
};
