import type { TProperties, TSchema } from 'typebox';
import type { ErrorStatus } from '../jsonapi/errors.ts';
import type { RouteId, routes } from '../routes/index.ts';
import type { Inclusions, ResourceSchema } from '../schemas/resource-schema.ts';

/** What an operation answers when it succeeds: a document of resources, or a file. */
export type AnswerSchema = ResourcesSchema | FileSchema;

export interface ResourcesSchema {
  /** One resource, a page of a list, or a list that is answered whole unless a page is asked for. */
  readonly kind: 'one' | 'page' | 'list';
  /** The types that it may be of. */
  readonly resources: readonly ResourceSchema[];
  /** What a page says beside `pagination`. */
  readonly meta?: TProperties;
}

interface FileSchema {
  readonly kind: 'file';
  readonly mediaType: string;
  readonly description: string;
  readonly schema: TSchema;
}

export const one = (...resources: readonly ResourceSchema[]): AnswerSchema => ({ kind: 'one', resources });
export const page = (...resources: readonly ResourceSchema[]): ResourcesSchema => ({ kind: 'page', resources });
export const list = (...resources: readonly ResourceSchema[]): AnswerSchema => ({ kind: 'list', resources });
export const file = (mediaType: string, description: string, schema: TSchema): AnswerSchema => ({
  kind: 'file',
  mediaType,
  description,
  schema,
});

export interface QueryParameter {
  readonly description: string;
  readonly schema: TSchema;
  readonly required?: true;
}

interface Description {
  /** A few words, beginning with a verb. */
  readonly summary: string;
  /** What the summary leaves open; paragraphs are parted by a blank line. */
  readonly description?: string;
  /** The rule of `docs/reference/` that defines the operation. */
  readonly rule: `${Uppercase<string>}-${number}`;
  /** Without `page[…]`, which pages and lists have anyway, and `include`. */
  readonly query?: Readonly<Record<string, QueryParameter>>;
  /** What the body is, where its schema does not say enough. */
  readonly body?: string;
  /**
   * When it answers an error, in words: what `errors.ts` does not derive from the route, or says in too general terms.
   */
  readonly refuses?: { readonly [S in ErrorStatus]?: string };
  /** Headers of a success beside those of every answer. */
  readonly headers?: Readonly<Record<string, QueryParameter>>;
}

type Routes = typeof routes;

/** The description of a route; one that succeeds with a body says which. */
export type OperationOf<R extends RouteId> = Description &
  (Routes[R]['status'] extends 204 | 307 ? { readonly answers?: never } : { readonly answers: AnswerSchema }) &
  (Routes[R] extends { includes: readonly (infer I extends string)[] }
    ? { readonly include: Inclusions<I> }
    : { readonly include?: never });
export type Operation = Description & {
  readonly answers?: AnswerSchema;
  readonly include?: Readonly<Record<string, readonly ResourceSchema[]>>;
};

/** One chapter of the document: descriptions of all routes of a group. */
export interface Group<R extends RouteId> {
  readonly name: string;
  readonly description: string;
  readonly operations: { readonly [I in R]: OperationOf<I> };
}
