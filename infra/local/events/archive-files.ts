import { join } from 'node:path';

/** An archive is a file with one event as JSON on each line. */
const EXTENSION = '.jsonl';

/** Builds the path of the file of an archive. */
export const archiveFile = (folder: string, archive: string): string => join(folder, archive + EXTENSION);

/** Selects the files of archives, sorted by name. */
export const filterArchiveFiles = (names: readonly string[]): string[] =>
  names.filter((name) => name.endsWith(EXTENSION)).sort();
