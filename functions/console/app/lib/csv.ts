/** Characters with which a spreadsheet takes a text for a formula. */
const FORMULA = /^[=+\-@\t\r]/;

const toCell = (value: unknown): string => {
  if (value === null || value === undefined) return '';
  const text = typeof value === 'string' ? value : JSON.stringify(value);
  // The apostrophe makes a spreadsheet show the text as it is. Numbers are no texts.
  const safe = typeof value === 'string' && FORMULA.test(text) ? `'${text}` : text;
  return /[",\r\n]/.test(safe) ? `"${safe.replaceAll('"', '""')}"` : safe;
};

/**
 * Writes rows as comma-separated values (RFC 4180), with one column for each name, in the order in which the names first
 * appear. Values that are no texts are written as JSON. A text that a spreadsheet would take for a formula starts with an apostrophe.
 * @param headings names of the columns if there are no rows
 */
export const toCsv = (rows: readonly Readonly<Record<string, unknown>>[], headings: readonly string[] = []): string => {
  const names = rows.length === 0 ? headings : [...new Set(rows.flatMap((row) => Object.keys(row)))];
  return [names, ...rows.map((row) => names.map((name) => row[name]))]
    .map((cells) => `${cells.map(toCell).join(',')}\r\n`)
    .join('');
};
