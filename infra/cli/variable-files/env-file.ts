import { type Entry, TextReader } from './entry.ts';

const ESCAPES: Readonly<Record<string, string>> = { n: '\n', r: '\r', t: '\t', '\\': '\\', '"': '"', $: '$', '`': '`' };
/** Programs that read such files do not agree on whether these are replaced. */
const EXPANSION = /\$[\w{($]|`/;

const readDoubleQuoted = (reader: TextReader): string => {
  const start = reader.position;
  let value = '';
  for (;;) {
    value += reader.take(/[^"\\$`]*/y)?.[0] ?? '';
    if (reader.take(/"/y)) return value;
    if (reader.isAtEnd) reader.fail('The quoted value has no end.', start);
    const [, escaped] = reader.take(/\\(.)/y) ?? [];
    if (escaped === undefined) {
      if (EXPANSION.test(reader.text.slice(reader.position, reader.position + 2))) {
        reader.fail('Expansions are not supported. Write \\$ for a dollar sign, or use single quotes.');
      }
      value += reader.take(/./sy)?.[0] ?? '';
    } else {
      value += ESCAPES[escaped] ?? reader.fail(`\\${escaped} is not supported in double quotes. Use single quotes.`);
    }
  }
};

const readValue = (reader: TextReader): string => {
  if (reader.take(/"/y)) return readDoubleQuoted(reader);
  const start = reader.position;
  if (reader.take(/'/y)) {
    const [, value] = reader.take(/([^']*)'/y) ?? [];
    return value ?? reader.fail('The quoted value has no end.', start);
  }
  const value = (reader.take(/[^\n]*/y)?.[0] ?? '').replace(/(^|[ \t])#.*$/, '').trim();
  if (EXPANSION.test(value) || /["'\\]/.test(value)) {
    reader.fail('A value with a quote, backslash, backtick or dollar sign has to be in single quotes.', start);
  }
  return value;
};

/**
 * Reads a file with lines `KEY=value`, as docker and many libraries do. Each line becomes a variable of the environment. A line
 * that such programs read in different ways is an error.
 * @throws Failure `usage` with the line.
 */
export const readEnvFile = (file: string, text: string): readonly Entry[] => {
  const reader: TextReader = new TextReader(file, text);
  const entries: Entry[] = [];
  for (;;) {
    while (reader.take(/[ \t]*(#[^\n]*)?\n/y));
    reader.take(/[ \t]*(#[^\n]*)?/y);
    if (reader.isAtEnd) return entries;
    const [, key] = reader.take(/(?:export[ \t]+)?([A-Za-z_]\w*)[ \t]*=[ \t]*/y) ?? [];
    if (key === undefined) reader.fail('This is not a line KEY=value.');
    const value = readValue(reader);
    if (!reader.take(/[ \t]*(#[^\n]*)?(\n|$)/y)) reader.fail('There is something behind the quoted value.');
    entries.push({ key, category: 'env', value, hcl: false });
  }
};

/** Formats a line `KEY=value` that `readEnvFile` reads. */
export const formatEnvLine = (key: string, value: string): string => {
  if (/^[\w./:@%+,=-]*$/.test(value)) return `${key}=${value}`;
  if (!value.includes("'") && !value.includes('\r')) return `${key}='${value}'`;
  const escaped = value.replaceAll(/[\\"$`]/g, '\\$&');
  return `${key}="${escaped.replaceAll('\n', '\\n').replaceAll('\r', '\\r')}"`;
};

/** Formats a line of a shell script that exports a variable. */
export const formatExport = (key: string, value: string): string => `export ${key}='${value.replaceAll("'", "'\\''")}'`;
