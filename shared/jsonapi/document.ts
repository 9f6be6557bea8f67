import type { Revised } from '../domain/changes/entity-tags.ts';
import { BASE_PATH } from '../routes/api.ts';

/** JSON:API documents (HTTP-5). */

/**
 * Member of a resource that holds the revision of its own settings, for the entity tag of the response (EDIT-1). A
 * symbol, because it is not serialized. A resource without it has no settings that change.
 */
export const REVISED = Symbol('revised');

export interface ResourceIdentifier {
  readonly type: string;
  readonly id: string;
}

export interface Relationship {
  readonly data?: ResourceIdentifier | readonly ResourceIdentifier[] | null;
  readonly links?: Readonly<Record<string, string>>;
}

export interface Resource extends ResourceIdentifier {
  readonly attributes: Readonly<Record<string, unknown>>;
  readonly relationships?: Readonly<Record<string, Relationship>>;
  readonly links?: Readonly<Record<string, string>>;
  readonly [REVISED]?: Revised;
}

export interface Document {
  readonly data: Resource | readonly Resource[];
  /** Resources that the request includes, each once. Absent without `include`. */
  readonly included?: readonly Resource[];
  readonly links?: Readonly<Record<string, string | null>>;
  readonly meta?: Readonly<Record<string, unknown>>;
}

export interface ErrorObject {
  /** HTTP status, as a string. */
  readonly status: string;
  readonly title: string;
  readonly detail?: string;
  readonly source?: { readonly pointer: string } | { readonly parameter: string };
  readonly meta?: Readonly<Record<string, unknown>>;
}

/** Builds a relationship to one resource, or to none. */
export const toOne = (type: string, id: string | null | undefined, related?: string): Relationship => ({
  data: id ? { type, id } : null,
  ...(id && related && { links: { related } }),
});

/** Builds a relationship to one resource, with the link to its type and id, or to none. */
export const toOneLinked = (type: string, id: string | null | undefined): Relationship =>
  toOne(type, id, `${BASE_PATH}/${type}/${id}`);

/** Builds a relationship to several resources. */
export const toMany = (type: string, ids: readonly string[] = []): Relationship => ({
  data: ids.map((id) => ({ type, id })),
});
