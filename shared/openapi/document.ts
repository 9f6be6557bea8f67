import Type, { type TProperties, type TSchema } from 'typebox';
import { type Edition, editions, type Features } from '../domain/editions.ts';
import { type IdKind, prefixes } from '../domain/ids.ts';
import { vocabularies } from '../domain/vocabulary.ts';
import type { ErrorStatus } from '../jsonapi/errors.ts';
import { MAX_PAGE_SIZE } from '../jsonapi/pagination.ts';
import { API_VERSION, MEDIA_TYPE } from '../routes/api.ts';
import { type Route, type RouteId, routeIds, routes } from '../routes/index.ts';
import type { ResourceSchema } from '../schemas/resource-schema.ts';
import { constant, exampleId, FEATURE, list, object, oneOf, optional, text } from '../schemas/schema.ts';
import { errorName, errorSchema, errorStatuses, meanings, rejectionsOf } from './errors.ts';
import { type OperationDescription, one, type ResourcesSchema } from './operation.ts';
import { groups, operations } from './operations/index.ts';
import { cursorLinks, cursorParameters, listParameters, pageLinks, pageParameters, pagination } from './pagination.ts';
import { bodyName, bodySchemas } from './request-bodies.ts';
import { dryRun, variable } from './resources.ts';

/** The OpenAPI 3.1 document of an edition, built from the route table, the body schemas and the operations. */

export interface ResponseObject {
  readonly description: string;
  readonly headers: Readonly<Record<string, object>>;
  readonly content?: Readonly<Record<string, { readonly schema: object }>>;
}

interface ParameterObject {
  readonly name: string;
  readonly in: 'path' | 'query' | 'header';
  readonly required: boolean;
  readonly description: string;
  readonly schema: object;
}

export interface HeaderObject {
  readonly description: string;
  readonly required?: boolean;
  readonly schema: object;
}

const schemaOf = (component: string) => ({ $ref: `#/components/schemas/${component}` });

// Headers

/** Separates the schema of a parameter or a header from its description. */
const describe = ({ description = '', ...schema }: TSchema & { readonly description?: string }) => ({
  description,
  schema,
});
const header = (value: TSchema, required = true): HeaderObject => {
  const { description, schema } = describe(value);
  return { description, required, schema };
};
const entityTag = { pattern: '^"[\\w-]{16}"$' };

const headers = {
  'TFP-API-Version': header(constant(API_VERSION, 'Version of the API.')),
  'TFP-AppName': header(constant('Holdfast', 'Name of the service.')),
  'X-Content-Type-Options': header(constant('nosniff', 'Browsers must not guess another media type.')),
  'Cache-Control': header(constant('no-store', 'Responses must not be cached.')),
  ETag: header(
    text(
      'Revision of the settings of the resource. A client that sends it in `If-Match` changes only this revision.',
      entityTag,
    ),
  ),
  ETagUnlessRefused: header(
    text(
      'Revision of the settings of the resource. Of a dry run, the revision of all that its result depends on: the request accepts it in `If-Match`. Absent if the dry run is refused.',
      entityTag,
    ),
    false,
  ),
  ETagOfFile: header(
    text('Version of the content. A client that sends it in `If-None-Match` gets no body if it is unchanged.', {
      pattern: '^W/"[\\w-]+"$',
    }),
  ),
  'WWW-Authenticate': header(constant('Bearer', 'Authentication scheme of the token.')),
  'Retry-After': header(text('Seconds to wait before a retry.', { pattern: '^[0-9]+$' })),
  // Only the limit of all requests of a token has them (HTTP-43), others do not.
  'X-RateLimit-Limit': describe(text('Requests per second that the token may send.')),
  'X-RateLimit-Remaining': describe(text('Further requests that the token may send now.')),
  'X-RateLimit-Reset': describe(text('Seconds, with decimals, until the token may send a request.')),
  Deprecation: header(text('Time since which the path is deprecated (RFC 9745).', { pattern: '^@[0-9]+$' })),
  Link: header(text('Path that replaces the deprecated one.')),
  Allow: header(text('Methods that the path supports.')),
  Location: header(text('The path without the slash, with the query.')),
} as const satisfies Record<string, HeaderObject>;

