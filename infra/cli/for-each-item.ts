import { RequestShown } from './api.ts';
import { type ExitCode, exitCodes, Failure } from './failure.ts';
import type { Invocation } from './invocation.ts';
import type { Row } from './output/view.ts';

/** Failures after which no other item can succeed. */
const final: readonly string[] = ['usage', 'notAuthenticated', 'interrupted'];

/**
 * Does the same for several items. The failure of one of them is reported, and the others go on; the exit code is then
 * `partial`. A single item fails with its own exit code.
 */
export async function* forEachItem<T>(
  { reportFailure }: Invocation,
  items: readonly T[],
  run: (item: T) => Promise<Row>,
): AsyncGenerator<Row, ExitCode> {
  let code: ExitCode = exitCodes.done;
  let shown: RequestShown | undefined;
  for (const item of items) {
    let row: Row;
    try {
      row = await run(item);
    } catch (error) {
      if (error instanceof RequestShown) shown = error;
      else if (items.length === 1 || (error instanceof Failure && final.includes(error.exit))) throw error;
      else {
        reportFailure(error);
        code = exitCodes.partial;
      }
      continue;
    }
    yield row;
  }
  if (shown !== undefined) throw shown;
  return code;
}
