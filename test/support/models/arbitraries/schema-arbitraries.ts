import * as fc from 'fast-check';
import type { TSchema } from 'typebox';
import { value } from './arbitraries.ts';

/** Subset of JSON Schema that the request bodies use. */
interface Schema {
  readonly type?: string | readonly string[];
  readonly enum?: readonly unknown[];
  readonly pattern?: string;
  readonly minLength?: number;
  readonly maxLength?: number;
  readonly maxItems?: number;
  readonly items?: Schema;
  readonly properties?: Readonly<Record<string, Schema>>;
}

const text = ({ pattern, minLength = 0, maxLength = 300 }: Schema): fc.Arbitrary<string> => {
  const any = fc.string({ minLength, maxLength: Math.min(maxLength, 300) });
  if (pattern === undefined) return any;
  // Generated without look-ahead assertions, then filtered by the full pattern.
  const made = fc.stringMatching(new RegExp(pattern.replaceAll(/\(\?[!=][^)]*\)/g, '')));
  return made.filter((it) => it.length >= minLength && it.length <= maxLength && new RegExp(pattern).test(it));
};

const ofType = (type: string, schema: Schema): fc.Arbitrary<unknown> => {
  switch (type) {
    case 'null':
      return fc.constant(null);
    case 'boolean':
      return fc.boolean();
    case 'integer':
    case 'number':
      return fc.integer();
    case 'string':
      return text(schema);
    case 'array':
      return fc.array(nearly(schema.items ?? {}), { maxLength: Math.min(schema.maxItems ?? 3, 3) });
    case 'object':
      return fc.record(
        Object.fromEntries(Object.entries(schema.properties ?? {}).map(([name, one]) => [name, nearly(one)])),
        { requiredKeys: [] },
      );
    default:
      throw new Error(`No values of type ${type}`);
  }
};

const right = (schema: Schema): fc.Arbitrary<unknown> => {
  if (schema.enum !== undefined) return fc.constantFrom(...schema.enum);
  const types = [schema.type ?? []].flat();
  return types.length === 0 ? value : fc.oneof(...types.map((type) => ofType(type, schema)));
};

/** Generates values that match the schema, with an occasional invalid value at every level. */
const nearly = (schema: Schema): fc.Arbitrary<unknown> =>
  fc.oneof({ weight: 30, arbitrary: right(schema) }, { weight: 1, arbitrary: value });

/** Generates mostly valid documents for a schema, so that most of them reach the rules behind validation. */
export const nearlyRightFor = (schema: TSchema): fc.Arbitrary<unknown> => {
  const { properties = {} } = schema as Schema;
  const { data = {} } = properties;
  // Type and id are mostly valid, because a wrong one ends every request at the same check.
  const typed = right(data).map((one) => {
    const { type } = data.properties ?? {};
    return typeof one === 'object' && one !== null && !Array.isArray(one) && type?.enum
      ? { ...one, type: type.enum[0], id: undefined }
      : one;
  });
  return fc.oneof({ weight: 9, arbitrary: typed.map((one) => ({ data: one })) }, nearly(schema as Schema));
};
