import { type RecordOf, type RecordType, types } from '../../../shared/bundle/types.ts';

const sorted = (value: unknown): unknown => {
  if (Array.isArray(value)) return value.map(sorted);
  if (typeof value !== 'object' || value === null) return value;
  const entries = Object.entries(value).sort(([a], [b]) => (sortable(a) < sortable(b) ? -1 : 1));
  // `Object.fromEntries` would put names of digits first.
  return new Map(entries.map(([name, member]) => [name, sorted(member)]));
};

const write = (value: unknown): string => {
  if (value instanceof Map) {
    const members = [...value].filter(([, member]) => member !== undefined);
    return `{${members.map(([name, member]) => `${JSON.stringify(name)}:${write(member)}`).join(',')}}`;
  }
  return Array.isArray(value) ? `[${value.map(write).join(',')}]` : JSON.stringify(value ?? null);
};

/** Writes a value as JSON without blanks, the members of objects sorted by the UTF-8 bytes of their names (BUNDLE-4). */
export const canonicalJson = (value: unknown): string => write(sorted(value));

/** Converts a text to one whose UTF-16 code units compare as the UTF-8 bytes of the text do. */
export const sortable = (text: string): string =>
  // biome-ignore lint/suspicious/noControlCharactersInRegex: texts in ASCII are their own bytes.
  /^[\u0000-\u007f]*$/.test(text) ? text : Buffer.from(text).toString('latin1');

/**
 * Returns a text that identifies a record among those of its type. Comparing the texts gives the order of the lines (BUNDLE-5).
 */
export const keyOf = <T extends RecordType>(type: T, record: RecordOf<T>): string =>
  (types[type].identity as readonly (keyof RecordOf<T>)[])
    .map((member) => {
      const value: unknown = record[member];
      // A number sorts by its value. The end of a member sorts before all other characters.
      const text = typeof value === 'number' ? String(value).padStart(16, '0') : sortable(String(value));
      return `${text.replaceAll('\u0000', '\u0000\u0001')}\u0000\u0000`;
    })
    .join('');

/** Writes the key of a record for people. */
export const describeKey = <T extends RecordType>(type: T, record: RecordOf<T>): string =>
  (types[type].identity as readonly (keyof RecordOf<T>)[]).map((member) => String(record[member])).join('/');

/** Encodes a name as the name of a folder: everything but ASCII letters, digits, `-` and `_` becomes `%` and two digits. */
export const encodeName = (name: string): string =>
  [...Buffer.from(name)]
    .map((byte) => {
      const character = String.fromCharCode(byte);
      return /[A-Za-z0-9_-]/.test(character) ? character : `%${byte.toString(16).toUpperCase().padStart(2, '0')}`;
    })
    .join('');