const headerRef = (component: keyof typeof headers) => ({ $ref: `#/components/headers/${component}` });
const headerRefs = (...names: readonly (keyof typeof headers)[]) =>
  Object.fromEntries(names.map((name) => [name, headerRef(name)]));
const ofAll = ['TFP-API-Version', 'TFP-AppName', 'X-Content-Type-Options'] as const;
const common = headerRefs(...ofAll, 'Cache-Control');
const ofFiles = { ...headerRefs(...ofAll), ETag: headerRef('ETagOfFile') };

const headersOfError: { readonly [S in ErrorStatus]?: readonly (keyof typeof headers)[] } = {
  401: ['WWW-Authenticate'],
  308: ['Location'],
  405: ['Allow'],
  429: ['Retry-After', 'X-RateLimit-Limit', 'X-RateLimit-Remaining', 'X-RateLimit-Reset'],
  503: ['Retry-After'],
};

// Responses

const errorResponse = (status: ErrorStatus, description: string): ResponseObject => {
  const own = headersOfError[status] ?? [];
  return {
    description,
    headers: { ...common, ...headerRefs(...own) },
    content: { [MEDIA_TYPE]: { schema: schemaOf(`${errorName(status)}Errors`) } },
  };
};

const errorAnswer = (status: ErrorStatus, meaning: string) =>
  meaning === meanings[status]
    ? { $ref: `#/components/responses/${errorName(status)}` }
    : errorResponse(status, meaning);

const union = (resources: readonly ResourceSchema[]): TSchema => {
  const refs = resources.map(({ component }) => schemaOf(component));
  return Type.Unsafe(refs.length === 1 ? (refs[0] as object) : { anyOf: refs });
};

const includedBy = ({ include = {}, alwaysIncluded = [] }: OperationDescription): readonly ResourceSchema[] => [
  ...new Map([...Object.values(include).flat(), ...alwaysIncluded].map((it) => [it.component, it])).values(),
];

const pageParts = (data: TSchema, { meta }: ResourcesSchema): TProperties => ({
  data,
  links: Type.Unsafe(schemaOf('PageLinks')),
  meta: object({ pagination: Type.Unsafe(schemaOf('Pagination')), ...meta }),
});

const documentSchema = (response: ResourcesSchema, operation: OperationDescription): TSchema => {
  const data = union(response.resources);
  const included = includedBy(operation);
  const rows = list(data, undefined, response.kind === 'list' ? {} : { maxItems: MAX_PAGE_SIZE });
  const partsByKind: Readonly<Record<ResourcesSchema['kind'], TProperties>> = {
    one: { data, ...(response.meta && { meta: object(response.meta) }) },
    cursorPage: { data: rows, links: cursorLinks },
    page: pageParts(rows, response),
    list: pageParts(rows, response),
  };
  const parts = partsByKind[response.kind];
  return object({
    ...parts,
    ...(included.length > 0 && { included: optional(list(union(included), 'Resources that `include` names.')) }),
  });
};

const nounOf = ({ component }: ResourceSchema): string =>
  component.replaceAll(/(?<=[a-z])[A-Z]/g, (letter) => ` ${letter.toLowerCase()}`).toLowerCase();

/** Returns the words that all nouns begin with. Without a common beginning, returns the nouns. */
const inShort = (nouns: readonly string[]): readonly string[] => {
  const [first = [], ...others] = nouns.map((noun) => noun.split(' '));
  const differs = first.findIndex((word, index) => others.some((other) => other[index] !== word));
  const shared = differs < 0 ? first : first.slice(0, differs);
  return shared.length > 0 ? [shared.join(' ')] : nouns;
};

