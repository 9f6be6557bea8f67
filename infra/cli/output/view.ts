import { everyOf } from '../every-of.ts';

/** A JSON value. */
export type Json = string | number | boolean | null | undefined | readonly Json[] | { readonly [name: string]: Json };

/** One result of a command: a flat object whose names are stable. */
export type Row = Readonly<Record<string, Json>>;

/**
 * Yielded before the rows of a list that waits for more. Each row is then complete at once: a line with tabs, of CSV, or of JSON.
 */
export const live: Row = {};

/** The fields of a result, for `--json` and `--csv`, and those that are columns of the table. */
export interface View {
  readonly fields: readonly string[];
  /** The first column is what other commands accept as their argument. */
  readonly columns: readonly string[];
}

/** Defines a view. @param fields in addition to the columns. */
export const defineView = (columns: readonly string[], fields: readonly string[] = []): View => ({
  columns,
  fields: [...new Set([...columns, ...fields])],
});

interface Resource {
  readonly id?: string;
  readonly attributes?: object;
  readonly relationships?: object;
}

/**
 * Flattens a JSON:API resource: the id, the attributes by their names in the API, and the ids of related resources as
 * `<relationship>-id`.
 */
export const flatten = ({ id, attributes, relationships = {} }: Resource): Row => ({
  id,
  ...attributes,
  ...Object.fromEntries(
    Object.entries(relationships).flatMap(([name, value]) => {
      const { data } = value as { readonly data?: { readonly id: string } | readonly unknown[] | null };
      return data === undefined || Array.isArray(data)
        ? []
        : [[`${name}-id`, (data as { readonly id: string } | null)?.id ?? null]];
    }),
  ),
});

/**
 * Checks at compile time that a list names every attribute of a resource, so that a new attribute of the API is a type error.
 * @example attributesOf<Schemas['SshKey']>()('name', 'created-at')
 */
export const attributesOf = <R extends { readonly attributes: object }>() => everyOf<keyof R['attributes'] & string>();
