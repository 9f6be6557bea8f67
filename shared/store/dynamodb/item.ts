/** An item as the table holds it, with plain JavaScript values for attributes. */
export type Item = Readonly<Record<string, unknown>>;
