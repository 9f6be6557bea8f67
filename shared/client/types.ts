import type { components, paths } from './compiled/api.d.ts';

/** Types of the API, generated from the OpenAPI document: a change that breaks a client is a type error. */

export type Schemas = components['schemas'];
export type Method = 'get' | 'post' | 'patch' | 'put' | 'delete';

/** The operation of a path, or `never`. */
type OperationAt<M extends Method, P extends keyof paths> = Extract<paths[P][M], object>;

/** Paths of the API that have the method. */
export type PathOf<M extends Method> = {
  [P in keyof paths]: [OperationAt<M, P>] extends [never] ? never : P;
}[keyof paths];

type PathParametersOf<O> = O extends { parameters: { path: infer V } } ? { readonly path: V } : unknown;
type QueryOf<O> = O extends { parameters: { query?: infer V } } ? NonNullable<V> : never;
type BodyOf<O> = O extends { requestBody?: infer B }
  ? NonNullable<B> extends { content: infer C }
    ? { readonly body?: C[keyof C] }
    : unknown
  : unknown;

/** Tags of a filter after the first one, which alone is in the OpenAPI document (LIST-4). */
type FurtherTags = { readonly [name: `filter[tagged][${number}][${'key' | 'value'}]`]: string };

/** Parameters, query and body of a request. */
export type InputOf<M extends Method, P extends PathOf<M>> = PathParametersOf<OperationAt<M, P>> &
  BodyOf<OperationAt<M, P>> & { readonly query?: QueryOf<OperationAt<M, P>> & FurtherTags };

type ContentOf<R> = R extends { content: infer C } ? C[keyof C] : undefined;

/** Document of a successful response; `undefined` for 204. */
export type DocumentOf<M extends Method, P extends PathOf<M>> =
  OperationAt<M, P> extends { responses: infer R } ? ContentOf<R[keyof R & (200 | 201 | 202 | 204)]> : never;

/** Filters of a list: its query parameters without those that most lists have. */
export type FiltersOf<P extends PathOf<'get'>> = P extends unknown
  ? Exclude<keyof QueryOf<OperationAt<'get', P>>, 'include' | 'sort' | `page[${string}]`>
  : never;

/** Name of an attribute of any resource. */
export type AttributeName = {
  [S in keyof Schemas]: Schemas[S] extends { attributes: infer A } ? (string extends keyof A ? never : keyof A) : never;
}[keyof Schemas];

/** Name of a permission of the caller for any resource. */
export type PermissionName = {
  [S in keyof Schemas]: Schemas[S] extends { attributes: { permissions?: infer P } } ? keyof NonNullable<P> : never;
}[keyof Schemas];

type EnteredAttributes<B> = B extends { data: { attributes?: infer A } } ? NonNullable<A> : never;

/**
 * Values of a form by the attributes of the body that it sends, without those that it does not offer (`N`). A form that lacks
 * a new attribute of the API is a type error.
 */
export type Entered<B, N extends keyof EnteredAttributes<B> = never> = Readonly<
  Required<Omit<EnteredAttributes<B>, N>>
>;

export type ExecutionMode = Workspace['attributes']['execution-mode'];
export type Workspace = Schemas['Workspace'];
export type Variable = Schemas['Variable'] | Schemas['VariableSetVariable'];
export type VariableSet = Schemas['VariableSet'];
export type Project = Schemas['Project'];
export type Run = Schemas['Run'];
