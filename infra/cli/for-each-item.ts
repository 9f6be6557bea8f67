import { RequestShown } from './api.ts';
import { type ExitCode, exitCodes, Failure } from './failure.ts';
import type { Invocation } from './invocation.ts';
import { toFailure } from './output/errors.ts';
import type { Row } from './output/view.ts';

/** Failures after which no other item can succeed. */
const final: readonly string[] = ['usage', 'notAuthenticated', 'interrupted'];

/** Names the item in the message of its failure, so that the user knows what to repeat. */
const nameItem = (error: unknown, item: unknown): unknown => {
  const failure = toFailure(error);
  return typeof item !== 'string' || failure.message.includes(item)
    ? failure
    : new Failure(failure.exit, `${item}: ${failure.message}`, failure.details);
};

/**
 * Does the same for several items. The failure of one of them is reported, and the others go on; the exit code is then
 * `partial`. A single item fails with its own exit code.
 */
export async function* forEachItem<T>(
  { io, reportFailure }: Invocation,
  items: readonly T[],
  run: (item: T) => Promise<Row>,
): AsyncGenerator<Row, ExitCode> {
  let code: ExitCode = exitCodes.done;
  let shown: RequestShown | undefined;
  for (const [index, item] of items.entries()) {
    if (items.length > 1) io.progress(`${index + 1} of ${items.length}`);
    let row: Row;
    try {
      row = await run(item);
    } catch (error) {
      if (error instanceof RequestShown) shown = error;
      else if (items.length === 1 || (error instanceof Failure && final.includes(error.exit))) throw error;
      else {
        reportFailure(nameItem(error, item));
        code = exitCodes.partial;
      }
      continue;
    }
    yield row;
  }
  if (shown !== undefined) throw shown;
  return code;
}
