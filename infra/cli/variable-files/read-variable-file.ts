import { basename } from 'node:path';
import { usageError } from '../failure.ts';
import type { Entry } from './entry.ts';
import { readEnvFile } from './env-file.ts';
import { readJsonFile } from './json-file.ts';
import { readTfvars, readTfvarsJson } from './tfvars.ts';

const readers: readonly (readonly [name: RegExp, read: (file: string, text: string) => readonly Entry[]])[] = [
  [/\.tfvars$/, readTfvars],
  [/\.tfvars\.json$/, readTfvarsJson],
  [/\.json$/, readJsonFile],
  [/^\.env$|^\.env\.|\.env$/, readEnvFile],
];

/**
 * Reads the variables of a file whose name tells its format.
 * @throws Failure `usage` for a file of another format, and for anything in the file that is not understood.
 */
export const readVariableFile = (file: string, text: string): readonly Entry[] => {
  const [, read] = readers.find(([name]) => name.test(basename(file))) ?? [];
  if (read === undefined) {
    throw usageError(`The name of ${file} tells no format.`, 'It ends with .tfvars, .tfvars.json, .json or .env.');
  }
  const entries = read(file, text);
  const seen = new Set<string>();
  for (const { category, key } of entries) {
    if (seen.has(`${category} ${key}`)) throw usageError(`${file} sets ${key} twice.`, 'Nothing was changed.');
    seen.add(`${category} ${key}`);
  }
  return entries;
};
