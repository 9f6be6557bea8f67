import type { TSchema } from 'typebox';
import { bodies } from '../resources/request-bodies.ts';
import { type Route, type RouteId, routes } from '../routes/index.ts';
import { OFFER_MARKS } from '../schemas/schema.ts';

/**
 * The schemas of request bodies in the OpenAPI document (HTTP-2). They are narrower than those that validate: a client
 * that is generated from them sends what a creation or an update needs, once, in one spelling, and not null for an object.
 */

interface JsonSchema {
  readonly type?: string | readonly string[];
  readonly properties?: Readonly<Record<string, JsonSchema>>;
  readonly required?: readonly string[];
  readonly [keyword: string]: unknown;
}

type Purpose = 'creation' | 'update';

const purposeOf = ({ method }: Route): Purpose => (method === 'PATCH' ? 'update' : 'creation');

const isOffered = (property: JsonSchema, purpose: Purpose): boolean =>
  !property[OFFER_MARKS.hidden] && !(purpose === 'update' && property[OFFER_MARKS.immutable]);

/** Checks whether a creation must have a member: it is marked, or it is an object with such a member. */
const isRequired = (property: JsonSchema): boolean =>
  property[OFFER_MARKS.required] === true || Object.values(property.properties ?? {}).some(isRequired);

const withoutMarks = (schema: JsonSchema): JsonSchema =>
  Object.fromEntries(
    Object.entries(schema).filter(([keyword]) => !Object.values<string>(OFFER_MARKS).includes(keyword)),
  );

/** Containers may be null in requests, with the meaning of absent. Generated clients need one type. */
const withoutNull = (schema: JsonSchema): JsonSchema => {
  const [container = ''] = [schema.type ?? []].flat();
  return ['object', 'array'].includes(container) ? { ...schema, type: container } : schema;
};

/** Removes the members of an example that a body for this purpose does not offer. */
const narrowedExample = (example: unknown, { properties = {} }: JsonSchema, purpose: Purpose): unknown => {
  if (typeof example !== 'object' || example === null || Array.isArray(example)) return example;
  return Object.fromEntries(
    Object.entries(example).flatMap(([name, value]) => {
      const property = properties[name] ?? {};
      return isOffered(property, purpose) ? [[name, narrowedExample(value, property, purpose)]] : [];
    }),
  );
};

const narrowed = (schema: JsonSchema, purpose: Purpose): JsonSchema => {
  const { properties, required = [], ...others } = withoutNull(withoutMarks(schema));
  const examples = others['examples'] as readonly unknown[] | undefined;
  const rest: JsonSchema = {
    ...others,
    ...(examples && { examples: examples.map((example) => narrowedExample(example, schema, purpose)) }),
  };
  const items = rest['items'] as JsonSchema | undefined;
  if (items !== undefined) return { ...rest, items: narrowed(items, purpose) };
  if (properties === undefined) return rest;
  const offered = Object.entries(properties).filter(([, property]) => isOffered(property, purpose));
  const more = purpose === 'creation' ? offered.filter(([, property]) => isRequired(property)) : [];
  const names = new Set([...required, ...more.map(([name]) => name)]);
  return {
    ...rest,
    ...(names.size > 0 && { required: [...names] }),
    properties: Object.fromEntries(offered.map(([name, property]) => [name, narrowed(property, purpose)])),
  };
};

type BodyName = keyof typeof bodies;

const schemaFor = (name: BodyName, purpose: Purpose): JsonSchema =>
  narrowed(JSON.parse(JSON.stringify(bodies[name])) as JsonSchema, purpose);

const differs = (name: BodyName): boolean =>
  JSON.stringify(schemaFor(name, 'creation')) !== JSON.stringify(schemaFor(name, 'update'));

/** Returns the name of the component with the body of a route. The body of an update has its own name if it differs. */
export const bodyName = (route: Route): string => {
  const name = route.body?.schema as BodyName;
  const capitalized = name.charAt(0).toUpperCase() + name.slice(1);
  return `${capitalized}${purposeOf(route) === 'update' && differs(name) ? 'Update' : ''}Body`;
};

/** Returns the components with the bodies of routes. */
export const bodySchemas = (ids: readonly RouteId[]): Record<string, TSchema> =>
  Object.fromEntries(
    ids
      .map((id): Route => routes[id])
      .filter(({ body }) => body !== undefined)
      .map((route) => [bodyName(route), schemaFor(route.body?.schema as BodyName, purposeOf(route)) as TSchema]),
  );
