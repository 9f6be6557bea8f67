import { operations } from '../../../shared/openapi/operations/index.ts';
import { bodies } from '../../../shared/resources/request-bodies.ts';
import { type RouteId, routes } from '../../../shared/routes/index.ts';
import { type Form, forms } from './foreign-things.ts';

/** A place of a route where an id or a name can stand, read off the route table and the schemas of the bodies. */
export interface Position {
  readonly at: 'path' | 'query' | 'body';
  /** Parameters of the path or the query, or one pointer into the body; those of one position are filled together. */
  readonly slots: readonly string[];
  /** What to put there: a form for each slot. */
  readonly tries: readonly (readonly Form[])[];
  /** Whether something is named there; otherwise it is any text. */
  readonly names: boolean;
}

/** How a pointer is written as the name of a slot. */
const joined = (pointer: readonly string[]): string => pointer.join('/');
export const pointerOf = (slot: string): readonly string[] => slot.split('/');

/** What each parameter of a path names. */
const parameters: Readonly<Record<string, Form>> = {
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
  ssh_key_id: 'SSH key id',
  oauth_client_id: 'client id',
  oauth_token_id: 'connection id',
  variable_id: 'variable id',
  state_version_id: 'state version id',
  state_version_output_id: 'state output id',
  project_id: 'project id',
  run_id: 'run id',
  configuration_version_id: 'configuration version id',
};

/** @throws Error for a parameter that nothing is known of: then it is to be said above. */
export const formOf = (parameter: string): Form => {
  const form = parameters[parameter];
  if (form === undefined) throw new Error(`What {${parameter}} names is not among the parameters of this file`);
  return form;
};

export const parametersOf = (route: RouteId): readonly string[] =>
  [...routes[route].path.matchAll(/\{(\w+)\}/g)].map(([, name]) => name as string);

/** What parameters of queries name; further ones that a route has are taken for free text. */
const queries: Readonly<Record<string, readonly Form[]>> = {
  'filter[project][id]': ['project id'],
  'filter[workspace][id]': ['workspace id'],
  'filter[workspace][name]': ['workspace name'],
  'filter[organization][name]': ['organization name'],
  'filter[exclude][taggable][id]': ['workspace id'],
  q: ['tag name'],
  'search[name]': ['workspace name'],
  'search[wildcard-name]': ['workspace name'],
};

/** What a position in a body names, where a word on the way there tells; otherwise it may be any id, or any name. */
const words: readonly (readonly [RegExp, readonly Form[]])[] = [
  [/project/, ['project id', 'project name']],
  [/agent-pool/, ['agent pool id', 'agent pool name']],
  [/oauth-token/, ['connection id']],
  [/installation/, ['installation id']],
  [/\/tag(s|-bindings)\//, ['tag id', 'tag name']],
];
const ids = forms.filter((form) => form.endsWith(' id') || form === 'username' || form === 'organization name');
const names = forms.filter((form) => !form.endsWith(' id'));
/** Where free text stands, no id means anything; one is tried nevertheless. */
const freeText: readonly Form[] = ['workspace id'];

const formsAt = (pointer: readonly string[]): readonly Form[] => {
  const named = words.find(([word]) => word.test(joined(pointer)))?.[1];
  if (named !== undefined) return named;
  const last = pointer.findLast((step) => step !== '0') ?? '';
  if (/^(id|.*-id)$/.test(last)) return ids;
  return /^(name|key|username|email)$/.test(last) ? names : freeText;
};

/** All that name anything, also where the route does not say so; and what it says. */
const queriesOf = (route: RouteId): readonly string[] =>
  routes[route].method === 'GET'
    ? [...new Set([...Object.keys(queries), 'include', 'sort', ...Object.keys(operations[route].query ?? {})])]
    : [];

/** The part of JSON Schema that bodies are written in. */
interface Schema {
  readonly type?: string | readonly string[];
  readonly enum?: readonly unknown[];
  readonly const?: unknown;
  readonly properties?: Readonly<Record<string, Schema>>;
  readonly required?: readonly string[];
  readonly items?: Schema;
  readonly anyOf?: readonly Schema[];
}

const isOf = ({ type }: Schema, one: string): boolean => [type].flat().includes(one);

/** The pointers of all texts in a document of a schema; `0` stands for the first element of an array. */
const texts = (schema: Schema, pointer: readonly string[] = []): (readonly string[])[] => {
  const inside = Object.entries(schema.properties ?? {}).flatMap(([name, part]) => texts(part, [...pointer, name]));
  const elements = schema.items ? texts(schema.items, [...pointer, '0']) : [];
  const choices = (schema.anyOf ?? []).flatMap((part) => texts(part, pointer));
  const isText = isOf(schema, 'string') && schema.enum === undefined && schema.const === undefined;
  return [...(isText ? [pointer] : []), ...inside, ...elements, ...choices];
};

const schemaOf = (route: RouteId): Schema | undefined => {
  const { body } = routes[route] as { readonly body?: { readonly schema: keyof typeof bodies } };
  return body && (bodies[body.schema] as Schema);
};

/** The least that a schema takes. */
const leastOf = (schema: Schema | undefined): unknown => {
  if (schema === undefined) return undefined;
  if (schema.enum) return schema.enum[0];
  if (schema.const !== undefined) return schema.const;
  if (schema.anyOf) return leastOf(schema.anyOf[0]);
  if (isOf(schema, 'object')) {
    const names = Object.keys(schema.properties ?? {}).filter(
      (name) => schema.required?.includes(name) || name === 'type',
    );
    return Object.fromEntries(names.map((name) => [name, leastOf(schema.properties?.[name])]));
  }
  return isOf(schema, 'array') ? [] : undefined;
};

export const leastBodyOf = (route: RouteId): unknown => leastOf(schemaOf(route));

/** Whether a document has something at a pointer; the empty one is the document itself. */
export const hasAt = (document: unknown, [step, ...rest]: readonly string[]): boolean =>
  step === undefined ||
  (typeof document === 'object' && document !== null && step in document && hasAt(document[step as never], rest));

/** The document with a value at a pointer; what is missing on the way there is the least that the schema takes. */
export const withAt = (route: RouteId, document: unknown, pointer: readonly string[], value: string): unknown => {
  const put = (within: unknown, schema: Schema | undefined, [step, ...rest]: readonly string[]): unknown => {
    if (step === undefined) return value;
    if (step === '0') {
      const [first = leastOf(schema?.items), ...others] = Array.isArray(within) ? within : [];
      return [put(first, schema?.items, rest), ...others];
    }
    const object = typeof within === 'object' && within !== null ? within : (leastOf(schema) as object);
    return { ...object, [step]: put(object[step as keyof typeof object], schema?.properties?.[step], rest) };
  };
  return put(document ?? {}, schemaOf(route), pointer);
};

export const positionsOf = (route: RouteId): readonly Position[] => {
  const inPath = parametersOf(route);
  const body = schemaOf(route);
  const one = (at: Position['at'], slot: string, of: readonly Form[]): Position => ({
    at,
    slots: [slot],
    tries: of.map((form) => [form]),
    names: of !== freeText,
  });
  return [
    ...inPath.map((parameter) => one('path', parameter, [formOf(parameter)])),
    // All at once: a thing of another organization, named as it is named there.
    ...(inPath.length > 1 ? [{ at: 'path', slots: inPath, tries: [inPath.map(formOf)], names: true } as const] : []),
    ...(body ? texts(body) : []).map((pointer) => one('body', joined(pointer), formsAt(pointer))),
    ...queriesOf(route).map((parameter) => one('query', parameter, queries[parameter] ?? freeText)),
  ];
};
