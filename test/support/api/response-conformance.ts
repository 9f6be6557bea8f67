import { Ajv2020, type ErrorObject, type ValidateFunction } from 'ajv/dist/2020.js';
import type { Edition } from '../../../shared/domain/editions.ts';
import { documentOf, type HeaderObject, type ResponseObject, routeIdsOf } from '../../../shared/openapi/document.ts';
import type { OperationDescription } from '../../../shared/openapi/operation.ts';
import { operations } from '../../../shared/openapi/operations/index.ts';
import { MEDIA_TYPE } from '../../../shared/routes/api.ts';
import { type RouteId, routes } from '../../../shared/routes/index.ts';

/** Request and its response. */
export interface Exchange {
  readonly edition: Edition;
  /** Undefined if no route matched. */
  readonly route: RouteId | undefined;
  /** Method and path, for error messages. */
  readonly request: string;
  readonly requestBody: Buffer;
  readonly status: number;
  readonly headers: Readonly<Record<string, string>>;
  readonly body: unknown;
}

const FORM = 'application/x-www-form-urlencoded';
const isForm = (route: RouteId): boolean => 'oauth' in routes[route];
const parseForm = (body: Buffer) => Object.fromEntries(new URLSearchParams(body.toString()));

/** Encodes a key for a JSON pointer in a URL. */
const encodeKey = (key: string): string => encodeURIComponent(key.replaceAll('~', '~0').replaceAll('/', '~1'));

/** Creates the validators of an edition. Each schema is compiled on first use. */
const validatorsFor = (edition: Edition) => {
  const document = documentOf(edition);
  const ajv = new Ajv2020({
    ...{ allErrors: true, verbose: true, allowUnionTypes: true, formats: { 'date-time': true } },
    // Each validator runs only a few times: optimizing its code takes longer than the optimized code saves.
    code: { optimize: false },
  });
  // The document is not a schema itself, it only contains schemas.
  ajv.addVocabulary(Object.keys(document));
  ajv.addSchema(document, 'document');
  const compiled = new Map<string, ValidateFunction>();

  /** Resolves references and returns the value with its pointer. */
  const at = <T>(
    ...keys: readonly string[]
  ): { readonly value: T; readonly pointer: readonly string[] } | undefined => {
    let value: unknown = document;
    for (const key of keys) value = (value as Record<string, unknown> | undefined)?.[key];
    const reference = (value as { $ref?: string } | undefined)?.$ref;
    if (reference !== undefined) return at(...reference.slice(2).split('/'));
    return value === undefined ? undefined : { value: value as T, pointer: keys };
  };

  return {
    offered: new Set(routeIdsOf(edition)),
    at,
    /** Validates a value with the schema at a pointer and returns the errors that count. */
    complaints: (
      pointer: readonly string[],
      value: unknown,
      counts: (error: ErrorObject) => boolean = () => true,
    ): readonly string[] => {
      const name = pointer.join('\n');
      const validate = compiled.get(name) ?? ajv.compile({ $ref: `document#/${pointer.map(encodeKey).join('/')}` });
      compiled.set(name, validate);
      return validate(value) ? [] : (validate.errors ?? []).filter(counts).map(inWords);
    },
  };
};

/** Null for an object or a list is accepted as absent, which the document does not offer (`request-bodies.ts`). */
const isMoreThanNull = ({ keyword, params, data }: ErrorObject): boolean =>
  !(keyword === 'type' && data === null && ['object', 'array'].includes(params['type']));

const inWords = ({ instancePath, message, params }: ErrorObject): string => {
  const { additionalProperty, allowedValue, allowedValues } = params;
  const which = additionalProperty ?? allowedValue ?? allowedValues;
  return `${instancePath || '/'} ${message}${which === undefined ? '' : ` (${which})`}`;
};

const known = new Map<Edition, ReturnType<typeof validatorsFor>>();
const validatorsOf = (edition: Edition) => {
  const validators = known.get(edition) ?? validatorsFor(edition);
  known.set(edition, validators);
  return validators;
};

/** Creates validators for the named schemas of the document, which return the errors of a value. */
export const schemaValidator =
  (edition: Edition) =>
  (name: string) =>
  (value: unknown): readonly string[] =>
    validatorsOf(edition).complaints(['components', 'schemas', name], value);

