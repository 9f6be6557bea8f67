import { unavailable } from '../domain/errors.ts';
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
