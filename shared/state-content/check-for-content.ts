import { unavailable } from '../domain/errors.ts';
import { openInvoke } from '../runtime/invoke.ts';

/** Has the content of a state version looked for and, where it has come, made a part of its workspace. */
export type CheckForContent = (whose: {
  readonly workspace: string;
  readonly id: string;
  readonly createdAt: number;
}) => Promise<unknown>;

/** Below the time after which the caller itself is cut off: what is read for longer is found read a moment later. */
const MILLISECONDS = 12_000;

/** Asks the function that reads what was uploaded, of this name. */
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
