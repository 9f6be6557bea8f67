import { access } from 'node:fs/promises';
import { readLines } from '../bundle/lines.ts';
import type { ItemResult } from './evaluate.ts';
import { FILES, type ImportFolder, writeFileSafely } from './folder.ts';
import { readNotCarried } from './inventory.ts';
import { type Counts, countItem, DELETED, type Proof, totalOf } from './items.ts';
import { readHandovers } from './journal.ts';
import type { Plan } from './plan.ts';

/** Words for the results of a proof. */
const meanings: Readonly<Record<ItemResult, string>> = {
  same: 'carried',
  create: 'missing',
  update: 'outdated',
  conflict: 'different',
  cannot: 'refused',
  waiting: 'waiting',
};

const row = (cells: readonly (string | number)[]): string =>
  `| ${cells.map((cell) => String(cell).replaceAll('|', '\\|').replaceAll('\n', ' ')).join(' | ')} |\n`;

const table = (headings: readonly string[], rows: readonly string[]): string =>
  rows.length === 0 ? '' : row(headings) + row(headings.map(() => '---')) + rows.join('');

/** Lines of each list in the report. The files have all of them. */
const LONGEST_LIST = 1_000;

const shorten = (rows: readonly string[], count: number, file: string): string =>
  count > rows.length ? `\n${count - rows.length} more are in \`${file}\`.\n` : '';

/** Returns whether the import was verified. */
export const hasProof = (folder: ImportFolder): Promise<boolean> =>
  access(folder.path(FILES.proof)).then(
    () => true,
    () => false,
  );

/** Yields the lines of the proof. */
async function* readProof(folder: ImportFolder): AsyncGenerator<Proof> {
  for await (const line of readLines(folder.path(FILES.proof))) yield JSON.parse(line) as Proof;
}

/** Describes which workspaces are cut over. */
const describeHandovers = async (folder: ImportFolder): Promise<string> => {
  const rows = [...(await readHandovers(folder))]
    .sort(([a], [b]) => (a < b ? -1 : 1))
    .map(([name, { wave, isLocked, isCutOver }]) =>
      row([name, wave, isCutOver ? 'yes' : 'no', isLocked ? 'locked' : 'not locked by this import']),
    );
  return rows.length === 0
    ? 'No workspace has been cut over.\n'
    : table(['Workspace', 'Wave', 'Cut over', 'Source'], rows.slice(0, LONGEST_LIST)) +
        shorten(rows.slice(0, LONGEST_LIST), rows.length, FILES.journal);
};

/** Writes the report for people: what was carried, what was not and why, so that all numbers add up to the inventory. */
export const writeReport = async (folder: ImportFolder, plan: Plan | undefined) => {
  const { description } = folder;
  const counts: Counts = {};
  const different: string[] = [];
  let differences = 0;
  let deleted = 0;
  for await (const { type, name, result, reason = '', detail = '', members = [], accepted } of readProof(folder)) {
    countItem(counts, { type, result, reason });
    if (result === 'same') continue;
    if (reason === DELETED) deleted += 1;
    differences += 1;
    if (different.length === LONGEST_LIST) continue;
    const words = detail || (members.length > 0 ? `Differs in ${members.join(', ')}.` : 'It is not there.');
    different.push(row([type, name, meanings[result], reason, words, accepted === true ? 'yes' : '']));
  }
  const left: string[] = [];
  let notCarried = 0;
  let lines = 0;
  for await (const { type, name, reason, count = 1, detail } of readNotCarried(folder)) {
    notCarried += count;
    lines += 1;
    if (left.length < LONGEST_LIST) left.push(row([type, name, count, reason, detail]));
  }
  const results = Object.keys(meanings) as ItemResult[];
  const numbers = Object.entries(counts)
    .sort(([a], [b]) => (a < b ? -1 : 1))
    .map(([type, ofType]) => {
      const all = Object.values(ofType).reduce((sum, count) => sum + count, 0);
      return row([type, all, ...results.map((result) => ofType[result] ?? 0)]);
    });
  const total = totalOf(counts);
  const carried = total.same;
  const all = Object.values(total).reduce((sum, count) => sum + count, 0);
  const text = [
    `# Import from ${description.source}\n\n`,
    `Target: the organization ${description.target.organization} of ${description.target.url}. Import: ${description.id}.\n\n`,
    `The inventory has ${all + notCarried} objects: ${carried} are carried, ${all - carried} differ or are not there, and ${notCarried} are not carried.\n`,
    deleted === 0 ? '' : `\nBesides, the target has ${deleted} objects of this import that the source has deleted.\n`,
    plan === undefined ? '\nThere is no plan yet.\n' : '',
    '\n## Objects\n\n',
    table(['Type', 'Inventory', ...results.map((result) => meanings[result])], numbers),
    '\n## Not the same\n\n',
    differences === 0
      ? 'Everything is the same.\n'
      : table(['Type', 'Name', 'Result', 'Reason', 'Detail', 'Accepted'], different),
    shorten(different, differences, FILES.proof),
    '\n## Not carried\n\n',
    notCarried === 0
      ? 'Everything that the source has is listed above.\n'
      : table(['Type', 'Name', 'Objects', 'Reason', 'Detail'], left),
    shorten(left, lines, `${FILES.inventory}/not-carried.jsonl`),
    '\n## Cutover\n\n',
    await describeHandovers(folder),
  ];
  await writeFileSafely(folder.path(FILES.report), text.join(''));
  return { counts, results: total, notCarried, deleted };
};
