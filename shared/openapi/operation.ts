import type { TProperties, TSchema } from 'typebox';
import type { ErrorStatus } from '../jsonapi/errors.ts';
import type { RouteId, routes } from '../routes/index.ts';
import type { Inclusions, ResourceSchema } from '../schemas/resource-schema.ts';

/** Body of a successful response: a document of resources, a JSON document of another form, or a file. */
export type ResponseSchema = ResourcesSchema | PlainSchema | FileSchema;

export interface ResourcesSchema {
  /**
   * One resource, a page of a list, a page of a list without totals (HTTP-36), or a list that is returned whole unless the
   * request has a page parameter.
   */
  readonly kind: 'one' | 'page' | 'cursorPage' | 'list';
  /** The possible types of the resources. */
  readonly resources: readonly ResourceSchema[];
  /** Members of `meta`, for lists in addition to `pagination`. */
  readonly meta?: TProperties;
}

interface PlainSchema {
  readonly kind: 'plain';
  readonly description: string;
  readonly schema: TSchema;
}

interface FileSchema {
  readonly kind: 'file';
  readonly mediaType: string;
  readonly description: string;
  readonly schema: TSchema;
}

/** Describes a response with one resource, of one of the given types. */
export const one = (...resources: readonly ResourceSchema[]): ResourcesSchema => ({ kind: 'one', resources });
/** Describes a response with a page of a list. */
export const page = (...resources: readonly ResourceSchema[]): ResourcesSchema => ({ kind: 'page', resources });
/** Describes a response with a page of a list that has no totals and is read by a cursor. */
export const cursorPage = (...resources: readonly ResourceSchema[]): ResourcesSchema => ({
  kind: 'cursorPage',
  resources,
});
/** Describes a response with a list that is returned whole unless the request has a page parameter. */
export const list = (...resources: readonly ResourceSchema[]): ResponseSchema => ({ kind: 'list', resources });
/** Describes a response whose body is a JSON document of another form than JSON:API. */
export const plain = (description: string, schema: TSchema): ResponseSchema => ({ kind: 'plain', description, schema });
/** Describes a response whose body is a file, not a document of resources. */
export const file = (mediaType: string, description: string, schema: TSchema): ResponseSchema => ({
  kind: 'file',
  mediaType,
  description,
  schema,
});

interface Description {
  /** A few words, beginning with a verb. */
  readonly summary: string;
  /** Details that the summary does not contain. Blank lines separate paragraphs. */
  readonly description?: string;
  /** The rule of `docs/reference/` that defines the operation. */
  readonly rule: `${Uppercase<string>}-${number}`;
  /** Schemas of query parameters, with descriptions. `include` and the pagination parameters are derived. */
  readonly query?: TProperties;
  /** Names of the query parameters that a request must have. */
  readonly requiredQuery?: readonly string[];
  /** Description of the body, if its schema is not enough. */
  readonly body?: string;
  /** Descriptions of errors that `errors.ts` does not derive from the route, or describes too generally. */
  readonly errors?: { readonly [S in ErrorStatus]?: string };
  /** Resources that every successful response contains, whatever the query requests. */
  readonly alwaysIncluded?: readonly ResourceSchema[];
  /** Schemas of headers that a successful response has in addition to the common ones, with descriptions. */
  readonly headers?: TProperties;
}

type Routes = typeof routes;

/** Response of a route. A route whose successful response has a body must describe the body, or its group does. */
type ResponseOf<R extends RouteId, G> = Routes[R]['status'] extends 204 | 307
  ? { readonly response?: never }
  : G extends ResponseSchema
    ? { readonly response?: ResponseSchema }
    : { readonly response: ResponseSchema };

/** Description of a route in a group with the response `G`. */
type OperationOf<R extends RouteId, G> = Description &
  ResponseOf<R, G> &
  (Routes[R] extends { includes: readonly (infer I extends string)[] }
    ? { readonly include: Inclusions<I> }
    : { readonly include?: never });
export type OperationDescription = Description & {
  readonly response?: ResponseSchema;
  readonly include?: Readonly<Record<string, readonly ResourceSchema[]>>;
};

interface GroupWith<G extends ResponseSchema | undefined> {
  readonly name: string;
  readonly description: string;
  /** Response of each operation that has a body and describes no other. */
  readonly response: G;
  readonly operations: { readonly [R in RouteId]?: OperationOf<R, G> };
}

/** One chapter of the document: descriptions of the routes of a group. */
export type Group = GroupWith<ResponseSchema> | Omit<GroupWith<undefined>, 'response'>;
