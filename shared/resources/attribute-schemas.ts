import Type, { type TObject, type TProperties, type TSchema } from 'typebox';
import { OFFER_MARKS, only } from '../schemas/schema.ts';
import type {
  AttributeTableWithSettings,
  Offer,
  RequestNames,
  RequestProperties,
  SettingAttribute,
} from './attribute-table.ts';

/**
 * Adds the default to the description. The keyword `default` would mislead: generated clients send it in updates too,
 * where an omitted attribute keeps its value.
 */
const withDefault = ({ schema, default: value }: SettingAttribute): TSchema => {
  const { description } = schema as { readonly description?: string };
  const sentence = value === null ? undefined : `Default at creation: ${JSON.stringify(value)}.`;
  return { ...schema, description: [description, sentence].filter((text) => text !== undefined).join(' ') };
};

type Definition = AttributeTableWithSettings[string];
type SchemaOf = (attribute: Definition, table: AttributeTableWithSettings) => TSchema | undefined;

/** Marks a schema for the OpenAPI document. Validators have no marks. */
const marked = (schema: TSchema, offer: Offer): TSchema => ({
  ...schema,
  ...Object.fromEntries(Object.keys(offer).map((name) => [OFFER_MARKS[name as keyof Offer], true])),
});

/** Builds the schema of another name of an attribute from the schema of the attribute. */
const asSynonym = (name: string, table: AttributeTableWithSettings, schemaOf: SchemaOf): TSchema | undefined => {
  const schema = schemaOf(table[name] as Definition, table);
  return schema && { ...schema, description: `Another name of \`${name}\`.` };
};

const requestSchemaOf: SchemaOf = (attribute, table) => {
  if ('synonymOf' in attribute) return asSynonym(attribute.synonymOf, table, requestSchemaOf);
  if ('setting' in attribute) return withDefault(attribute);
  const { request } = attribute;
  if (request === undefined) return undefined;
  const offered = marked(request, attribute.offer ?? {});
  return 'feature' in attribute && attribute.feature ? only(attribute.feature, offered) : offered;
};

const responseSchemaOf: SchemaOf = (attribute, table) => {
  if ('synonymOf' in attribute) return asSynonym(attribute.synonymOf, table, responseSchemaOf);
  if ('setting' in attribute) return attribute.schema;
  const { response } = attribute;
  return response && 'feature' in attribute && attribute.feature ? only(attribute.feature, response) : response;
};

const schemasOf = (table: AttributeTableWithSettings, schemaOf: SchemaOf): TProperties =>
  Object.fromEntries(
    Object.entries(table).flatMap(([name, attribute]) => {
      const schema = schemaOf(attribute, table);
      return schema === undefined ? [] : [[name, schema]];
    }),
  );

/**
 * Builds the schemas of the attributes in requests.
 * @param required the attributes that requests may not leave out.
 */
export const requestProperties = <T extends AttributeTableWithSettings, R extends RequestNames<T> = never>(
  table: T,
  required: readonly R[] = [],
): RequestProperties<T, R> =>
  Object.fromEntries(
    Object.entries(schemasOf(table, requestSchemaOf)).map(([name, schema]) => [
      name,
      (required as readonly string[]).includes(name) ? schema : Type.Optional(schema),
    ]),
  ) as RequestProperties<T, R>;

/** Builds the schema of the attributes in requests, see `requestProperties`. */
export const requestAttributes = <T extends AttributeTableWithSettings, R extends RequestNames<T> = never>(
  table: T,
  required: readonly R[] = [],
): TObject<RequestProperties<T, R>> => Type.Object(requestProperties(table, required));

/** Builds the schemas of the attributes in responses. */
export const responseProperties = (table: AttributeTableWithSettings): TProperties =>
  schemasOf(table, responseSchemaOf);
