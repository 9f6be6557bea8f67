/**
 * `npm run events`: tells what happens on the bus, as it happens, a line for each event. `-- --all` begins with what the
 * archive has, `-- --once` ends after that, `-- --json` prints the events themselves.
 */
import { closeSync, existsSync, fstatSync, openSync, readdirSync, readSync } from 'node:fs';
import { join } from 'node:path';
import { StringDecoder } from 'node:string_decoder';
import { setTimeout as sleep } from 'node:timers/promises';
import { parseArgs } from 'node:util';
import { readLocalSettings } from '../../shared/runtime/environment.ts';
import { type ArchivedEvent, openEventLines } from './events/event-line.ts';
import { messageOf, PlainError } from './gateway/plain-error.ts';
import { openActorNames } from './service/actor-names.ts';
import { archivesIn, eventsFolder, readAccess } from './service/data-folder.ts';

const POLL_MILLIS = 200;
const CHUNK_BYTES = 1024 * 1024;

/** Gives the lines that were added to a file since the last call; the first call gives all. */
const readerOf = (path: string): (() => string[]) => {
  const decoder = new StringDecoder();
  let position = 0;
  let rest = '';
  return () => {
    const file = openSync(path, 'r');
    try {
      const chunk = Buffer.alloc(CHUNK_BYTES);
      while (position < fstatSync(file).size) {
        const read = readSync(file, chunk, 0, chunk.length, position);
        position += read;
        rest += decoder.write(chunk.subarray(0, read));
      }
    } finally {
      closeSync(file);
    }
    const lines = rest.split('\n');
    rest = lines.pop() ?? '';
    return lines;
  };
};

const follow = async (): Promise<void> => {
  const { values } = parseArgs({
    options: { all: { type: 'boolean' }, once: { type: 'boolean' }, json: { type: 'boolean' } },
  });
  const { dataFolder } = readLocalSettings();
  const folder = eventsFolder(dataFolder);
  if (!existsSync(folder)) throw new PlainError(`There are no events in ${folder}: start the service with npm start`);
  const lineOf = openEventLines(openActorNames(readAccess(dataFolder)));
  const readers = new Map<string, () => string[]>();
  for (let isFirst = true; ; isFirst = false) {
    for (const file of archivesIn(readdirSync(folder))) {
      const read = readers.get(file) ?? readerOf(join(folder, file));
      readers.set(file, read);
      for (const text of read()) {
        // Also of those that are not shown: they say what workspaces are called.
        const line = await lineOf(JSON.parse(text) as ArchivedEvent);
        if (!isFirst || values.all) console.log(values.json ? text : line);
      }
    }
    if (values.once) return;
    await sleep(POLL_MILLIS);
  }
};

try {
  await follow();
} catch (error) {
  console.error(messageOf(error));
  process.exitCode = 1;
}
