import { Ajv } from 'ajv';
import type { TSchema } from 'typebox';
import { events } from '../../../shared/events/publish-schemas.ts';

/** Forbids additional properties in a schema. Readers may ignore them, but the service must not send them. */
const closed = (schema: unknown): unknown => {
  if (Array.isArray(schema)) return schema.map(closed);
  if (typeof schema !== 'object' || schema === null) return schema;
  const inner = Object.fromEntries(Object.entries(schema).map(([key, value]) => [key, closed(value)]));
  return 'properties' in inner ? { ...inner, additionalProperties: false } : inner;
};

const ajv = new Ajv({ allErrors: true, allowUnionTypes: true, formats: { 'date-time': (text) => text.endsWith('Z') } });
const validators = new Map(
  Object.entries(events).map(([type, schema]) => [type, ajv.compile(closed(schema) as TSchema)]),
);

/** Validates an event with the schema of its type. @returns the errors. */
export const validateEvent = (event: { readonly type: string }): readonly unknown[] => {
  const validate = validators.get(event.type);
  if (validate === undefined) return [`there is no schema for ${event.type}`];
  const { type } = event;
  return validate(event) ? [] : [type, ...(validate.errors ?? [])];
};
