import type { RouteId } from '../../shared/routes/index.ts';
import type { ExitCode, ExitName } from './failure.ts';
import type { Invocation } from './invocation.ts';
import type { Row, View } from './output/view.ts';
import type { Parameters, ValuesOf } from './parameters.ts';

/** Rows as they arrive. A generator that returns a number ends the command with it as its exit code. */
export type Rows = AsyncGenerator<Row, unknown>;
type Bytes = AsyncIterable<Uint8Array | string>;

/**
 * The result of a command, and how it is printed:
 * `list` prints rows as they arrive, `item` one row. `change` reports a sentence on standard error, and its row only with
 * `--json` or `--csv`; `changes` does it for several. `text` prints the value of one field, `bytes` content as it is, and
 * `program` lets another program print.
 */
export type Result =
  | { readonly kind: 'list'; readonly view: View }
  | { readonly kind: 'item'; readonly view: View }
  | { readonly kind: 'change'; readonly view: View; readonly sentence: (row: Row) => string }
  | { readonly kind: 'changes'; readonly view: View; readonly sentence: (row: Row) => string }
  | { readonly kind: 'text'; readonly view: View; readonly field: string }
  | { readonly kind: 'bytes' }
  | { readonly kind: 'program' };

interface Returned {
  readonly list: Rows;
  readonly item: Promise<Row>;
  readonly change: Promise<Row>;
  readonly changes: Rows;
  readonly text: Promise<Row>;
  readonly bytes: Bytes;
  readonly program: Promise<ExitCode>;
}

/** An entry of the table of commands. Parsing, help, completion, the reference page and the tests follow from it. */
export interface CommandDefinition<A extends Parameters, F extends Parameters, R extends Result> {
  /** The words that the user types, such as `var set`. */
  readonly name: string;
  /** One sentence for lists of commands. */
  readonly summary: string;
  /** Further sentences for the help of the command. */
  readonly description?: string;
  /** In the order in which the user types them. */
  readonly arguments?: A;
  readonly flags?: F;
  /** Routes that the command requests. A test requires that it requests no other. */
  readonly routes: readonly RouteId[];
  readonly result: R;
  /** Lines that the user can copy, without the name of the program. */
  readonly examples: readonly string[];
  /** Meanings of exit codes for this command, where they say more than those of every command. */
  readonly errors?: Partial<Readonly<Record<ExitName, string>>>;
  readonly run: (invocation: Invocation, args: ValuesOf<A>, flags: ValuesOf<F>) => Returned[R['kind']];
}

// biome-ignore lint/suspicious/noExplicitAny: the table holds commands with all kinds of parameters.
export type Command = CommandDefinition<any, any, any>;

/** Commands that belong together in the help and on the reference page. */
export interface Group {
  readonly title: string;
  readonly commands: readonly Command[];
}

/**
 * Defines a command; the types of its values follow from its parameters.
 * @example
 * command({
 *   name: 'unlock',
 *   summary: 'Release a lock',
 *   arguments: { workspace: workspaceArgument },
 *   routes: ['workspaces.show-by-name', 'workspaces.unlock'],
 *   result: { kind: 'change', view: lockView, sentence: ({ name }) => `Unlocked ${name}.` },
 *   examples: ['unlock network'],
 *   run: async ({ api, workspace }, args) => toLockRow(await api.send(unlockWorkspace((await workspace(args.workspace)).id))),
 * })
 */
// biome-ignore lint/complexity/noBannedTypes: no parameters.
export const command = <A extends Parameters = {}, F extends Parameters = {}, const R extends Result = Result>(
  definition: CommandDefinition<A, F, R>,
): CommandDefinition<A, F, R> => definition;