/** Validates a response. @throws Error if the OpenAPI document does not allow it. */
export const requireDocumented = (exchange: Exchange): void => {
  const { edition, route, request, status } = exchange;
  const complaints = complaintsAbout(exchange, validatorsOf(edition));
  if (complaints.length === 0) return;
  throw new Error(
    [
      `${request} answered ${status}, not as the OpenAPI document (${edition}) says of ${route ?? 'unknown paths'}:`,
      ...complaints,
    ]
      .slice(0, 12)
      .join('\n  '),
  );
};

const asked = (request: string): URLSearchParams => new URLSearchParams(request.split('?')[1]);

interface Resource {
  readonly type: string;
  readonly id: string;
  readonly relationships?: Readonly<Record<string, { readonly data?: Resource | readonly Resource[] | null }>>;
}

/** Validates a compound document (JSON:API): no resource is repeated, and every included resource is referenced. */
const compoundComplaints = (body: unknown): readonly string[] => {
  const { data, included = [] } = Object(body) as {
    data?: Resource | readonly Resource[];
    included?: readonly Resource[];
  };
  const all = [data ?? [], included].flat(2) as readonly Resource[];
  const name = ({ type, id }: Resource): string => `${type} ${id}`;
  const seen = new Set<string>();
  const twice = all.filter((it) => seen.size === seen.add(name(it)).size);
  const referred = new Set(
    all.flatMap(({ relationships = {} }) =>
      Object.values(relationships)
        .flatMap((it) => it.data ?? [])
        .map(name),
    ),
  );
  return [
    ...twice.map((it) => `${name(it)} is in it twice`),
    ...included.filter((it) => !referred.has(name(it))).map((it) => `nothing refers to the included ${name(it)}`),
  ];
};

const complaintsAbout = (exchange: Exchange, validators: ReturnType<typeof validatorsFor>): readonly string[] => {
  const { request, status, headers, body, requestBody } = exchange;
  // A route of the other edition counts as unknown.
  const route = exchange.route && validators.offered.has(exchange.route) ? exchange.route : undefined;
  const operation =
    route === undefined ? ['x-unrouted'] : ['paths', routes[route].path, routes[route].method.toLowerCase()];
  const response = validators.at<ResponseObject>(...operation, 'responses', String(status));
  if (response === undefined) return [`the status ${status} is not documented: ${JSON.stringify(body)}`];
  const { value, pointer } = response;

  const ofHeaders = Object.keys(value.headers).flatMap((name) => {
    const header = validators.at<HeaderObject>(...pointer, 'headers', name);
    const given = headers[name.toLowerCase()];
    if (header !== undefined && given === undefined && !header.value.required) return [];
    if (header === undefined || given === undefined) return [`the header ${name} is missing`];
    return validators
      .complaints([...header.pointer, 'schema'], given)
      .map((complaint) => `header ${name}: ${complaint}`);
  });

  const mediaTypes = Object.keys(value.content ?? {});
  const mediaType = headers['content-type'];
  const ofBody =
    mediaTypes.length === 0
      ? body === undefined
        ? []
        : ['there is a body']
      : mediaType === undefined || !mediaTypes.includes(mediaType)
        ? [`the media type is ${mediaType}, not ${mediaTypes.join(' or ')}`]
        : validators.complaints([...pointer, 'content', mediaType, 'schema'], body);

  const { alwaysIncluded }: Partial<OperationDescription> = route === undefined ? {} : operations[route];
  const ofCompound =
    asked(request).has('include') || alwaysIncluded
      ? compoundComplaints(body)
      : 'included' in Object(body)
        ? ['nobody asked for `included`']
        : [];

  const isRejectedDryRun = Object(body).data?.attributes?.outcome === 'refused';
  const accepted =
    !isRejectedDryRun && status < 300 && route !== undefined && 'body' in routes[route] && requestBody.length > 0;
  const ofRequest = accepted
    ? validators
        .complaints(
          [...operation, 'requestBody', 'content', isForm(route) ? FORM : MEDIA_TYPE, 'schema'],
          isForm(route) ? parseForm(requestBody) : JSON.parse(new TextDecoder().decode(requestBody)),
          isMoreThanNull,
        )
        .map((complaint) => `the request's body, which was accepted: ${complaint}`)
    : [];
  return [...ofHeaders, ...ofBody, ...ofCompound, ...ofRequest];
};
