import { usageError } from '../failure.ts';
import { type Entry, TextReader } from './entry.ts';

/**
 * Reads and writes literal values of HCL, the syntax of terraform. Everything else is an
 * error, so that no file is read in part.
 */

const ESCAPES: Readonly<Record<string, string>> = { n: '\n', r: '\r', t: '\t', '"': '"', '\\': '\\' };
const IDENTIFIER = /[\p{ID_Start}_][\p{ID_Continue}-]*/uy;
const INTERPOLATION = 'Expressions in texts are not supported. Write $${ or %%{ for the text ${ or %{.';

/** Moves behind blanks and comments, and behind newlines if they have no meaning at this place. */
const skip = (reader: TextReader, newlines: boolean): void => {
  const blanks = newlines ? /\s+|#[^\n]*|\/\/[^\n]*|\/\*.*?\*\//sy : /[ \t]+|#[^\n]*|\/\/[^\n]*|\/\*.*?\*\//sy;
  while (reader.take(blanks));
};

/** Reads the text of a string or a heredoc up to its end. @param end not part of the text. */
const readTemplate = (reader: TextReader, isEnd: () => boolean, hasEscapes: boolean): string => {
  const start = reader.position;
  let text = '';
  while (!isEnd()) {
    if (reader.isAtEnd || (hasEscapes && reader.take(/\n/y))) reader.fail('The text has no end.', start);
    const doubled = reader.take(/\$\$\{|%%\{/y);
    if (doubled) text += doubled[0].slice(1);
    else if (reader.take(/[$%]\{/y)) reader.fail(INTERPOLATION);
    else if (hasEscapes && reader.take(/\\/y)) {
      const [, letter, short, long] = reader.take(/([nrt"\\])|u([0-9a-fA-F]{4})|U([0-9a-fA-F]{8})/y) ?? [];
      const code = Number.parseInt(short ?? long ?? '', 16);
      if (letter !== undefined) text += ESCAPES[letter];
      else if (code <= 0x10_ffff) text += String.fromCodePoint(code);
      else reader.fail('The escape is none of \\n, \\r, \\t, \\", \\\\ and those of Unicode characters.');
    } else text += reader.take(/./suy)?.[0] ?? '';
  }
  return text;
};

const readHeredoc = (reader: TextReader, isIndented: boolean, marker: string): string => {
  const end = new RegExp(`[ \\t]*${marker}(?=\\n|$)`, 'y');
  // The end is at the beginning of a line only.
  const text = readTemplate(
    reader,
    () => reader.text[reader.position - 1] === '\n' && reader.take(end) !== null,
    false,
  );
  if (!isIndented) return text;
  const lines = text.split('\n');
  const indents = lines
    .slice(0, -1)
    .flatMap((line) => (line.trim() === '' ? [] : [/^[ \t]*/.exec(line)?.[0].length ?? 0]));
  const indent = Math.min(...indents, Number.MAX_SAFE_INTEGER);
  return lines.map((line) => line.slice(Math.min(indent, /^[ \t]*/.exec(line)?.[0].length ?? 0))).join('\n');
};

/** Reads a text in quotes, or a heredoc. @returns undefined if there is none. */
const readText = (reader: TextReader): string | undefined => {
  if (reader.take(/"/y)) return readTemplate(reader, () => reader.take(/"/y) !== null, true);
  const [, dash, marker] = reader.take(/<<(-?)([\p{ID_Start}_][\p{ID_Continue}-]*)\n/uy) ?? [];
  return marker === undefined ? undefined : readHeredoc(reader, dash === '-', marker);
};

const readList = (reader: TextReader): void => {
  for (;;) {
    skip(reader, true);
    if (reader.take(/\]/y)) return;
    readExpression(reader);
    skip(reader, true);
    if (!reader.take(/,|(?=\])/y)) reader.fail('A comma or ] is missing.');
  }
};

const readObject = (reader: TextReader): void => {
  for (;;) {
    skip(reader, true);
    if (reader.take(/\}/y)) return;
    if (reader.take(IDENTIFIER) === null && readText(reader) === undefined) reader.fail('A key is missing.');
    skip(reader, true);
    if (!reader.take(/=|:/y)) reader.fail('An equals sign is missing.');
    skip(reader, true);
    readExpression(reader);
    skip(reader, false);
    if (!reader.take(/[,\n]|(?=\})/y)) reader.fail('A comma, a new line or } is missing.');
  }
};

/** Reads a literal value. @returns the text, or undefined for a value of another type. */
const readExpression = (reader: TextReader): string | undefined => {
  const text = readText(reader);
  if (text !== undefined) return text;
  if (reader.take(/\[/y)) readList(reader);
  else if (reader.take(/\{/y)) readObject(reader);
  else if (!reader.take(/(-?\d+(\.\d+)?([eE][+-]?\d+)?|true|false|null)(?![\p{ID_Continue}.-])/uy)) {
    reader.fail('This is not a literal value. References, functions and operators are not supported.');
  }
  return undefined;
};

/**
 * Reads a `.tfvars` file. A text becomes a plain value, and any other value an expression.
 * @throws Failure `usage` with the line, for everything that is not a literal value.
 */
export const readTfvars = (file: string, text: string): readonly Entry[] => {
  const reader: TextReader = new TextReader(file, text);
  const entries: Entry[] = [];
  for (;;) {
    skip(reader, true);
    if (reader.isAtEnd) return entries;
    const [key] = reader.take(IDENTIFIER) ?? [];
    if (key === undefined) reader.fail('This is not a line KEY = VALUE.');
    skip(reader, false);
    if (!reader.take(/=(?!=)/y)) reader.fail('An equals sign is missing.');
    skip(reader, false);
    const start = reader.position;
    const value = readExpression(reader);
    const source = reader.text.slice(start, reader.position);
    skip(reader, false);
    if (!reader.take(/\n|$/y)) reader.fail('There is something behind the value.');
    entries.push({ key, category: 'infra', value: value ?? source, hcl: value === undefined });
  }
};

/** A number of JSON as it is written, because a large one would lose digits. */
class NumberText {
  readonly source: string;

  constructor(source: string) {
    this.source = source;
  }
}

const CONTROLS: Readonly<Record<string, string>> = { '\n': '\\n', '\r': '\\r', '\t': '\\t' };

/** Formats a text as a literal of HCL. */
export const formatHclText = (text: string): string =>
  `"${text
    .replaceAll(/[\\"]/g, '\\$&')
    .replaceAll(/\$\{/g, '$$$${')
    .replaceAll(/%\{/g, '%%{')
    .replaceAll(
      /\p{Cc}/gu,
      (character) => CONTROLS[character] ?? `\\u${character.charCodeAt(0).toString(16).padStart(4, '0')}`,
    )}"`;

const toHcl = (value: unknown): string => {
  if (value instanceof NumberText) return value.source;
  if (typeof value === 'string') return formatHclText(value);
  if (Array.isArray(value)) return `[${value.map(toHcl).join(', ')}]`;
  if (typeof value !== 'object' || value === null) return String(value);
  const members = Object.entries(value).map(([key, member]) => `${formatHclText(key)} = ${toHcl(member)}`);
  return members.length === 0 ? '{}' : `{ ${members.join(', ')} }`;
};

type ParseWithSource = (
  text: string,
  reviver: (key: string, value: unknown, context: { readonly source?: string }) => unknown,
) => unknown;

/** Reads a `.tfvars.json` file. A text becomes a plain value, and any other value an expression. @throws Failure `usage` */
export const readTfvarsJson = (file: string, text: string): readonly Entry[] => {
  let content: unknown;
  try {
    content = (JSON.parse as ParseWithSource)(text, (_, value, { source }) =>
      typeof value === 'number' ? new NumberText(source ?? String(value)) : value,
    );
  } catch {
    // The message of the parser contains a part of the text, which may be a secret.
    throw usageError(`${file} is not JSON.`, 'Nothing was changed.');
  }
  if (typeof content !== 'object' || content === null || Array.isArray(content) || content instanceof NumberText) {
    throw usageError(`${file} is not a JSON object.`, 'Nothing was changed.');
  }
  return Object.entries(content).map(([key, value]) => ({
    key,
    category: 'infra',
    value: typeof value === 'string' ? value : toHcl(value),
    hcl: typeof value !== 'string',
  }));
};

/** Formats a line of a `.tfvars` file. @returns undefined for a key or an expression that such a file cannot have. */
export const formatTfvarsLine = (key: string, value: string, hcl: boolean): string | undefined => {
  const line = `${key} = ${hcl ? value.trim() : formatHclText(value)}`;
  try {
    // A stored expression can be any text. It must not become several lines with other variables.
    const [first, ...others] = readTfvars('', line);
    return first?.key === key && others.length === 0 ? line : undefined;
  } catch {
    return undefined;
  }
};
