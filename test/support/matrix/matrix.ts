import type { RouteId } from '../../../shared/routes/index.ts';
import type { ApiResponse } from '../api/api.ts';
import type { CallerRow } from './matrix-callers.ts';
import type { Caller, Request, Testbed, TestWorkspace } from './testbed.ts';

/**
 * Permission matrix: the expected result of every operation for every kind of caller. It is derived only from the rules
 * (docs/reference/permissions.md) and must not share code with the service, or it would repeat the service's mistakes.
 *
 * The matrix consists of groups, one for each file of `test/endpoints/matrix`. A group is a table: its rows are kinds of
 * callers, its columns are operations, its cells are response statuses. Every caller of `matrix-callers.ts` runs every
 * group, and every route of the route table must be in a column.
 *
 *     export const group = matrixGroup({
 *       name: 'variables',
 *       columns: {
 *         // Without `attempt`, the request has no body and goes to the caller's own workspace.
 *         list: { routes: ['workspace-variables.list'] },
 *         // A cell names the expected content of a list after a colon. `shows` computes the ids for it.
 *         'list everywhere': {
 *           routes: ['variables.list'],
 *           seenBy: 'members',
 *           shows: { everywhere: ({ fixture }) => fixture.all, nothing: () => [] },
 *         },
 *         // Prepares as an owner that is not one of the callers, then sends once. `send` itself asserts that a rejected
 *         // write changes nothing and reveals nothing.
 *         update: {
 *           routes: ['variables.update', 'workspace-variables.update'],
 *           attempt: async ({ testbed, subject, send }) => {
 *             const made = await testbed.sendAsOwner('workspace-variables.create', { subject, body: ... });
 *             await send({ parameters: { variable_id: made.body.data.id }, body: ... });
 *           },
 *         },
 *       },
 *       // One cell for each column, in their order. Each row has as many `|` as the heading.
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
 * A caller has several row names, from its own to that of its class (listed in `matrix-callers.ts`). The first one with
 * a row in the table applies, so that a class needs one row and an exception one more. The cell `.` refers to the row of
 * the next name. The last name of every caller is `anyone`.
 */
export interface Group<F = unknown> {
  readonly name: string;
  /** Runs once after all callers are created. Columns receive its result as `fixture`. Must be declared before them. */
  prepare?(testbed: Testbed): Promise<F>;
  readonly columns: Readonly<Record<string, Column<F>>>;
  readonly table: string;
}

export interface Column<F = unknown> {
  /** Routes with the same expected results. */
  readonly routes: readonly RouteId[];
  attempt?(trial: Trial<F>): Promise<unknown>;
  /** Expected ids of a list by the word in the cell. Such columns run first, before other columns change resources. */
  readonly shows?: Readonly<Record<string, Shown<F>>>;
  /**
   * Callers whose 404 names the missing permission, because they can read the resource. By default those that can read
   * the workspace.
   */
  readonly seenBy?: 'readers' | 'members' | 'everybody' | ((caller: Caller) => boolean);
}

/** Expected ids of a list, in any order. A method type, so that a group with any fixture is a `Group`. */
type Shown<F> = { of(trial: Trial<F>): readonly string[] | Promise<readonly string[]> }['of'];

/** One attempt: a caller, a column and one of its routes. */
export interface Trial<F = unknown> {
  readonly testbed: Testbed;
  readonly caller: Caller;
  readonly route: RouteId;
  readonly fixture: F;
  /** Workspace that the caller has its grants on. */
  readonly subject: TestWorkspace;
  /** Sends the asserted request as the caller, by default to its own workspace. */
  send(request?: Request): Promise<ApiResponse>;
}

/** Defines a group, and infers the type of its fixture. */
export const matrixGroup = <F>(group: Group<F>): Group<F> => group;

/** Expected status and, after a colon, the word for the content of a list. */
export interface Cell {
  readonly status: number;
  readonly shows?: string | undefined;
}

/** Expected cells of a caller by column. */
export type Cells = Readonly<Record<string, Cell>>;

type Row = readonly (Cell | undefined)[];

const parseCell = (text: string): Cell | undefined => {
  if (text === '.') return undefined;
  const [, status, shows] = /^(\d{3})(?::(\S+))?$/.exec(text) ?? [];
  if (status === undefined) throw new Error(`${text} is not a cell`);
  return { status: Number(status), shows };
};

/** Parses the table of a group into rows by name. @throws Error if a row does not fit the heading. */
export const parseRows = ({ name: group, columns, table }: Group): ReadonlyMap<string, Row> => {
  const [heading, ...lines] = table
    .split('\n')
    .filter((line) => line.trim() !== '')
    .map((line) => line.split('|').map((text) => text.trim()));
  const rows = new Map<string, Row>();
  for (const [name = '', ...parts] of lines) {
    const row = parts.flatMap((part) => part.split(/\s+/)).map(parseCell);
    const wanted = Object.keys(columns).length;
    if (row.length !== wanted) throw new Error(`${group}: the row ${name} has ${row.length} of ${wanted} cells`);
    if (parts.length !== (heading?.length ?? 0) - 1)
      throw new Error(`${group}: the row ${name} does not fit the heading`);
    if (rows.has(name)) throw new Error(`${group}: the row ${name} is a duplicate`);
    rows.set(name, row);
  }
  return rows;
};

/**
 * Returns the expected cells of a caller.
 * @throws Error if no row applies to the caller.
 */
export const expectedCells = (group: Group, { name, rows }: CallerRow): Cells => {
  const table = parseRows(group);
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
