import { execFile } from 'node:child_process';
import { mkdir, rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { gzip } from 'node:zlib';
import { marshall } from '@aws-sdk/util-dynamodb';
import { findBinary } from '../../../infra/local/dynamodb/engine.ts';
import type { Item } from '../../../shared/store/dynamodb/keys.ts';
import { tableDefinition } from './engine.ts';

/** Number of items in one file of an export. */
const ITEMS_PER_FILE = 20_000;

/**
 * Creates a database file of the embedded engine with a table of items. The import of the engine takes seconds for
 * 200,000 items; single writes would take many minutes.
 * @param folder an empty folder. Afterwards it contains only the database file.
 * @returns the path of the database file.
 */
export const importItems = async (folder: string, tableName: string, items: Iterable<Item>): Promise<string> => {
  const data = join(folder, 'export', tableName, 'data');
  await mkdir(data, { recursive: true });
  let lines: string[] = [];
  let files = 0;
  const flush = async (): Promise<void> => {
    await writeFile(join(data, `${files++}.json.gz`), await promisify(gzip)(`${lines.join('\n')}\n`, { level: 1 }));
    lines = [];
  };
  for (const item of items) {
    if (lines.push(JSON.stringify({ Item: marshall(item, { removeUndefinedValues: true }) })) === ITEMS_PER_FILE)
      await flush();
  }
  if (lines.length > 0) await flush();
  const schema = join(folder, 'schema.json');
  const Table = { ...tableDefinition(tableName), TableStatus: 'ACTIVE', CreationDateTime: 1, ItemCount: 0 };
  await writeFile(schema, JSON.stringify({ Table }));
  const output = join(folder, 'dynamodb.db');
  const source = join(folder, 'export');
  await promisify(execFile)(findBinary(), ['import', '--source', source, '--schema', schema, '--output', output]);
  await rm(source, { recursive: true });
  await rm(schema);
  return output;
};
