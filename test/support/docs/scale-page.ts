import { writeFileSync } from 'node:fs';
import { measureScale } from '../../bench/scale.ts';
import { scaleTables } from '../../bench/scale-report.ts';
import { withGenerated } from './generated-tables.ts';
import { pageUrl, readPage } from './pages.ts';

/** Reads `docs/operate/scale.md`; as a program, writes its tables again from the simulation. */

const PAGE = 'docs/operate/scale.md';
export const readScalePage = (): string => readPage(PAGE);

if (import.meta.main) writeFileSync(pageUrl(PAGE), withGenerated(readScalePage(), scaleTables(measureScale())));
