import { readFileSync, writeFileSync } from 'node:fs';
import { measureScale } from '../bench/scale.ts';
import { scaleTables } from '../bench/scale-report.ts';
import { withGenerated } from './generated-tables.ts';

/** `infra/scale.md`, with the tables that the simulation makes; `node test/support/scale-page.ts` writes them anew. */

const file = new URL('../../infra/scale.md', import.meta.url);
export const readScalePage = (): string => readFileSync(file, 'utf8');

if (import.meta.main) writeFileSync(file, withGenerated(readScalePage(), scaleTables(measureScale())));
