import type { ListIndex } from '../../list-index/list-index.ts';
import type { ProjectRow, Row } from '../../list-index/row.ts';
import { projectOf } from '../directory/directory-items.ts';
import type { Item } from '../dynamodb/item.ts';
import { tagsOf } from '../workspaces/tag-items.ts';

/** Converts a row of the table's index to a row of the list index. */
const rowOf = (item: Item): Row => ({
  id: String(item['id']),
  name: String(item['name']),
  project: String(item['prj']),
  access: item['acc'] as Row['access'],
  tags: tagsOf(item['tags']),
  runStatus: (item['rs'] ?? null) as Row['runStatus'],
  runAt: (item['ra'] ?? null) as Row['runAt'],
  latestChangeAt: Number(item['la']),
  hasVariables: item['hv'] !== undefined,
  hasLongText: item['x'] !== undefined,
  listedAt: Number(item['lk']),
  gone: item['gone'] !== undefined,
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
