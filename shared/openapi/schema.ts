import Type, { type TProperties, type TSchema } from 'typebox';
import type { Features } from '../domain/editions.ts';
import { prefixes } from '../domain/ids.ts';

/**
 * The words that answers are described in, as JSON Schema. Objects are closed: an attribute that nobody described makes
 * an answer invalid, so a test fails until somebody does.
 */

interface Annotations {
  readonly description?: string;
  readonly examples?: readonly unknown[];
}

export const object = (properties: TProperties, annotations: Annotations = {}): TSchema =>
  Type.Object(properties, { additionalProperties: false, ...annotations });

export const text = (description?: string, options: object = {}): TSchema =>
  Type.String({ ...(description && { description }), ...options });
export const flag = (description?: string): TSchema => Type.Boolean({ ...(description && { description }) });
export const count = (description?: string, options: object = {}): TSchema =>
  Type.Integer({ minimum: 0, ...(description && { description }), ...options });
export const oneOf = (values: readonly string[], description?: string): TSchema =>
  Type.Unsafe({ type: 'string', enum: [...values], ...(description && { description }) });
export const constant = (value: string): TSchema => Type.Unsafe({ type: 'string', const: value });
export const list = (items: TSchema, description?: string, options: object = {}): TSchema =>
  Type.Array(items, { ...(description && { description }), ...options });

/** In UTC, to the millisecond (HTTP-9). */
export const time = (description?: string): TSchema =>
  text(description, {
    format: 'date-time',
    pattern: '^[0-9]{4}-[0-9]{2}-[0-9]{2}T[0-9]{2}:[0-9]{2}:[0-9]{2}\\.[0-9]{3}Z$',
    examples: ['2026-11-21T08:00:00.000Z'],
  });

/** A path below the host, as links between resources are. */
export const path = (example = '/api/v2/workspaces/ws-CvpbqPPtsWSnyrTk'): TSchema =>
  text(undefined, { pattern: '^/', examples: [example] });

const RANDOM_PART = 'CvpbqPPtsWSnyrTk';
/** An id: the prefix of its kind and 16 characters (HTTP-10). */
export const id = (prefix: string, description?: string): TSchema =>
  text(description, {
    pattern: `^${prefix}[1-9A-HJ-NP-Za-km-z]{16}$`,
    examples: [`${prefix}${RANDOM_PART}`],
  });

/** The schema, or null. */
export const nullable = (schema: TSchema): TSchema => {
  const { type, enum: values, ...rest } = schema as { type?: unknown; enum?: readonly unknown[] };
  return typeof type === 'string' && type !== 'object' && type !== 'array'
    ? Type.Unsafe({ type: [type, 'null'], ...(values && { enum: [...values, null] }), ...rest })
    : Type.Unsafe({ anyOf: [schema, { type: 'null' }] });
};

/** May be absent. */
export const optional = (schema: TSchema): TSchema => Type.Optional(schema);

/** There on the editions with a feature only: `document.ts` takes it out of the others' documents. */
export const only = (feature: keyof Features, schema: TSchema): TSchema =>
  Type.Unsafe({ ...schema, [FEATURE]: feature });
export const FEATURE = 'x-feature';

/** Whose ids begin with what, for examples; an organization's is its name. */
const prefixOf: Readonly<Record<string, string>> = {
  workspaces: prefixes.workspace,
  projects: prefixes.project,
  teams: prefixes.team,
  users: prefixes.user,
  'agent-pools': prefixes.agentPool,
  'ssh-keys': prefixes.sshKey,
};
const exampleId = (type: string): string =>
  type === 'organizations' ? 'acme' : `${prefixOf[type] ?? ''}${RANDOM_PART}`;

/** What relationships hold: who a resource is (HTTP-5). */
const identifier = (types: readonly string[]): TSchema =>
  object({
    type: types.length === 1 ? constant(types[0] as string) : oneOf(types),
    id: text(undefined, { examples: [exampleId(types[0] as string)] }),
  });

const related = object({ related: path() });

/** A relationship to exactly one resource. */
export const toOne = (...types: readonly string[]): TSchema => object({ data: identifier(types) });
/** The same, with a link to it. */
export const toOneAt = (...types: readonly string[]): TSchema => object({ data: identifier(types), links: related });
/** A relationship to one resource or to none. */
export const toOneOrNone = (...types: readonly string[]): TSchema =>
  object({ data: Type.Unsafe({ anyOf: [identifier(types), { type: 'null' }] }) });
/** The same, with a link that is there in either case. */
export const toOneOrNoneAt = (...types: readonly string[]): TSchema =>
  object({ data: Type.Unsafe({ anyOf: [identifier(types), { type: 'null' }] }), links: related });
/** The same, with a link to the resource where there is one. */
export const toOneLinked = (...types: readonly string[]): TSchema =>
  Type.Unsafe({
    anyOf: [object({ data: identifier(types), links: related }), object({ data: Type.Null() })],
  });
export const toMany = (...types: readonly string[]): TSchema => object({ data: list(identifier(types)) });
/** A relationship that says only where its resources are; they are named in it where they are included. */
export const toManyLinked = (...types: readonly string[]): TSchema =>
  object({ data: optional(list(identifier(types))), links: related });
export const linkOnly = object({ links: related });

/** One type of resource, under the name that the document gives it. */
export interface ResourceSchema {
  readonly component: string;
  readonly type: string;
  readonly schema: TSchema;
}

interface Parts {
  readonly type: string;
  readonly description: string;
  readonly id: TSchema;
  readonly attributes: TProperties;
  readonly relationships?: TProperties;
  readonly links?: TProperties;
}

/** A complete resource object: every attribute, relationship and link that answers have, and nothing else. */
export const resource = (
  component: string,
  { type, description, id, attributes, relationships, links }: Parts,
): ResourceSchema => ({
  component,
  type,
  schema: object(
    {
      id,
      type: constant(type),
      attributes: object(attributes),
      ...(relationships && { relationships: object(relationships) }),
      ...(links && { links: object(links) }),
    },
    { description },
  ),
});
