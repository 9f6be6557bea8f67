import { readdirSync } from 'node:fs';
import { basename } from 'node:path';
import type { Group } from './matrix.ts';

const folder = new URL('../../endpoints/matrix/', import.meta.url);

/** Groups of the matrix, one for each file of the folder. */
export const groups: readonly Group[] = await Promise.all(
  readdirSync(folder)
    .map((file) => basename(file, '.ts'))
    .sort()
    .map(async (name) => ((await import(`../../endpoints/matrix/${name}.ts`)) as { readonly group: Group }).group),
);
