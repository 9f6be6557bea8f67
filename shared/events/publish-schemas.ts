import { readdirSync, rmSync } from 'node:fs';
import { writeGenerated } from '../lib/write-generated.ts';
import { incomingEvents } from './schemas/incoming.ts';
import { outgoingEvents } from './schemas/outgoing.ts';
import { organizationEvents } from './schemas/outgoing-organization.ts';
import { variableSetEvents } from './schemas/outgoing-variable-sets.ts';
import { snapshotEvents } from './schemas/snapshots.ts';

/** Schemas of all event types on the bus. */
export const events = {
  ...outgoingEvents,
  ...variableSetEvents,
  ...organizationEvents,
  ...snapshotEvents,
  ...incomingEvents,
};

/** Folder of the JSON Schemas of all event types, for consumers of the bus (`npm run generate`). */
export const published = new URL('./published/', import.meta.url);

/** Builds the JSON Schema file of each event type. @returns contents by file name. */
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
