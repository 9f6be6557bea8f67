/** `npm run events`: prints the events on the bus of the running service. */
import { closeSync, existsSync, fstatSync, openSync, readdirSync, readSync } from 'node:fs';
import { join } from 'node:path';
import { StringDecoder } from 'node:string_decoder';
import { setTimeout as sleep } from 'node:timers/promises';
import { readLocalSettings } from '../../shared/runtime/environment.ts';
import { PlainError, readArguments, runProgram } from '../command-line.ts';
import { type ArchivedEvent, createActorNames, createEventFormatter } from './cli/event-line.ts';
import { filterArchiveFiles } from './events/bus.ts';
import { eventsFolder, readAccess } from './service/data-folder.ts';

const usage = `Usage: npm run events -- [--all] [--once] [--json]

Prints one line for each new event on the bus of the running service, until Ctrl-C.

  --all   first prints the archived events
  --once  does not wait for new events
  --json  prints the events as JSON`;

const POLL_MILLIS = 200;
const CHUNK_BYTES = 1024 * 1024;

/** Creates a function that returns the lines that were added to a file since its last call. */
const createLineReader = (path: string): (() => string[]) => {
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
  const { values } = readArguments(usage, {
    options: { all: { type: 'boolean' }, once: { type: 'boolean' }, json: { type: 'boolean' } },
  });
  const { dataFolder } = readLocalSettings();
  const folder = eventsFolder(dataFolder);
  if (!existsSync(folder)) throw new PlainError(`There are no events in ${folder}: start the service with npm start`);
  const formatEvent = createEventFormatter(createActorNames(readAccess(dataFolder)));
  const readers = new Map<string, () => string[]>();
  for (let isFirst = true; ; isFirst = false) {
    for (const file of filterArchiveFiles(readdirSync(folder))) {
      const read = readers.get(file) ?? createLineReader(join(folder, file));
      readers.set(file, read);
      for (const text of read()) {
        // Events that are not printed are formatted too, because they contain names of workspaces.
        const line = await formatEvent(JSON.parse(text) as ArchivedEvent);
        if (!isFirst || values.all) console.log(values.json ? text : line);
      }
    }
    if (values.once) return;
    await sleep(POLL_MILLIS);
  }
};

await runProgram(follow);
