import { readFileSync, writeFileSync } from 'node:fs';
import { measureScale } from '../../bench/scale.ts';
import { scaleTables } from '../../bench/scale-report.ts';
import { withGenerated } from './generated-tables.ts';

/** Reads `docs/operate/scale.md`; as a program, writes its tables again from the simulation. */

const file = new URL('../../../docs/operate/scale.md', import.meta.url);
export const readScalePage = (): string => readFileSync(file, 'utf8');

if (import.meta.main) writeFileSync(file, withGenerated(readScalePage(), scaleTables(measureScale())));
