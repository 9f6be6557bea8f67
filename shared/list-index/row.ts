import type { Project } from '../domain/directory/records.ts';
import type { Workspace } from '../domain/workspace/workspace-record.ts';
import { type ColumnAttribute, type ColumnName, type ColumnValues, columns } from './columns.ts';

/** A workspace as the list index stores it: what lists filter, sort and authorize by. */
export interface Row extends ColumnValues {
  /** Whether the workspace is deleted. */
  readonly gone: boolean;
}

/** The deletion of a workspace. */
export interface DeletedRow {
  readonly id: string;
  readonly gone: true;
}

/** A project as the list index stores it: what its workspaces inherit. Snapshots contain it in this form. */
export type ProjectRow = Pick<
  Project,
  'id' | 'name' | 'organization' | 'access' | 'bindings' | 'defaultExecutionMode' | 'defaultAgentPool'
> & {
  readonly listedAt: number;
  /** Whether the project is deleted, or its deletion has begun. */
  readonly gone: boolean;
};

/** Creates the row of a deleted workspace. */
export const deletedRow = (id: string): DeletedRow => ({ id, gone: true });

const names = Object.keys(columns) as ColumnName[];

/** A row without values. Copying it is faster than adding the properties one by one. */
const emptyRow: Readonly<Record<string, unknown>> = Object.assign(
  Object.fromEntries(names.map((name) => [name, undefined])),
  { gone: false },
);

/**
 * Creates a function that creates rows of existing workspaces.
 * @param attributeReader returns a function that reads an attribute of a workspace from the source of the row.
 */
export const createRowReader = <S>(
  attributeReader: (attribute: ColumnAttribute) => (source: S) => unknown,
): ((source: S) => Row) => {
  const readers = names.map((name) => attributeReader(columns[name].attribute));
  const conversions = names.map((name) => columns[name].read as (value: unknown) => unknown);
  return (source) => {
    const row = { ...emptyRow };
    for (let index = 0; index < names.length; index++) {
      row[names[index] as ColumnName] = conversions[index]?.(readers[index]?.(source));
    }
    return row as unknown as Row;
  };
};

/** Creates the row of an existing workspace. */
export const rowFromWorkspace = createRowReader(
  (attribute) => (workspace: Pick<Workspace, ColumnAttribute>) => workspace[attribute],
);