const success = ({ deprecated, status, dryRun: hasDryRun }: Route, operation: OperationDescription): ResponseObject => {
  const { response, headers: own = {} } = operation;
  const ofDeprecated = deprecated === undefined ? {} : headerRefs('Deprecation', 'Link');
  const tag = hasDryRun ? 'ETagUnlessRefused' : 'ETag';
  const ofResource = response?.kind === 'one' ? { ETag: headerRef(tag) } : {};
  const withHeaders = { headers: { ...common, ...ofResource, ...ofDeprecated, ...headerObjects(own) } };
  if (response === undefined) {
    const description =
      status === 307 ? 'Temporary location of the content; there is no body.' : 'Done; there is no body.';
    return { description, ...withHeaders };
  }
  if (response.kind === 'plain') {
    const { description, schema } = response;
    return { description, ...withHeaders, content: { 'application/json': { schema } } };
  }
  if (response.kind === 'file') {
    return {
      description: response.description,
      headers: { ...ofFiles, ...headerObjects(own) },
      content: { [response.mediaType]: { schema: response.schema } },
    };
  }
  const nouns = inShort(response.resources.map(nounOf));
  const plurals = nouns.map((noun) => `${noun}s`.replace(/(?<!a|e|o|u)ys$/, 'ies')).join(' or ');
  const aPage = `A page of ${plurals}.`;
  const descriptions = { one: `The ${nouns.join(' or ')}.`, page: aPage, cursorPage: aPage, list: `All ${plurals}.` };
  return {
    description: descriptions[response.kind],
    ...withHeaders,
    content: { [MEDIA_TYPE]: { schema: documentSchema(response, operation) } },
  };
};

const headerObjects = (own: TProperties) =>
  Object.fromEntries(Object.entries(own).map(([name, schema]) => [name, header(schema)]));

// Requests

/** Kinds of the ids in paths whose parameters have other names. */
const kindOfParameter: Readonly<Record<string, IdKind>> = {
  varset: 'variableSet',
  state_version_output: 'stateOutput',
  team_project: 'projectAccess',
  team_workspace: 'workspaceAccess',
  oauth_client: 'vcsClient',
  oauth_token: 'vcsConnection',
};

const pathParameters = (path: string): ParameterObject[] =>
  [...path.matchAll(/\{(\w+)\}/g)].map(([, name = '']) => ({
    name,
    in: 'path',
    required: true,
    ...describePathParameter(name),
  }));

/** Describes a path parameter by its name, for example `{workspace_id}`. */
const describePathParameter = (name: string): Pick<ParameterObject, 'description' | 'schema'> => {
  if (name === 'name') return { description: 'Name of the workspace.', schema: text() };
  const [, of = name, suffix = 'name'] = /^(.+)_(id|name)$/.exec(name) ?? [];
  const noun = of.replaceAll('_', ' ');
  if (suffix === 'name') return { description: `Name of the ${noun}.`, schema: text() };
  const kind = kindOfParameter[of] ?? of.replaceAll(/_./g, ([, letter = '']) => letter.toUpperCase());
  const prefix = (prefixes as Readonly<Record<string, string>>)[kind];
  if (prefix === undefined) throw new Error(`State the kind of the ids in {${name}} in shared/openapi/document.ts`);
  const example = exampleId(prefix);
  return {
    description: `Id of the ${noun}, such as \`${example}\`: the \`id\` in a response, not a name.`,
    schema: text(undefined, { examples: [example] }),
  };
};

const queryParameters = (operation: OperationDescription): ParameterObject[] => {
  const { response, query = {}, requiredQuery = [], include = {} } = operation;
  const names = Object.keys(include);
  const parameters: TProperties = {
    ...query,
    ...(names.length > 0 && { include: list(oneOf(names), 'Comma-separated related resources to return.') }),
    ...(response?.kind === 'page' && pageParameters),
    ...(response?.kind === 'cursorPage' && cursorParameters),
    ...(response?.kind === 'list' && listParameters),
  };
  return Object.entries(parameters).map(([name, parameter]) => {
    const { description, schema } = describe(parameter);
    return {
      name,
      in: 'query',
      required: requiredQuery.includes(name),
      description,
      ...(name === 'include' && { explode: false }),
      schema,
    };
  });
};

const resourcesOf = (operation: OperationDescription): readonly ResourceSchema[] => {
  const { response } = operation;
  return [...(response !== undefined && 'resources' in response ? response.resources : []), ...includedBy(operation)];
};

/** Describes the header with which a request may be repeated (HTTP-37). */
const IDEMPOTENCY_KEY: ParameterObject = {
  name: 'Idempotency-Key',
  in: 'header',
  required: false,
  description:
    'Unique key of the request, as a string in double quotes. Within a day, a repeated request with the key gets the first response and changes nothing.',
  schema: text(undefined, { minLength: 1, examples: ['"8e03978e-40d5-43e8-bc93-6894a57f9324"'] }),
};

