/** JSON functions that TypeScript's type library does not declare yet. */
const exact = JSON as unknown as {
  rawJSON: (text: string) => object;
  parse: (text: string, reviver: (key: string, value: unknown, context: { source?: string }) => unknown) => unknown;
};

/**
 * Parses a number without loss of precision. Outputs of a state must be returned exactly as they were written.
 * @returns a number if it is serialized to the same text, else a raw JSON value.
 */
export const exactNumber = (text: string): unknown =>
  String(Number(text)) === text ? Number(text) : exact.rawJSON(text);

/** Parses JSON without loss of precision in numbers. */
export const parseExactly = (text: string): unknown =>
  exact.parse(text, (_, value, { source }) => (typeof value === 'number' && source ? exactNumber(source) : value));
