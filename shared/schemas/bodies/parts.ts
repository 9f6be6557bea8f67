import Type, { type Static, type TSchema } from 'typebox';
import { limits } from '../../domain/limits.ts';

/** What bodies are made of. */

export const text = (maxLength: number, options = {}) => Type.String({ maxLength, ...options });
export const nullableText = (maxLength: number, options = {}) =>
  Type.Unsafe<string | null>({ type: ['string', 'null'], maxLength, ...options });
export const nullableObject = <T extends Record<string, TSchema>>(properties: T) =>
  Type.Unsafe<Static<ReturnType<typeof Type.Object<T>>> | null>({
    ...Type.Object(properties),
    type: ['object', 'null'],
  });
export const boolean = Type.Optional(Type.Boolean());
export const oneOf = <const T extends readonly string[]>(values: T) =>
  Type.Unsafe<T[number]>({ type: 'string', enum: values });
export const id = nullableText(limits.id);
export const resourceIdentifier = nullableObject({ id: Type.Optional(id) });
