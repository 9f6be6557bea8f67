import Type, { type Static, type TArray, type TProperties } from 'typebox';
import { limits } from '../domain/limits.ts';
import { nullable, nullableObject, oneOf, text } from './schema.ts';

/** Builders of the schemas of documents and relationships in requests. */

/** An id, or null. */
export const nullableId = nullable(text(undefined, { maxLength: limits.id }));

/** A resource identifier of which only the id counts, or null. */
export const resourceIdentifier = nullableObject({ id: Type.Optional(nullableId) });

/** A relationship that must name one resource. */
export const related = Type.Object({
  data: Type.Object({ id: Type.String({ minLength: 1, maxLength: limits.id }) }),
});

/** A relationship to one resource, or to none. */
export const toOne = Type.Optional(nullableObject({ data: Type.Optional(resourceIdentifier) }));

/** Builds the schema of a relationship to several resources. Some clients send null for no change. */
export const toMany = <T extends TArray>(elements: T) =>
  Type.Optional(
    nullableObject({ data: Type.Optional(Type.Unsafe<Static<T> | null>({ ...elements, type: ['array', 'null'] })) }),
  );

/** Builds the schema of the resource identifiers of a list. Whole resources are accepted as well. */
export const identifiers = (types: readonly string[], maxItems: number = limits.members) =>
  Type.Array(
    Type.Object({ type: Type.Optional(oneOf(types)), id: Type.String({ minLength: 1, maxLength: limits.id }) }),
    { maxItems },
  );

/** Builds the schema of a document with one resource, from the schemas and examples of the members of the resource. */
export const documentWith = <M extends TProperties>(members: M, ...examples: readonly object[]) =>
  Type.Object({ data: Type.Object(members) }, { examples: examples.map((data) => ({ data })) });

/** Builds the schema of a document with a list, from the schema of the list and an example of an element. */
export const listWith = <A extends TArray>(elements: A, example: object) =>
  Type.Object({ data: elements }, { examples: [{ data: [example] }] });
