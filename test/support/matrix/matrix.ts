import type { RouteId } from '../../../shared/routes/index.ts';
import type { ApiResponse } from '../api/api.ts';
import type { CallerRow } from './matrix-callers.ts';
import type { Caller, Request, Subject, World } from './matrix-world.ts';

/**
 * Who may do what, written down from the rules (docs/reference/permissions.md) and from nothing else: it must not share
 * a line with the code that decides, or it would repeat its mistakes.
 *
 * The matrix is made of groups, each a file of `test/endpoints/matrix`, found by being there. A group is a table: its
 * rows are kinds of callers, its columns are what a caller tries, its cells are the statuses that come back. Every
 * group is asked as every caller of `matrix-callers.ts`, and every route of the route table must stand in a column.
 *
 *     export const group = matrixGroup({
 *       name: 'variables',
 *       columns: {
 *         // Without an attempt the request goes to the caller's own workspace, without a body.
 *         list: { routes: ['workspace-variables.list'] },
 *         // What a list shows stands in the cell, behind a colon; `shows` says which ids that are.
 *         'list everywhere': {
 *           routes: ['variables.list'],
 *           seenBy: 'members',
 *           shows: { everywhere: ({ fixture }) => fixture.all, nothing: () => [] },
 *         },
 *         // Prepares as the keeper, an owner who is none of the callers; then sends, once. A refused write is known to
 *         // have changed nothing, and to have told no more than it may: attempts need not look.
 *         update: {
 *           routes: ['variables.update', 'workspace-variables.update'],
 *           attempt: async ({ world, subject, send }) => {
 *             const made = await world.keep('workspace-variables.create', { subject, body: ... });
 *             await send({ parameters: { variable_id: made.body.data.id }, body: ... });
 *           },
 *         },
 *       },
 *       // One cell for each column, in their order; `|` is for the eye, and must stand as often as in the heading.
 *       table: `
 *                                  | list | list everywhere | update
 *         owner                    | 200  | 200:everywhere  | 200
 *         project read             | 200  | 200:everywhere  | 404
 *         custom                   | 404  | 200:nothing     | 404
 *         custom variables read    | 200  | 200:everywhere  | .
 *         ...
 *       `,
 *     });
 *
 * A caller has several names, from its own to that of its class (`matrix-callers.ts` lists them): its first one that
 * the table has a row for counts, so that classes need one row and exceptions need one more. `.` is: as in the row of
 * its next name. The last name of everybody is `anyone`.
 */
export interface Group<F = unknown> {
  readonly name: string;
  /** Once, after all callers were made; stands before the columns, which are given what it gives as their `fixture`. */
  prepare?(world: World): Promise<F>;
  readonly columns: Readonly<Record<string, Column<F>>>;
  readonly table: string;
}

export interface Column<F = unknown> {
  /** The same is expected of each. */
  readonly routes: readonly RouteId[];
  attempt?(trial: Trial<F>): Promise<unknown>;
  /** For lists: what the words in the cells stand for. Such columns are tried first, before anything is changed. */
  readonly shows?: Readonly<Record<string, Shown<F>>>;
  /**
   * Whom a 404 tells what is missing, because they know that the thing is there; otherwise those who may read the
   * workspace.
   */
  readonly seenBy?: 'readers' | 'members' | 'everybody' | ((caller: Caller) => boolean);
}

/** The ids that a list is to show, in any order. A method's type, so that a group of any fixture is a group. */
type Shown<F> = { of(trial: Trial<F>): readonly string[] | Promise<readonly string[]> }['of'];

/** One caller, trying one column by one of its routes. */
export interface Trial<F = unknown> {
  readonly world: World;
  readonly caller: Caller;
  readonly route: RouteId;
  readonly fixture: F;
  /** The workspace that the caller's grants are on. */
  readonly subject: Subject;
  /** Sends the request that counts, as the caller; to its own workspace where nothing else is said. */
  send(request?: Request): Promise<ApiResponse>;
}

export const matrixGroup = <F>(group: Group<F>): Group<F> => group;

/** What a cell says: the status and, behind a colon, what a list shows. */
export interface Cell {
  readonly status: number;
  readonly shows?: string | undefined;
}

/** The cells of a caller, by column. */
export type Cells = Readonly<Record<string, Cell>>;

type Row = readonly (Cell | undefined)[];

const cellOf = (text: string): Cell | undefined => {
  if (text === '.') return undefined;
  const [, status, shows] = /^(\d{3})(?::(\S+))?$/.exec(text) ?? [];
  if (status === undefined) throw new Error(`${text} is not a cell`);
  return { status: Number(status), shows };
};

/** The rows of a table, by name. */
export const rowsOf = ({ name: group, columns, table }: Group): ReadonlyMap<string, Row> => {
  const [heading, ...lines] = table
    .split('\n')
    .filter((line) => line.trim() !== '')
    .map((line) => line.split('|').map((text) => text.trim()));
  const rows = new Map<string, Row>();
  for (const [name = '', ...parts] of lines) {
    const row = parts.flatMap((part) => part.split(/\s+/)).map(cellOf);
    const wanted = Object.keys(columns).length;
    if (row.length !== wanted) throw new Error(`${group}: the row ${name} has ${row.length} of ${wanted} cells`);
    if (parts.length !== (heading?.length ?? 0) - 1) throw new Error(`${group}: the row ${name} is not as the heading`);
    if (rows.has(name)) throw new Error(`${group}: the row ${name} is there twice`);
    rows.set(name, row);
  }
  return rows;
};

/**
 * What the matrix expects of a caller.
 * @throws Error where no row is for it.
 */
export const cellsOf = (group: Group, { name, rows }: CallerRow): Cells => {
  const table = rowsOf(group);
  const mine = [...rows, 'anyone'].map((row) => table.get(row)).filter((row) => row !== undefined);
  if (mine.length === 0) throw new Error(`${group.name} has no row for ${name}: one of ${rows.join(', ')}`);
  return Object.fromEntries(
    Object.keys(group.columns).map((column, index) => {
      const cell = mine.map((row) => row[index]).find((given) => given !== undefined);
      if (cell === undefined) throw new Error(`${group.name}: ${column} has no cell for ${name}`);
      return [column, cell];
    }),
  );
};
