import { Ajv } from 'ajv';
import type { TSchema } from 'typebox';
import { events } from '../../../shared/events/schemas/index.ts';

/** The same schema, with nothing let in that it does not name: readers may pass over more, we may not send it. */
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

/** What is wrong with an event by the schema of its type; nothing where it is right, to the last member. */
export const complaintsOf = (event: { readonly type: string }): readonly unknown[] => {
  const validate = validators.get(event.type);
  if (validate === undefined) return [`there is no schema of ${event.type}`];
  const { type } = event;
  return validate(event) ? [] : [type, ...(validate.errors ?? [])];
};
