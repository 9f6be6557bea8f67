import { mkdirSync, writeFileSync } from 'node:fs';
import { marshall } from '@aws-sdk/util-dynamodb';
import { itemSchemas } from '../../../shared/store/dynamodb/item-schemas.ts';
import type { Item } from '../../../shared/store/dynamodb/keys.ts';
import { startEngine } from '../engine/engine.ts';
import { scanItems } from '../engine/scan-items.ts';
import { fillTable } from './fill-table.ts';
import { ONLY_READ } from './frozen-table.ts';

/**
 * Writes a table that this release fills into a file, which every later release must read and change, and next to it the
 * highest schema version of each item type that this release reads. Run it before
 * the form of any item changes: `npm run freeze:table -- <name>`.
 */
const [name] = process.argv.slice(2);
if (name === undefined) throw new Error('Name the file, such as version-1');
const engine = await startEngine();
await fillTable(engine);
const items: Item[] = [];
for await (const item of scanItems(engine.database)) items.push(item);
await engine.stop();
const types = new Set(items.map(({ ty }) => ty));
const missing = Object.keys(itemSchemas).filter((type) => !types.has(type) && !ONLY_READ.has(type));
if (missing.length > 0) throw new Error(`There is no item of the types ${missing.join(', ')}`);
/** Binary attributes are written in Base64, as DynamoDB's JSON has them. */
const encode = (key: string, value: unknown): unknown =>
  key === 'B' ? Buffer.from(Object.values(value as object)).toString('base64') : value;
const lines = items.map((item) => JSON.stringify(marshall(item), encode)).sort();
const folder = new URL('../../fixtures/tables/', import.meta.url);
mkdirSync(folder, { recursive: true });
writeFileSync(new URL(`${name}.jsonl`, folder), `${lines.join('\n')}\n`);
const reads = Object.entries(itemSchemas).map(([type, { migrations }]) => [type, migrations.length + 1] as const);
writeFileSync(
  new URL(`${name}.schemas.json`, folder),
  `${JSON.stringify(Object.fromEntries(reads.sort(([one], [other]) => (one < other ? -1 : 1))), undefined, 2)}\n`,
);
console.log(`${lines.length} items of ${types.size} types`);
