import { readFileSync } from 'node:fs';
import { unmarshall } from '@aws-sdk/util-dynamodb';
import type { Item } from '../../../shared/store/dynamodb/keys.ts';

const folder = new URL('../../fixtures/tables/', import.meta.url);

/** Name of the table that the previous release filled: `npm run freeze:table` wrote it. */
export const PREVIOUS = 'version-2';

/** Types of items that only the previous release writes. */
export const ONLY_READ: ReadonlySet<string> = new Set(['request-count', 'verification-count']);

/** Reads the items of a table that an earlier release filled, by default the previous one. */
export const readFrozenTable = (name = PREVIOUS): readonly Item[] =>
  readFileSync(new URL(`${name}.jsonl`, folder), 'utf8')
    .trim()
    .split('\n')
    .map((line) => unmarshall(JSON.parse(line, (key, value) => (key === 'B' ? Buffer.from(value, 'base64') : value))));

/** Reads the highest schema version of each item type that the previous release reads. */
export const readPreviousSchemas = (): Readonly<Record<string, number>> =>
  JSON.parse(readFileSync(new URL(`${PREVIOUS}.schemas.json`, folder), 'utf8'));
