import type { Schema } from './page/schema.ts';

/** Builds a value that matches a schema of the document, from the examples in the schema. */
export const exampleOf = (schema: Schema, components: Readonly<Record<string, object>>): unknown => {
  const of = (inner: Schema): unknown => exampleOf(inner, components);
  const { $ref, examples, anyOf, oneOf, properties = {}, items } = schema;
  if ($ref !== undefined) return of(components[$ref.split('/').at(-1) ?? ''] ?? {});
  if (schema.const !== undefined) return schema.const;
  if (examples !== undefined) return examples[0];
  if (schema.default !== undefined) return schema.default;
  if (schema.enum !== undefined) return schema.enum[0];
  const [first] = anyOf ?? oneOf ?? [];
  if (first !== undefined) return of(first);
  switch ([schema.type].flat()[0]) {
    case 'object':
      return Object.fromEntries(Object.entries(properties).map(([name, property]) => [name, of(property)]));
    case 'array':
      return items === undefined ? [] : [of(items)];
    case 'boolean':
      return true;
    case 'integer':
    case 'number':
      return schema.minimum ?? 0;
    default:
      return 'text';
  }
};
