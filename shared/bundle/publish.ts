import { readdirSync, rmSync } from 'node:fs';
import { writeGenerated } from '../lib/write-generated.ts';
import { manifest, schemas } from './schemas.ts';

/** Folder of the JSON Schemas of a bundle, for programs that read or write one (`npm run generate`). */
export const published = new URL('./published/', import.meta.url);

/** Builds the JSON Schema file of each type of record, and that of the manifest. @returns contents by file name. */
export const publishedFiles = (): Readonly<Record<string, string>> =>
  Object.fromEntries(
    Object.entries({ ...schemas, bundle: manifest }).map(([title, schema]) => {
      const document = { $schema: 'https://json-schema.org/draft/2020-12/schema', title, ...schema };
      return [`${title}.json`, `${JSON.stringify(document, undefined, 2)}\n`];
    }),
  );

if (import.meta.main) {
  const files = publishedFiles();
  writeGenerated(published, files);
  for (const name of readdirSync(published)) if (!Object.hasOwn(files, name)) rmSync(new URL(name, published));
}
