import { now } from '../lib/clock.ts';
import { type DirectoryWriter, openDirectoryWriter } from '../store/directory/directory-writer.ts';
import { openRemovalStart, type RemovalStart } from '../store/directory/removal/begin-removal.ts';
import type { Dependencies } from './dependencies.ts';

/** Dependencies of operations that change the directory. */
export type WithDirectory<D extends Dependencies> = D & {
  readonly directory: DirectoryWriter;
  /** Starts deletions; the function `cleanup` finishes them. */
  readonly removal: RemovalStart;
};

/** Adds the changes of the directory to the dependencies of a function. */
export const withDirectory = <D extends Dependencies>(dependencies: D): WithDirectory<D> => {
  const directory = openDirectoryWriter(dependencies.database, now);
  return { ...dependencies, directory, removal: openRemovalStart(directory, dependencies.store.workspaces) };
};
