import { readdirSync, readFileSync } from 'node:fs';
import { gunzipSync } from 'node:zlib';

/** A file of the console in one encoding. */
export interface EncodedFile {
  readonly mediaType: string;
  readonly encoding: 'br' | 'gzip' | 'identity';
  /** In base64. */
  readonly content: string;
}

/** Media types by the ends of names. */
const mediaTypes: Readonly<Record<string, string>> = {
  css: 'text/css; charset=utf-8',
  html: 'text/html; charset=utf-8',
  js: 'text/javascript; charset=utf-8',
  svg: 'image/svg+xml',
  woff2: 'font/woff2',
};

/** Reads a file; undefined if there is none. @param path such as `index.html` or `assets/main-1234abcd.js`. */
export type ReadFile = (path: string, encoding: EncodedFile['encoding']) => EncodedFile | undefined;

/**
 * Opens the folder of the built console, where each file is stored compressed only. An instance keeps the files that it
 * has read.
 */
export const openFiles = (folder: URL): ReadFile => {
  let names: ReadonlySet<string> | undefined;
  const cache = new Map<string, string>();
  const readStored = (name: string): string => {
    const content = cache.get(name) ?? readFileSync(new URL(name, folder)).toString('base64');
    cache.set(name, content);
    return content;
  };
  return (path, encoding) => {
    names ??= new Set(readdirSync(folder, { recursive: true }) as string[]);
    const mediaType = mediaTypes[path.slice(path.lastIndexOf('.') + 1)];
    // Only files that are there, so that no path leads out of the folder.
    if (mediaType === undefined || !names.has(`${path}.gz`)) return undefined;
    if (encoding === 'br') return { mediaType, encoding, content: readStored(`${path}.br`) };
    const gzip = readStored(`${path}.gz`);
    const content = encoding === 'gzip' ? gzip : gunzipSync(Buffer.from(gzip, 'base64')).toString('base64');
    return { mediaType, encoding, content };
  };
};
