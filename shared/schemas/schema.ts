import Type, { type Static, type TObject, type TProperties, type TSchema } from 'typebox';
import type { Features } from '../domain/editions.ts';
import { ID_BODY } from '../domain/ids.ts';
import { BASE_PATH } from '../routes/api.ts';

/** Builders of the JSON Schemas of requests and responses. The OpenAPI document shows their descriptions. */

interface Annotations {
  readonly description?: string;
  readonly examples?: readonly unknown[];
  readonly deprecated?: true;
}

/** Builds the schema of an object in a response. It is closed: tests fail for a member without a description. */
export function object<const P extends TProperties>(properties: P, annotations: Annotations = {}) {
  return Type.Object(properties, { additionalProperties: false, ...annotations });
}

/** Builds the schema of an object in a request. It is open: members that the service does not know are ignored. */
export function openObject<const P extends TProperties>(properties: P) {
  return Type.Object(properties);
}

/** Builds the schema of an object in a request that may be null. `options` are further JSON Schema keywords. */
export function nullableObject<const P extends TProperties>(properties: P, options: object = {}) {
  return Type.Unsafe<Static<TObject<P>> | null>({
    ...Type.Object(properties),
    type: ['object', 'null'],
    ...options,
  });
}

/** Builds the schema of a string. `options` are further JSON Schema keywords. */
export function text(description?: string, options: object = {}) {
  return Type.String({ ...(description && { description }), ...options });
}

/** Builds the schema of a boolean. `options` are further JSON Schema keywords. */
export function flag(description?: string, options: object = {}) {
  return Type.Boolean({ ...(description && { description }), ...options });
}

/** Builds the schema of an integer that is not negative. `options` are further JSON Schema keywords. */
export function count(description?: string, options: object = {}) {
  return Type.Integer({ minimum: 0, ...(description && { description }), ...options });
}

/** Builds the schema of a string that is one of `values`. */
export function oneOf<const V extends readonly string[]>(values: V, description?: string) {
  return Type.Unsafe<V[number]>({ type: 'string', enum: [...values], ...(description && { description }) });
}

/** Builds the schema of a string that always has this value. */
export function constant<const V extends string>(value: V, description?: string) {
  return Type.Unsafe<V>({ type: 'string', const: value, ...(description && { description }) });
}

/** Builds the schema of an array. `options` are further JSON Schema keywords. */
export function list<S extends TSchema>(items: S, description?: string, options: object = {}) {
  return Type.Unsafe<readonly Static<S>[]>(Type.Array(items, { ...(description && { description }), ...options }));
}

/** Builds the schema of an object that has a boolean for each name. */
export function flags<const N extends readonly string[]>(names: N, description?: string) {
  const properties = Object.fromEntries(names.map((name) => [name, Type.Boolean()]));
  return Type.Unsafe<{ readonly [K in N[number]]: boolean }>(
    object(properties, { ...(description && { description }) }),
  );
}

/** Builds the schema of an object in a request that may have a boolean for each name. */
export function openFlags<const N extends readonly string[]>(names: N) {
  const properties = Object.fromEntries(names.map((name) => [name, Type.Optional(Type.Boolean())]));
  return Type.Unsafe<{ readonly [K in N[number]]?: boolean }>(Type.Object(properties));
}

/** Builds the schema of a value of any type. */
export function anything(description: string) {
  return Type.Unknown({ description });
}

/** Builds the schema of a timestamp in a response: UTC, in milliseconds (HTTP-9). */
export function time(description?: string) {
  return text(description, {
    format: 'date-time',
    pattern: '^[0-9]{4}-[0-9]{2}-[0-9]{2}T[0-9]{2}:[0-9]{2}:[0-9]{2}\\.[0-9]{3}Z$',
    examples: ['2026-11-21T08:00:00.000Z'],
  });
}

/** Builds the schema of an id in a response: the prefix of its kind and 16 characters (HTTP-10). */
export function id(prefix: string, description?: string) {
  return text(description, { pattern: `^${prefix}${ID_BODY}$`, examples: [exampleId(prefix)] });
}

/** Returns an id for examples. */
export function exampleId(prefix: string): string {
  return `${prefix}CvpbqPPtsWSnyrTk`;
}

/** Builds the schema of a path below the host, as links between resources are. */
export function path(example = `${BASE_PATH}/workspaces/ws-CvpbqPPtsWSnyrTk`) {
  return text(undefined, { pattern: '^/', examples: [example] });
}

/** Allows null besides the values of a schema. */
export function nullable<S extends TSchema>(schema: S) {
  const { type, enum: values, ...rest } = schema as { type?: unknown; enum?: readonly unknown[] };
  return Type.Unsafe<Static<S> | null>(
    typeof type === 'string' && type !== 'object' && type !== 'array'
      ? { type: [type, 'null'], ...(values && { enum: [...values, null] }), ...rest }
      : { anyOf: [schema, { type: 'null' }] },
  );
}

/** Allows null besides the elements of a list in a request. */
export function nullableList<S extends TSchema>(items: S, description: string, options: object = {}) {
  return Type.Unsafe<readonly Static<S>[] | null>({ type: ['array', 'null'], description, items, ...options });
}

/** Marks a member of an object that may be absent. */
export function optional<S extends TSchema>(schema: S) {
  return Type.Optional(schema);
}

/** Keys of the marks that say how the OpenAPI document offers an attribute. Neither the document nor a validator has them. */
export const OFFER_MARKS = { required: 'x-required', immutable: 'x-immutable', hidden: 'x-hidden' } as const;

/** Key of the mark that `only` puts on a schema. */
export const FEATURE = 'x-feature';

/** Marks a member that only the editions with a feature have. `document.ts` removes it from the other documents. */
export function only<S extends TSchema>(feature: keyof Features, schema: S) {
  return Type.Unsafe<Static<S>>({ ...schema, [FEATURE]: feature });
}