const DRY_RUN: ParameterObject = {
  name: 'dry-run',
  in: 'query',
  required: false,
  description: 'Reports what the request would do, or why it would be rejected, and changes nothing.',
  schema: oneOf(['true']),
};

const IF_MATCH: ParameterObject = {
  name: 'If-Match',
  in: 'header',
  required: false,
  description: 'Entity tags of the revisions that may be changed, or `*` for any.',
  schema: text(undefined, { examples: ['"Rh8cHq2c3bWm0xPt"'] }),
};

/** Describes the parameters that follow from the properties of a route. */
const routeParameters = ({ method, conditional, dryRun: hasDryRun, oauth }: Route): ParameterObject[] => [
  ...(hasDryRun ? [DRY_RUN] : []),
  ...(conditional ? [IF_MATCH] : []),
  ...(method === 'GET' || oauth ? [] : [IDEMPOTENCY_KEY]),
];

/** Describes the header that chooses the vocabulary of a response with variables (HTTP-33). */
const headerParameters = (operation: OperationDescription): ParameterObject[] =>
  resourcesOf(operation).includes(variable)
    ? [
        {
          name: 'Holdfast-Vocabulary',
          in: 'header',
          required: false,
          description:
            'Name of the category `infra` of variables in the response. If absent: `terraform` for clients of Terraform and OpenTofu, else as the deployment is configured.',
          schema: oneOf(vocabularies),
        },
      ]
    : [];

const requestBody = (route: Route, { body: description }: OperationDescription) => {
  const { body } = route;
  if (body === undefined) return undefined;
  return {
    ...(description && { description }),
    required: body.required,
    // `application/json` is accepted as well (HTTP-5), but generated clients cannot choose between two types.
    content: { [route.oauth ? FORM : MEDIA_TYPE]: { schema: schemaOf(bodyName(route)) } },
  };
};

const FORM = 'application/x-www-form-urlencoded';

/** Describes the one response of an endpoint of OAuth 2.0 to a request that it rejects. */
const oauthRejection: ResponseObject = {
  description: 'The request is rejected.',
  headers: common,
  content: {
    'application/json': {
      schema: object({
        error: text('Code of the error, as in RFC 6749.', { examples: ['invalid_grant'] }),
        error_description: optional(text('Explanation for people.')),
      }),
    },
  },
};

/** Describes the page that people see when something is wrong with a request of their browser. */
const problemPage: ResponseObject = {
  description: 'Something is wrong with the request. The page says what, and who can help.',
  headers: {
    ...common,
    'Content-Security-Policy': header(text('Prevents the page from loading or running anything.')),
  },
  content: { 'text/html; charset=utf-8': { schema: text() } },
};

const groupOf = (id: RouteId) => groups.find(({ operations: its }) => id in its);

/** Builds the description of an operation. */
const operationObject = (id: RouteId) => {
  const route: Route = routes[id];
  const operation = operations[id];
  const body = requestBody(route, operation);
  return {
    operationId: id,
    summary: operation.summary,
    ...(operation.description && { description: operation.description }),
    ...(route.deprecated && { deprecated: true }),
    tags: [groupOf(id)?.name ?? ''],
    parameters: [
      ...pathParameters(route.path),
      ...queryParameters(operation),
      ...routeParameters(route),
      ...headerParameters(operation),
    ],
    ...(body && { requestBody: body }),
    responses: {
      [route.status]: success(route, operation),
      // The success of a creation or a deletion has another status than its dry run.
      ...(route.dryRun && route.status !== 200 && { 200: success(route, { ...operation, response: one(dryRun) }) }),
      ...(route.oauth && { 400: oauthRejection }),
      ...(route.page && { 400: problemPage }),
      ...(route.statusIfThere && { [route.statusIfThere]: success(route, operation) }),
      ...(operation.response?.kind === 'file' && {
        304: { description: 'The client already has this version.', headers: ofFiles },
      }),
      ...Object.fromEntries(
        [...rejectionsOf(route, operation)].map(([status, meaning]) => [status, errorAnswer(status, meaning)]),
      ),
    },
    ...(route.authenticated === false && { security: [] }),
  };
};
export type OperationObject = ReturnType<typeof operationObject>;

