import { AsyncLocalStorage } from 'node:async_hooks';

const readOnly = new AsyncLocalStorage<true>();

/** Thrown in place of a write while an operation runs without writes. */
class WriteReached extends Error {
  override readonly name = 'WriteReached';
}

/**
 * Runs an operation up to its first write, which is not sent: to check whether the caller may execute it (HTTP-39).
 * @throws whatever the operation throws before that.
 */
export const withoutWrites = async (work: () => Promise<unknown>): Promise<void> => {
  try {
    await readOnly.run(true, work);
  } catch (error) {
    if (!(error instanceof WriteReached)) throw error;
  }
};

/** @throws WriteReached while an operation runs without writes. */
export const requireWritable = (): void => {
  if (readOnly.getStore()) throw new WriteReached();
};
