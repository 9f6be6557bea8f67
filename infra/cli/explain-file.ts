import { Failure } from './failure.ts';

/** Calls of the file system. Those of the network and of processes have names of their own. */
const CALLS = /^(open|read|write|mkdir|rename|fsync|fdatasync|ftruncate|link|unlink|rmdir|rm|stat|lstat|access)$/;

/**
 * Converts an error of the file system, such as a full disk, to a sentence for the user.
 * @param name what is read or written, if the error has no path.
 */
export const explainFile = async <T>(name: string, run: () => Promise<T>): Promise<T> => {
  try {
    return await run();
  } catch (error) {
    const { code, syscall = '', path = name } = error as NodeJS.ErrnoException;
    if (!CALLS.test(syscall) || code === undefined) throw error;
    throw new Failure('failed', `${path} cannot be read or written (${code}).`, { cause: error });
  }
};
