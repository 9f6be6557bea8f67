import { readdirSync, rmSync } from 'node:fs';
import { writeGenerated } from '../lib/write-generated.ts';
import { events } from './schemas/index.ts';

/** Writes the JSON Schema of each event type for consumers of the bus, one file each (`npm run generate`). */
export const published = new URL('./published/', import.meta.url);

export const publishedFiles = (): Readonly<Record<string, string>> =>
  Object.fromEntries(
    Object.entries(events).map(([type, schema]) => {
      const document = { $schema: 'https://json-schema.org/draft/2020-12/schema', ...schema };
      return [`${type}.json`, `${JSON.stringify(document, undefined, 2)}\n`];
    }),
  );

if (import.meta.main) {
  const files = publishedFiles();
  writeGenerated(published, files);
  for (const name of readdirSync(published)) if (!Object.hasOwn(files, name)) rmSync(new URL(name, published));
}
