import { writeFileSync } from 'node:fs';
import { assemble } from '../local/assembly.ts';
import { withGenerated } from './generated-tables.ts';
import { pageUrl, readPage } from './pages.ts';
import { quotaTable } from './quotas.ts';

/** Reads `docs/operate/quotas.md`; as a program, writes its table again from the templates. */

const PAGE = 'docs/operate/quotas.md';
export const readQuotasPage = (): string => readPage(PAGE);

if (import.meta.main) writeFileSync(pageUrl(PAGE), withGenerated(readQuotasPage(), quotaTable(await assemble())));
