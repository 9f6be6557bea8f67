import { readFileSync } from 'node:fs';
import { StaticFile } from '../../shared/http/static-file.ts';

/**
 * Opens the folder with the command line and its checksum (HTTP-47). The files are read when they are first requested,
 * because every other start of the function would wait for them.
 */
export const openCommandLine = (folder: URL) => {
  const read = (name: string): string => readFileSync(new URL(name, folder), 'utf8');
  const serve = (name: string, mediaType: string) => {
    let file: StaticFile | undefined;
    return async (): Promise<StaticFile> => {
      if (file === undefined) {
        const [digest = ''] = read('holdfast.mjs.sha256').split(' ');
        // Caches ask each time. Otherwise the file and the checksum could be of two versions.
        file = new StaticFile({ mediaType, text: read(name), digest, headers: { 'cache-control': 'no-cache' } });
      }
      return file;
    };
  };
  return {
    file: serve('holdfast.mjs', 'text/javascript; charset=utf-8'),
    checksum: serve('holdfast.mjs.sha256', 'text/plain; charset=utf-8'),
  };
};
