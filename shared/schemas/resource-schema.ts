import Type, { type TProperties, type TSchema } from 'typebox';
import { prefixes } from '../domain/ids.ts';
import { constant, exampleId, list, object, oneOf, optional, path, text } from './schema.ts';

/** Builders of the schemas of whole resources in responses, and of their relationships. */

/** Prefixes of the ids of types, for examples. */
const prefixOf: Readonly<Record<string, string>> = {
  workspaces: prefixes.workspace,
  projects: prefixes.project,
  teams: prefixes.team,
  users: prefixes.user,
  'agent-pools': prefixes.agentPool,
  'ssh-keys': prefixes.sshKey,
  varsets: prefixes.variableSet,
  vars: prefixes.variable,
};

/** The id of an organization is its name. */
const exampleOf = (type: string): string => (type === 'organizations' ? 'acme' : exampleId(prefixOf[type] ?? ''));

/** The schema of a resource identifier (HTTP-5). */
const identifier = (types: readonly string[]): TSchema =>
  object({
    type: types.length === 1 ? constant(types[0] as string) : oneOf(types),
    id: text(undefined, { examples: [exampleOf(types[0] as string)] }),
  });

const related = object({ related: path() });

/** A relationship to exactly one resource. */
export const toOne = (...types: readonly string[]): TSchema => object({ data: identifier(types) });
/** A relationship to exactly one resource, with a link to it. */
export const toOneAt = (...types: readonly string[]): TSchema => object({ data: identifier(types), links: related });
/** A relationship to one resource or to none. */
export const toOneOrNone = (...types: readonly string[]): TSchema =>
  object({ data: Type.Unsafe({ anyOf: [identifier(types), { type: 'null' }] }) });
/** A relationship to one resource or to none, with a link in either case. */
export const toOneOrNoneAt = (...types: readonly string[]): TSchema =>
  object({ data: Type.Unsafe({ anyOf: [identifier(types), { type: 'null' }] }), links: related });
/** A relationship to one resource, with a link to it, or to none. */
export const toOneLinked = (...types: readonly string[]): TSchema =>
  Type.Unsafe({
    anyOf: [object({ data: identifier(types), links: related }), object({ data: Type.Null() })],
  });
/** A relationship to several resources. */
export const toMany = (...types: readonly string[]): TSchema => object({ data: list(identifier(types)) });
/** A relationship to several resources as a link. It names the resources only where they are included. */
export const toManyLinked = (...types: readonly string[]): TSchema =>
  object({ data: optional(list(identifier(types))), links: related });
/** A relationship that is only a link. */
export const linkOnly = object({ links: related });

/** The schema of one type of resource. */
export interface ResourceSchema {
  /** Name of the schema in the OpenAPI document. */
  readonly component: string;
  readonly type: string;
  readonly schema: TSchema;
}

/** The schemas of the resources that each value of `include` brings. */
export type Inclusions<I extends string> = { readonly [N in I]: readonly ResourceSchema[] };

interface Parts {
  readonly type: string;
  readonly description: string;
  readonly id: TSchema;
  readonly attributes: TProperties;
  readonly relationships?: TProperties;
  readonly links?: TProperties;
  /** Relationships and links that a resource has together, or has none of. */
  readonly optionalMembers?: { readonly relationships: TProperties; readonly links: TProperties };
}

/** Builds the schema of a complete resource: every attribute, relationship and link in responses, and no others. */
export const resource = (
  component: string,
  { type, description, id, attributes, relationships, links, optionalMembers }: Parts,
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
      ...(optionalMembers && {
        relationships: optional(object(optionalMembers.relationships)),
        links: optional(object(optionalMembers.links)),
      }),
    },
    { description },
  ),
});
