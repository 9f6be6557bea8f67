/** Tables in Markdown that say what the code says, below a comment that names them. */

/** The page with the lines below each mark `<!-- name: … -->` as they should be. @throws Error for a missing mark. */
export const withGenerated = (page: string, tables: Readonly<Record<string, readonly string[]>>): string =>
  Object.entries(tables).reduce((text, [name, lines]) => {
    const place = new RegExp(`(<!-- ${name}[:\\s][^>]*-->\\n\\n)(?:\\|.*\\n)*\\n?`);
    if (!place.test(text)) throw new Error(`The page has no place for the table ${name}`);
    return text.replace(place, (_, mark: string) => `${mark}${lines.join('\n')}\n\n`);
  }, page);

const row = (cells: readonly (string | number)[]): string => `| ${cells.join(' | ')} |`;
/** The lines of a table; nothing in its cells is escaped. */
export const markdownTable = (head: readonly string[], rows: readonly (readonly (string | number)[])[]): string[] => [
  row(head),
  row(head.map(() => '---')),
  ...rows.map(row),
];
