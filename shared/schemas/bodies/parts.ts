import Type, { type Static, type TSchema } from 'typebox';
import { limits } from '../../domain/limits.ts';

/** What bodies are made of. */

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
export const id = nullableText(limits.id);
export const resourceIdentifier = nullableObject({ id: Type.Optional(id) });
