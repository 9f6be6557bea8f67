import { notFound, StatePending, unavailable } from '../domain/errors.ts';
import type { Workspace } from '../domain/workspace/workspace-record.ts';
import { retry } from '../lib/retry.ts';
import { openInvoke } from '../runtime/invoke.ts';

/** Checks whether the content of a pending state version has been uploaded and, if so, finalizes the state version. */
export type CheckForContent = (stateVersion: {
  readonly workspace: string;
  readonly id: string;
  readonly createdAt: number;
}) => Promise<unknown>;

/** Timeout below the timeout of the calling function. A longer check still finishes, and a repeated request sees its result. */
const MILLISECONDS = 12_000;

/**
 * Opens the content check, which invokes the function that reads uploaded states.
 * @throws DomainError 503 from the check, if the invocation fails or takes too long.
 */
export const openContentCheck = (functionName: string): CheckForContent => {
  const invoke = openInvoke(MILLISECONDS);
  return async ({ workspace, id, createdAt }) => {
    try {
      await invoke(functionName, { workspace, stateVersion: id, createdAt });
    } catch (error) {
      throw unavailable('The latest state version is still pending. Try again shortly.', error);
    }
  };
};

/** Maximum number of content checks. Each check settles one state version or shows that its content is missing. */
const MAX_CHECKS = 3;

/**
 * Runs an operation that must not ignore a state version whose content has already arrived. If the operation throws
 * `StatePending`, the content is checked and the operation is repeated on the current workspace.
 * @param first the workspace for the first attempt.
 * @param attempt receives the id of the state version that was checked last; throws `StatePending` for any other one.
 * @throws DomainError 404 if the workspace was deleted meanwhile; otherwise the errors of `attempt`.
 */
export const retryAfterContentCheck = <T>(
  first: Workspace,
  find: (id: string) => Promise<Workspace | undefined>,
  checkContent: CheckForContent,
  attempt: (image: Workspace, checkedId: string | undefined) => Promise<T>,
): Promise<T> => {
  let checkedId: string | undefined;
  const attemptOnce = async (_: number, error: unknown): Promise<T> => {
    if (!(error instanceof StatePending)) return attempt(first, undefined);
    const { id, at: createdAt } = error.pending;
    await checkContent({ workspace: first.id, id, createdAt });
    checkedId = id;
    const image = await find(first.id);
    if (image === undefined) throw notFound();
    return attempt(image, checkedId);
  };
  return retry(attemptOnce, {
    attempts: MAX_CHECKS + 1,
    retryOn: (error) => error instanceof StatePending && error.pending.id !== checkedId,
  });
};
