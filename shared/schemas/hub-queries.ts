import Type, { type Static } from 'typebox';
import { ID_BODY, prefixes } from '../domain/ids.ts';
import { limits } from '../domain/limits.ts';

/** Queries of the function `hub-reader`: parameters as JSON Schema (HUB-6). */

const text = (maxLength: number, options: object = {}) => Type.String({ minLength: 1, maxLength, ...options });
const optional = Type.Optional;

const account = Type.String({ pattern: '^[0-9]{12}$' });
const region = Type.String({ pattern: '^[a-z]{2}(-[a-z]+)+-[0-9]+$' });
const page = {
  /** Maximum number of rows in the response. */
  limit: optional(Type.Integer({ minimum: 1, maximum: 200 })),
  /** The member `next` of the response before. */
  cursor: optional(text(1_200)),
};
const members = { account: optional(account), region: optional(region), deployment: optional(text(limits.id)) };
const parameters = <P extends Record<string, Type.TSchema>>(properties: P) =>
  Type.Object({ query: Type.String(), ...properties }, { additionalProperties: false });

export const hubQueries = {
  members: parameters({}),
  list: parameters({
    ...members,
    organization: optional(text(limits.organizationName)),
    project: optional(text(limits.id)),
    name: optional(text(limits.workspaceName)),
    tag: optional(text(limits.tagName + limits.bindingValue)),
    version: optional(text(limits.version)),
    locked: optional(Type.Boolean()),
    incomplete: optional(Type.Boolean()),
    ...page,
  }),
  show: parameters({
    account,
    region,
    workspace: Type.String({ pattern: `^${prefixes.workspace}${ID_BODY}$` }),
  }),
  locks: parameters({
    ...members,
    organization: optional(text(limits.organizationName)),
    holder: optional(text(limits.id)),
    ...page,
  }),
};

export type HubQueries = { readonly [Q in keyof typeof hubQueries]: Static<(typeof hubQueries)[Q]> };
