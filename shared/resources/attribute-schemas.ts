import Type, { type TObject, type TProperties, type TSchema } from 'typebox';
import { only } from '../schemas/schema.ts';
import type { AttributeTable, RequestProperties, SettingAttribute } from './attribute-table.ts';

/**
 * Adds the default to the description. The keyword `default` would mislead: generated clients send it in updates too,
 * where an omitted attribute keeps its value.
 */
const withDefault = ({ schema, default: value }: SettingAttribute): TSchema => {
  const { description } = schema as { readonly description?: string };
  const sentence = value === null ? undefined : `Default of a new workspace: ${JSON.stringify(value)}.`;
  return { ...schema, description: [description, sentence].filter((text) => text !== undefined).join(' ') };
};

const requestSchemaOf = (attribute: AttributeTable[string]): TSchema | undefined =>
  'setting' in attribute ? withDefault(attribute) : attribute.request;

const responseSchemaOf = (attribute: AttributeTable[string]): TSchema | undefined => {
  if ('setting' in attribute) return attribute.schema;
  const { response } = attribute;
  return response && 'feature' in attribute && attribute.feature ? only(attribute.feature, response) : response;
};

const schemasOf = (
  table: AttributeTable,
  schemaOf: (attribute: AttributeTable[string]) => TSchema | undefined,
): TProperties =>
  Object.fromEntries(
    Object.entries(table).flatMap(([name, attribute]) => {
      const schema = schemaOf(attribute);
      return schema === undefined ? [] : [[name, schema]];
    }),
  );

/** Builds the schemas of the attributes in requests; requests may leave out each of them. */
const requestProperties = <T extends AttributeTable>(table: T): RequestProperties<T> =>
  Object.fromEntries(
    Object.entries(schemasOf(table, requestSchemaOf)).map(([name, schema]) => [name, Type.Optional(schema)]),
  ) as RequestProperties<T>;

/** Builds the schema of the attributes in requests. */
export const requestAttributes = <T extends AttributeTable>(table: T): TObject<RequestProperties<T>> =>
  Type.Object(requestProperties(table));

/** Builds the schemas of the attributes in responses. */
export const responseProperties = (table: AttributeTable): TProperties => schemasOf(table, responseSchemaOf);
