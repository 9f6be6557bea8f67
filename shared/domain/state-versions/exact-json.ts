/**
 * JSON in which numbers stay what they were written as: states hold some that no floating point number is, and an
 * output must come out as it went in.
 */

/** What the language's own types do not know yet. */
const { rawJSON, parse } = JSON as unknown as {
  rawJSON: (text: string) => object;
  parse: (text: string, reviver: (key: string, value: unknown, context: { source?: string }) => unknown) => unknown;
};

/** A number as it is written: one of the language's where that is written the same. */
export const exactNumber = (text: string): unknown => (String(Number(text)) === text ? Number(text) : rawJSON(text));

export const parseExactly = (text: string): unknown =>
  parse(text, (_, value, { source }) => (typeof value === 'number' && source ? exactNumber(source) : value));
