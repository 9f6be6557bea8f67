import { operations } from '../../../shared/openapi/operations/index.ts';
import { bodies } from '../../../shared/resources/request-bodies.ts';
import { type RouteId, routes } from '../../../shared/routes/index.ts';
import { type IdentifierKind, identifierKinds, isHidden } from './resources.ts';

/** Position in a request of a route that takes an id or a name, derived from the route table and the body schemas. */
export interface Position {
  readonly at: 'path' | 'query' | 'body';
  /** Path or query parameters, or one pointer into the body. All slots of a position are filled together. */
  readonly slots: readonly string[];
  /** Identifier kinds to try, one for each slot. */
  readonly tries: readonly (readonly IdentifierKind[])[];
  /** Whether the slots name a resource. Otherwise they hold free text. */
  readonly names: boolean;
}

/** Formats a pointer as the name of a slot. */
const formatPointer = (pointer: readonly string[]): string => pointer.join('/');
export const parsePointer = (slot: string): readonly string[] => slot.split('/');

/** Identifier kind of each path parameter. */
const parameters: Readonly<Record<string, IdentifierKind>> = {
  organization_name: 'organization name',
  workspace_id: 'workspace id',
  name: 'workspace name',
  tag_id: 'tag id',
  team_workspace_id: 'workspace access id',
  team_project_id: 'project access id',
  membership_id: 'membership id',
  user_id: 'user id',
  team_id: 'team id',
  token_id: 'token id',
  agent_pool_id: 'agent pool id',
  reserved_tag_key_id: 'reserved tag key id',
  ssh_key_id: 'SSH key id',
  oauth_client_id: 'client id',
  oauth_token_id: 'connection id',
  variable_id: 'variable id',
  varset_id: 'variable set id',
  state_version_id: 'state version id',
  state_version_output_id: 'state output id',
  workload_identity_id: 'workload identity id',
  bulk_job_id: 'bulk job id',
  project_id: 'project id',
  session_id: 'session id',
  run_id: 'run id',
  configuration_version_id: 'configuration version id',
};

/** Returns the identifier kind of a path parameter of a route. @throws Error if `parameters` does not list it. */
export const identifierKindForParameter = (route: RouteId, parameter: string): IdentifierKind => {
  if (parameter === 'variable_id' && listPathParameters(route).includes('varset_id')) return 'set variable id';
  const identifierKind = parameters[parameter];
  if (identifierKind === undefined) throw new Error(`Add the path parameter {${parameter}} to \`parameters\``);
  return identifierKind;
};

export const listPathParameters = (route: RouteId): readonly string[] =>
  [...routes[route].path.matchAll(/\{(\w+)\}/g)].map(([, name]) => name as string);

/** Identifier kinds that a path parameter takes in addition to its own kind. */
const alternatives: Readonly<Record<string, readonly IdentifierKind[]>> = {
  token_id: ['team token id', 'agent pool token id'],
};

/** Returns the identifier kinds of all path parameters of a route, in their order. */
export const identifierKindsInPath = (route: RouteId): readonly IdentifierKind[] =>
  listPathParameters(route).map((parameter) => identifierKindForParameter(route, parameter));

/** Identifier kinds of the query parameters that name a resource. All others are free text. */
const queries: Readonly<Record<string, readonly IdentifierKind[]>> = {
  'filter[project][id]': ['project id'],
  'filter[workspace][id]': ['workspace id'],
  'filter[team][id]': ['team id'],
  'filter[workspace][name]': ['workspace name'],
  'filter[organization][name]': ['organization name'],
  'filter[exclude][taggable][id]': ['workspace id'],
  q: ['tag name'],
  'search[name]': ['workspace name'],
  'search[wildcard-name]': ['workspace name'],
};

