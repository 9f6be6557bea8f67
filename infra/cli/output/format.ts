import type { Json, Row } from './view.ts';

/** Formats a value for people and for cells: lists with commas, nothing for null. */
export const formatValue = (value: Json): string => {
  if (value === null || value === undefined) return '';
  if (Array.isArray(value)) return value.map(formatValue).join(',');
  return typeof value === 'object' ? JSON.stringify(value) : String(value);
};

/** Shows control characters as escapes, so that a stored text cannot control the terminal or end a line. */
export const withoutControls = (text: string): string =>
  // biome-ignore lint/suspicious/noControlCharactersInRegex: these are the characters in question.
  text.replaceAll(/[\u0000-\u001f\u007f-\u009f\u202a-\u202e\u2066-\u2069]/g, (character) => {
    if (character === '\n') return '\\n';
    if (character === '\t') return '\\t';
    return `\\u${character.charCodeAt(0).toString(16).padStart(4, '0')}`;
  });

const cells = (row: Row, columns: readonly string[]): readonly string[] =>
  columns.map((column) => withoutControls(formatValue(row[column])));

/** Formats a row with tabs between its cells. */
export const formatTabs = (row: Row, columns: readonly string[]): string => `${cells(row, columns).join('\t')}\n`;

const csvCell = (value: string): string => (/[",\r\n]/.test(value) ? `"${value.replaceAll('"', '""')}"` : value);

/** Formats a line of CSV as in RFC 4180, but with the end of line that other programs of a pipeline expect. */
export const formatCsv = (values: readonly string[]): string => `${values.map(csvCell).join(',')}\n`;

const GAP = '  ';
const NARROWEST = 8;
const ELLIPSIS = '…';

/** Formats cells of a table, with times without their milliseconds. */
const tableCells = (row: Row, columns: readonly string[]): readonly string[] =>
  cells(row, columns).map((text) => text.replace(/^(\d{4}-\d{2}-\d{2}T\d{2}:\d{2}:\d{2})\.\d{3}Z$/, '$1Z'));

/** Number of columns of the terminal that a text occupies, without the marks that combine with the character before. */
const widthOf = (text: string): number => {
  let width = 0;
  for (const character of text) {
    if (/\p{Mark}|\u200d/u.test(character)) continue;
    width +=
      /[\u1100-\u115f\u2e80-\ua4cf\uac00-\ud7a3\uf900-\ufaff\ufe30-\ufe6f\uff00-\uff60]|\p{Emoji_Presentation}/u.test(
        character,
      )
        ? 2
        : 1;
  }
  return width;
};

const fit = (text: string, width: number): string => {
  if (widthOf(text) <= width) return text + ' '.repeat(width - widthOf(text));
  let kept = '';
  for (const character of text) {
    if (widthOf(kept + character) > width - 1) break;
    kept += character;
  }
  return kept + ELLIPSIS + ' '.repeat(width - widthOf(kept) - 1);
};

/**
 * Reduces the widest columns until a line fits the terminal. The first one stays whole if the others suffice, because it is what other
 * commands accept.
 */
const reduce = (widths: number[], available: number): readonly number[] => {
  const total = (): number => widths.reduce((sum, width) => sum + width, GAP.length * (widths.length - 1));
  while (total() > available) {
    const widest = Math.max(0, ...widths.slice(1));
    const index = widest > NARROWEST ? widths.indexOf(widest, 1) : 0;
    const width = widths[index] ?? 0;
    if (width <= NARROWEST) break;
    widths[index] = width - 1;
  }
  return widths;
};

/**
 * Creates the function that formats rows as lines of a table that fits the terminal.
 * @param sample rows from which the widths of the columns follow.
 * @param terminalWidth in characters.
 */
export const createTable = (columns: readonly string[], sample: readonly Row[], terminalWidth: number) => {
  const headings = columns.map((column) => column.toUpperCase().replaceAll('-', ' '));
  const texts = [headings, ...sample.map((row) => tableCells(row, columns))];
  const widths = reduce(
    columns.map((_, index) => Math.max(...texts.map((line) => widthOf(line[index] ?? '')))),
    terminalWidth,
  );
  const line = (values: readonly string[]): string =>
    `${values
      .map((value, index) => fit(value, widths[index] ?? 0))
      .join(GAP)
      .trimEnd()}\n`;
  return { header: line(headings), format: (row: Row): string => line(tableCells(row, columns)) };
};

/** Formats a row as lines with a name and a value. */
export const formatFacts = (row: Row, columns: readonly string[]): string => {
  const width = Math.max(...columns.map((column) => column.length));
  return columns
    .map((column) => `${column.padEnd(width)}${GAP}${withoutControls(formatValue(row[column]))}`.trimEnd())
    .map((text) => `${text}\n`)
    .join('');
};

/** Formats a number of bytes, such as `12.3 MB`. */
export const formatSize = (bytes: number): string =>
  bytes < 1_000_000 ? `${Math.ceil(bytes / 1_000)} KB` : `${(bytes / 1_000_000).toFixed(1)} MB`;

const UNITS = [
  ['d', 86_400_000],
  ['h', 3_600_000],
  ['m', 60_000],
  ['s', 1_000],
] as const;

/** Formats an age in its two largest units, such as `3d4h` or `12m5s`. @param age in milliseconds. */
export const formatAge = (age: number): string => {
  let rest = Math.max(age, 0);
  const parts = UNITS.flatMap(([unit, length]) => {
    const amount = Math.floor(rest / length);
    rest -= amount * length;
    return amount > 0 ? [`${amount}${unit}`] : [];
  });
  return parts.length === 0 ? '0s' : parts.slice(0, 2).join('');
};
