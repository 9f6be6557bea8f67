import { writeFileSync } from 'node:fs';
import { estimatedOperations } from '../../bench/cost-model.ts';
import { type Costs, costTables, measureCosts } from '../../bench/cost-report.ts';
import { idleLines } from '../../bench/idle.ts';
import { type Assembly, assemble } from '../local/assembly.ts';
import { withGenerated } from './generated-tables.ts';
import { pageUrl, readPage } from './pages.ts';

/** Reads `docs/operate/costs.md`; as a program, writes its tables again from the templates and the cost model. */

const PAGE = 'docs/operate/costs.md';
export const readCostsPage = (): string => readPage(PAGE);

/** Of the templates, and of operations as the model of demand has them: nothing of it depends on a computer. */
export const measureTemplates = (assembly: Assembly): Costs => measureCosts(estimatedOperations(), idleLines(assembly));

if (import.meta.main) {
  writeFileSync(pageUrl(PAGE), withGenerated(readCostsPage(), costTables(measureTemplates(await assemble()))));
}
