import type { RequestContext } from '../domain/changes/change-context.ts';
import type { Document } from '../jsonapi/document.ts';
import type { Bodies } from '../resources/request-bodies.ts';
import type { PathParameters, RouteId, RouteIdOf, routes } from '../routes/index.ts';
import type { FunctionName } from '../runtime/environment.ts';
import type { FurtherShows } from './idempotency/replays.ts';
import type { StaticFile } from './static-file.ts';

type RouteTable = typeof routes;
type SchemaOf<R extends RouteId> = RouteTable[R] extends { body: { schema: infer S extends keyof Bodies } } ? S : never;
type RequiredBody<R extends RouteId> = RouteTable[R] extends { body: { required: true } } ? true : false;
type IncludeOf<R extends RouteId> = RouteTable[R] extends { includes: readonly (infer I)[] } ? I : never;

/**
 * Body of a route, as its schema defines it; undefined if the route takes none, or if an optional one is missing. If the
 * operation validates the body, a function that returns it or throws the 422.
 */
export type BodyOf<R extends RouteId> = [SchemaOf<R>] extends [never]
  ? undefined
  : RouteTable[R] extends { body: { validatedByOperation: true } }
    ? () => Bodies[SchemaOf<R>]
    : RequiredBody<R> extends true
      ? Bodies[SchemaOf<R>]
      : Bodies[SchemaOf<R>] | undefined;

/** A request as an operation sees it: parsed, validated, and with a well-formed credential. */
export interface OperationRequest<R extends RouteId> {
  /** Id that API Gateway gave the request. */
  readonly id: string;
  /** Builds the context of the request, which its changes record. */
  readonly contextFor: (caller: Pick<RequestContext, 'principal'>) => RequestContext;
  readonly parameters: PathParameters<R>;
  readonly query: URLSearchParams;
  /** Names in the `include` parameter; only those that the route can include. */
  readonly include: ReadonlySet<IncludeOf<R>>;
  readonly body: BodyOf<R>;
  /** Whether to report what the request would do, without changing anything (EDIT-6). Only routes with a dry run. */
  readonly isDryRun: boolean;
  /** SHA-256 of the bearer token, or the service principal that acts; empty where the route needs neither. */
  readonly digest: string;
  /** Headers, by names in lower case, for the check of the page that sends a request. */
  readonly headers: Readonly<Record<string, string | undefined>>;
  /** Cookies, as `name=value`. No route of the API reads them. */
  readonly cookies: readonly string[];
  /** Absolute URL of the path, without the query. */
  readonly url: string;
  /** Address of the client, for limits. Whether changes record it is up to `contextFor`. */
  readonly address: string;
}

/** Result of an operation that would have created something, but found it there already. */
export interface Existing {
  readonly existing: Document;
}
type ExistingOf<R extends RouteId> = RouteTable[R] extends { statusIfThere: number } ? Existing : never;

/** Result of an operation whose response is a JSON document of another form than JSON:API. */
export class PlainDocument {
  readonly content: object;

  constructor(content: object) {
    this.content = content;
  }
}

/** Result of an operation: a temporary redirect to another URL. */
export class Redirect {
  readonly location: string;

  constructor(location: string) {
    this.location = location;
  }
}

/** Result of an operation whose response is an HTML page. */
export class Page {
  readonly status: number;
  readonly html: string;
  readonly headers: Readonly<Record<string, string>>;

  constructor(status: number, html: string, headers: Readonly<Record<string, string>>) {
    this.status = status;
    this.html = html;
    this.headers = headers;
  }
}

/** Result of an operation that sets or deletes cookies. */
export class WithCookies {
  readonly result: PlainDocument | Redirect;
  /** Values of `Set-Cookie`. */
  readonly cookies: readonly string[];

  constructor(result: PlainDocument | Redirect, cookies: readonly string[]) {
    this.result = result;
    this.cookies = cookies;
  }
}

/** Result of any operation. */
export type OperationResult =
  | Document
  | PlainDocument
  | StaticFile
  | Redirect
  | Page
  | WithCookies
  | Existing
  | undefined;

/**
 * The work of one route. It returns a document, a file, a redirect or nothing, or throws a DomainError. Status and headers
 * of the response follow from the route.
 * @example
 * const show: Operation<'workspaces.show', Dependencies> = async ({ digest, parameters }, dependencies) =>
 *   presentWorkspace(dependencies, await authorizeWorkspace(store, digest, targetOf(parameters), 'workspace.read'));
 */
export type Operation<R extends RouteId, D> = (
  request: OperationRequest<R>,
  dependencies: D,
) => Promise<Document | PlainDocument | StaticFile | Redirect | Page | WithCookies | ExistingOf<R> | undefined>;

/** Operation that shows the record of a repeated response. */
// biome-ignore lint/suspicious/noExplicitAny: each reads the path parameters of its own route.
export type Show<D> = (request: any, dependencies: D) => Promise<Document>;

/**
 * The operations of one function: exactly one for each of its routes in the route table, and those that show the records
 * of repeated responses, if they are not among the routes.
 */
export type Operations<F extends FunctionName, D> = { readonly [R in RouteIdOf<F>]: Operation<R, D> } & {
  readonly [S in FurtherShows<F>]: Show<D>;
};
