import Type, { type Static, type TArray, type TSchema } from 'typebox';
import { limits } from '../domain/limits.ts';

/** What bodies are made of. */

/** Forms that the directory's names have, whichever way they come. */
export const patterns = {
  /** Letters, digits, `-` and `_`: what stands in paths. */
  pathName: '^[A-Za-z0-9_-]+$',
  /** Those and spaces and dots, none at either end: what is only ever shown. */
  shownName: '^[A-Za-z0-9_-]+([ .]+[A-Za-z0-9_-]+)*$',
  projectName: '^[A-Za-z0-9 _-]+$',
  email: '^[^@\\s]+@[^@\\s]+$',
} as const;

export const text = (maxLength: number, options = {}) => Type.String({ maxLength, ...options });
export const nullableText = (maxLength: number, options = {}) =>
  Type.Unsafe<string | null>({ type: ['string', 'null'], maxLength, ...options });
export const nullableObject = <T extends Record<string, TSchema>>(properties: T, options = {}) =>
  Type.Unsafe<Static<ReturnType<typeof Type.Object<T>>> | null>({
    ...Type.Object(properties),
    type: ['object', 'null'],
    ...options,
  });
export const boolean = Type.Optional(Type.Boolean());
/** The same, with the words that the OpenAPI document has for it. */
export const flag = (description: string) => Type.Optional(Type.Boolean({ description }));
export const oneOf = <const T extends readonly string[]>(values: T, options = {}) =>
  Type.Unsafe<T[number]>({ type: 'string', enum: values, ...options });
/** A relationship to several; clients that mean nothing by it send null. */
export const toMany = <T extends TArray>(elements: T) =>
  Type.Optional(
    nullableObject({ data: Type.Optional(Type.Unsafe<Static<T> | null>({ ...elements, type: ['array', 'null'] })) }),
  );
export const id = nullableText(limits.id);
/** Resources that are put together in one request; clients send whole ones, and only who they are counts. */
export const identifiers = (types: readonly string[], maxItems: number = limits.members) =>
  Type.Array(
    Type.Object({ type: Type.Optional(oneOf(types)), id: Type.String({ minLength: 1, maxLength: limits.id }) }),
    { maxItems },
  );
export const resourceIdentifier = nullableObject({ id: Type.Optional(id) });
/** A relationship that must name one thing. */
export const related = Type.Object({
  data: Type.Object({ id: Type.String({ minLength: 1, maxLength: limits.id }) }),
});
