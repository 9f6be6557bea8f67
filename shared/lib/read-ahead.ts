import { AsyncLocalStorage } from 'node:async_hooks';
import { startEarly } from './start-early.ts';

/** Reads that were started before it is known whether their results may be used. */
interface ReadAhead {
  /** Whether one of the reads has ended, so that a further one belongs to a later round. */
  hasEnded: boolean;
  readonly allowed: Promise<void>;
}

const current = new AsyncLocalStorage<ReadAhead>();

/**
 * Starts reads before it is known whether their results may be used. Only the first round is sent at once: how many
 * rounds follow depends on what is found, which a caller without permission must not learn from the time of a rejection.
 * @returns `results`, and `allow`, which lets further rounds be sent. Without it they are never sent.
 * @example
 * const { results, allow } = readAhead(() => store.variables.list(workspace));
 * const access = await authorize();
 * allow();
 * return results;
 */
export const readAhead = <T>(reads: () => Promise<T>): { readonly results: Promise<T>; readonly allow: () => void } => {
  const { promise: allowed, resolve: allow } = Promise.withResolvers<void>();
  return { results: startEarly(current.run({ hasEnded: false, allowed }, reads)), allow };
};

/** Sends a read. A read of a later round waits while it belongs to reads that are not allowed yet. */
export const sendInTurn = async <T>(send: () => Promise<T>): Promise<T> => {
  const ahead = current.getStore();
  if (ahead === undefined) return send();
  if (ahead.hasEnded) await ahead.allowed;
  try {
    return await send();
  } finally {
    ahead.hasEnded = true;
  }
};