/** Identifier kinds by a word in the pointer. Other pointers may name any id or any name. */
const words: readonly (readonly [RegExp, readonly IdentifierKind[]])[] = [
  [/project/, ['project id', 'project name']],
  [/agent-pool/, ['agent pool id', 'agent pool name']],
  [/oauth-token/, ['connection id']],
  [/installation/, ['installation id']],
  [/\/tag(s|-bindings)\//, ['tag id', 'tag name']],
];
const ids = identifierKinds.filter(
  (identifierKind) =>
    identifierKind.endsWith(' id') || identifierKind === 'username' || identifierKind === 'organization name',
);
const names = identifierKinds.filter((identifierKind) => !identifierKind.endsWith(' id'));
/** Free text names no resource, but it is tried with an id nevertheless. */
const freeText: readonly IdentifierKind[] = ['workspace id'];

/** Builds the position of one slot. */
const onePosition = (at: Position['at'], slot: string, of: readonly IdentifierKind[]): Position => ({
  at,
  slots: [slot],
  tries: of.map((identifierKind) => [identifierKind]),
  names: of !== freeText,
});

const identifierKindsAt = (pointer: readonly string[]): readonly IdentifierKind[] => {
  const named = words.find(([word]) => word.test(formatPointer(pointer)))?.[1];
  if (named !== undefined) return named;
  const last = pointer.findLast((step) => step !== '0') ?? '';
  if (/^(id|.*-id)$/.test(last)) return ids;
  return /^(name|key|username|email)$/.test(last) ? names : freeText;
};

/**
 * Builds the positions in the query of a route, also of parameters that the route does not declare. Filters and searches
 * that it does not declare are rejected whatever their value is (HTTP-35), so those of hidden resources are sent together.
 */
const queryPositions = (route: RouteId): readonly Position[] => {
  if (routes[route].method !== 'GET') return [];
  const declared = operations[route].query ?? {};
  const together = Object.entries(queries).filter(
    ([parameter, kinds]) => !(parameter in declared) && /^(filter|search)\[/.test(parameter) && kinds.every(isHidden),
  );
  const slots = together.map(([parameter]) => parameter);
  const others = [...Object.keys(queries), 'include', 'sort', ...Object.keys(declared)];
  const alone = [...new Set(others)].filter((parameter) => !slots.includes(parameter));
  return [
    ...alone.map((parameter) => onePosition('query', parameter, queries[parameter] ?? freeText)),
    ...(slots.length > 0
      ? [{ at: 'query', slots, tries: [together.flatMap(([, kinds]) => kinds)], names: true } as const]
      : []),
  ];
};

/** Subset of JSON Schema that the body schemas use. */
interface Schema {
  readonly type?: string | readonly string[];
  readonly enum?: readonly unknown[];
  readonly const?: unknown;
  readonly properties?: Readonly<Record<string, Schema>>;
  readonly required?: readonly string[];
  readonly items?: Schema;
  readonly anyOf?: readonly Schema[];
}

const hasType = ({ type }: Schema, one: string): boolean => [type].flat().includes(one);

/** Lists the pointers of all strings in a document of a schema. `0` is the first element of an array. */
const listTextPointers = (schema: Schema, pointer: readonly string[] = []): (readonly string[])[] => {
  const inside = Object.entries(schema.properties ?? {}).flatMap(([name, part]) =>
    listTextPointers(part, [...pointer, name]),
  );
  const elements = schema.items ? listTextPointers(schema.items, [...pointer, '0']) : [];
  const choices = (schema.anyOf ?? []).flatMap((part) => listTextPointers(part, pointer));
  const isText = hasType(schema, 'string') && schema.enum === undefined && schema.const === undefined;
  return [...(isText ? [pointer] : []), ...inside, ...elements, ...choices];
};

const findBodySchema = (route: RouteId): Schema | undefined => {
  const { body } = routes[route] as { readonly body?: { readonly schema: keyof typeof bodies } };
  return body && (bodies[body.schema] as Schema);
};

/** Builds the smallest value that a schema accepts. */
const minimalValue = (schema: Schema | undefined): unknown => {
  if (schema === undefined) return undefined;
  if (schema.enum) return schema.enum[0];
  if (schema.const !== undefined) return schema.const;
  if (schema.anyOf) return minimalValue(schema.anyOf[0]);
  if (hasType(schema, 'object')) {
    const names = Object.keys(schema.properties ?? {}).filter(
      (name) => schema.required?.includes(name) || name === 'type',
    );
    return Object.fromEntries(names.map((name) => [name, minimalValue(schema.properties?.[name])]));
  }
  return hasType(schema, 'array') ? [] : undefined;
};

export const minimalBodyFor = (route: RouteId): unknown => minimalValue(findBodySchema(route));

/** Reports whether a document has a value at a pointer. The empty pointer is the document itself. */
export const hasPointer = (document: unknown, [step, ...rest]: readonly string[]): boolean =>
  step === undefined ||
  (typeof document === 'object' && document !== null && step in document && hasPointer(document[step as never], rest));

/** Returns the document with a value at a pointer. Missing parents get the smallest value of their schema. */
export const setAtPointer = (route: RouteId, document: unknown, pointer: readonly string[], value: string): unknown => {
  const put = (within: unknown, schema: Schema | undefined, [step, ...rest]: readonly string[]): unknown => {
    if (step === undefined) return value;
    if (step === '0') {
      const [first = minimalValue(schema?.items), ...others] = Array.isArray(within) ? within : [];
      return [put(first, schema?.items, rest), ...others];
    }
    const object = typeof within === 'object' && within !== null ? within : (minimalValue(schema) as object);
    return { ...object, [step]: put(object[step as keyof typeof object], schema?.properties?.[step], rest) };
  };
  return put(document ?? {}, findBodySchema(route), pointer);
};

export const positionsFor = (route: RouteId): readonly Position[] => {
  const inPath = listPathParameters(route);
  const body = findBodySchema(route);
  return [
    ...inPath.map((parameter) =>
      onePosition('path', parameter, [
        identifierKindForParameter(route, parameter),
        ...(alternatives[parameter] ?? []),
      ]),
    ),
    // All parameters at once, so that they name one resource of the other organization.
    ...(inPath.length > 1
      ? [{ at: 'path', slots: inPath, tries: [identifierKindsInPath(route)], names: true } as const]
      : []),
    ...(body ? listTextPointers(body) : []).map((pointer) =>
      onePosition('body', formatPointer(pointer), identifierKindsAt(pointer)),
    ),
    ...queryPositions(route),
  ];
};