// Document

const resourceSchemas = (ids: readonly RouteId[]): Record<string, TSchema> => {
  const all = ids.map((id) => operations[id]).flatMap(resourcesOf);
  return Object.fromEntries(all.map(({ component, schema }) => [component, schema]));
};

const sorted = <T>(record: Readonly<Record<string, T>>): Record<string, T> =>
  Object.fromEntries(Object.entries(record).sort(([a], [b]) => (a < b ? -1 : 1)));

const paths = (ids: readonly RouteId[]): Record<string, Record<string, OperationObject>> => {
  const found = new Map<string, Record<string, OperationObject>>();
  for (const id of ids) {
    const { path, method } = routes[id];
    found.set(path, { ...found.get(path), [method.toLowerCase()]: operationObject(id) });
  }
  return Object.fromEntries(found);
};

/** Removes the members that belong to features that the edition does not have. */
const offered = (value: unknown, features: Features): unknown => {
  if (Array.isArray(value)) return value.map((it) => offered(it, features));
  if (typeof value !== 'object' || value === null) return value;
  const all = Object.fromEntries(Object.entries(value).map(([key, inner]) => [key, offered(inner, features)]));
  const { properties, required } = all as { properties?: Record<string, Marked>; required?: string[] };
  if (properties === undefined || !Object.values(properties).some((it) => it?.[FEATURE])) return all;
  const kept = Object.entries(properties).filter(([, { [FEATURE]: feature }]) => !feature || features[feature]);
  return {
    ...all,
    properties: Object.fromEntries(kept.map(([name, { [FEATURE]: _, ...schema }]) => [name, schema])),
    required: required?.filter((name) => kept.some(([it]) => it === name)),
  };
};
type Marked = { readonly [FEATURE]?: keyof Features };

/** Returns the routes of an edition. */
export const routeIdsOf = (edition: Edition): readonly RouteId[] =>
  routeIds.filter((id) => {
    const { feature }: Route = routes[id];
    return feature === undefined || editions[edition][feature];
  });

const description = `Workspaces, their settings, locks and variables, for infrastructure as code.

Bodies are [JSON:API](https://jsonapi.org) documents. A resource that the caller may not see gets the response 404, as if it did not exist. Paths name most resources by their id: lists return it, and so does reading a workspace by its name. Lists are paginated. Every response states the version of the API.`;

/** Builds the document of an edition. All paths are complete, because some routes are not below `/api/v2`. */
export const documentOf = (edition: Edition) => {
  const ids = routeIdsOf(edition);
  const schemas: Record<string, TSchema> = {
    ...sorted(resourceSchemas(ids)),
    ...sorted(bodySchemas(ids)),
    PageLinks: pageLinks,
    Pagination: pagination,
    ...Object.fromEntries(errorStatuses.map((status) => [`${errorName(status)}Errors`, errorSchema(status)])),
  };
  const document = {
    openapi: '3.1.1',
    info: { title: 'Holdfast', version: API_VERSION, description },
    servers: [{ url: '/', description: 'This deployment' }],
    security: [{ token: [] }],
    tags: groups
      .filter((group) => ids.some((id) => groupOf(id) === group))
      .map(({ name, description }) => ({ name, description })),
    paths: paths(ids),
    // OpenAPI cannot describe the responses of all other paths and methods.
    'x-unrouted': {
      responses: Object.fromEntries(
        ([308, 404, 405] as const).map((status) => [status, errorAnswer(status, meanings[status])]),
      ),
    },
    components: {
      schemas,
      // Each operation that returns 403 describes it.
      responses: Object.fromEntries(
        errorStatuses
          .filter((status) => status !== 403)
          .map((status) => [errorName(status), errorResponse(status, meanings[status])]),
      ),
      headers,
      securitySchemes: {
        token: {
          type: 'http',
          scheme: 'bearer',
          description:
            'Token of a user, a team, an organization or a pipeline. It begins with `hfu_`, `hft_`, `hfo_` or `hfw_`.',
        },
      },
    },
  };
  return offered(JSON.parse(JSON.stringify(document)), editions[edition]) as typeof document;
};
export type OpenApiDocument = ReturnType<typeof documentOf>;
