import type { Static, TOptional, TSchema } from 'typebox';
import type { Features } from '../domain/editions.ts';

/** An attribute that only responses have: the service sets it. */
interface ReadOnlyAttribute {
  readonly response: TSchema;
  /** The feature that it belongs to: editions without the feature do not have the attribute. */
  readonly feature?: keyof Features;
  readonly request?: never;
}

/**
 * Offer of an attribute in the requests of the OpenAPI document. Validation does not depend on it: the domain has the rule, and
 * an update may repeat a value that cannot change.
 */
export interface Offer {
  /** A creation must have it. */
  readonly required?: true;
  /** An update cannot change it. */
  readonly immutable?: true;
  /** It is another spelling of an attribute that the document has. */
  readonly hidden?: true;
}

/** Name of an attribute in domain requests. Default: its name in camel case. */
interface DomainName {
  readonly member?: string;
}

/** An attribute that requests and responses have, and that has rules of its own. */
interface WritableAttribute extends DomainName {
  readonly request: TSchema;
  readonly response: TSchema;
  readonly feature?: keyof Features;
  readonly offer?: Offer;
}

/** An attribute that only requests have. */
interface WriteOnlyAttribute extends DomainName {
  readonly request: TSchema;
  readonly response?: never;
  readonly offer?: Offer;
}

/**
 * Another name of an attribute. Responses have both, with the same value. In requests, the middleware `unifyNames`
 * replaces it before they are mapped (HTTP-34).
 */
interface Synonym {
  readonly synonymOf: string;
}

/** An attribute that is stored and returned unchanged. */
export interface SettingAttribute<K extends string = string, V = unknown, S extends TSchema = TSchema> {
  /** Name of the setting in the domain and in the database. */
  readonly setting: K;
  /** Schema of the value, in requests and in responses. */
  readonly schema: S;
  /** The value of a resource that was created without one, or before the setting existed. */
  readonly default: V;
}

type Attribute = ReadOnlyAttribute | WritableAttribute | WriteOnlyAttribute;
type AnyAttribute = Attribute | SettingAttribute | Synonym;

/**
 * The attributes of a resource by their wire names, in the order of responses. Schemas and mappings are derived from the
 * table: a type error names every attribute that one of them does not cover.
 */
export type AttributeTable = Readonly<Record<string, Attribute>>;

/** The attributes of a resource whose mappings of requests and responses also derive its settings. */
export type AttributeTableWithSettings = Readonly<Record<string, AnyAttribute>>;

/** Defines an attribute that is stored and returned unchanged. */
export function setting<const K extends string, S extends TSchema>(
  attribute: SettingAttribute<K, Static<S>, S>,
): SettingAttribute<K, Static<S>, S> {
  return attribute;
}

type NamesOf<T, Kind> = { [N in keyof T]: T[N] extends Kind ? N : never }[keyof T] & string;

/** Names of the attributes that are settings. */
type SettingNames<T> = NamesOf<T, { readonly setting: string }>;
/** Names of the attributes in requests whose mapping cannot be derived. */
type RuledNames<T> = NamesOf<T, { readonly request: TSchema }>;
/** Names of the attributes in responses whose value cannot be derived. */
type ComputedNames<T> = NamesOf<T, { readonly response: TSchema }>;

type RequestSchemaOf<A> = A extends { readonly request: infer S extends TSchema }
  ? S
  : A extends { readonly schema: infer S extends TSchema }
    ? S
    : never;

/** Names of the attributes in requests. */
export type RequestNames<T> = SettingNames<T> | RuledNames<T>;

/** The schemas of the attributes in requests, by name. Requests may leave out all but those in `R`. */
export type RequestProperties<T, R = never> = {
  [N in RequestNames<T>]: N extends R ? RequestSchemaOf<T[N]> : TOptional<RequestSchemaOf<T[N]>>;
};

/** The attributes of a request. */
export type RequestAttributes<T> = { readonly [N in RequestNames<T>]?: Static<RequestSchemaOf<T[N]>> };

/** The settings of a table, by their names in the domain. */
export type SettingsOf<T> = {
  readonly [N in SettingNames<T> as T[N] extends { readonly setting: infer K extends string }
    ? K
    : never]: T[N] extends { readonly schema: infer S extends TSchema } ? Static<S> : never;
};

type CamelCase<N extends string> = N extends `${infer Word}-${infer Rest}`
  ? `${Word}${Capitalize<CamelCase<Rest>>}`
  : N;
type DomainNameOf<A, N extends string> = A extends { readonly member: infer M extends string } ? M : CamelCase<N>;

/** The attributes of a request that are not settings, by their names in the domain. */
export type CopiedRequest<T> = {
  readonly [N in RuledNames<T> as DomainNameOf<T[N], N>]?: Static<RequestSchemaOf<T[N]>>;
};

/** Names of the attributes that a domain request can have as they are sent. */
type CopiedNames<T, Request> = {
  [N in RuledNames<T>]: DomainNameOf<T[N], N> extends keyof Request
    ? Static<RequestSchemaOf<T[N]>> extends Request[DomainNameOf<T[N], N>]
      ? N
      : never
    : never;
}[RuledNames<T>];

/** Maps the value of an attribute in a request to members of a domain request. */
type Mapping<T, N extends RuledNames<T>, Request> = (
  value: Static<RequestSchemaOf<T[N]>>,
  attributes: RequestAttributes<T>,
) => Partial<Request>;

/** One function for each attribute that is neither a setting nor copied. */
export type RequestMappings<T, Request> = {
  readonly [N in CopiedNames<T, Request>]?: Mapping<T, N, Request>;
} & { readonly [N in Exclude<RuledNames<T>, CopiedNames<T, Request>>]: Mapping<T, N, Request> };

type ValueOf<S extends TSchema> = S extends { readonly '~optional': true } ? Static<S> | undefined : Static<S>;

/**
 * The values of the attributes in responses that cannot be derived. Attributes that are optional, or that belong to a
 * feature, are absent from the response where undefined.
 */
export type ComputedValues<T> = {
  readonly [N in ComputedNames<T>]: T[N] extends { readonly response: infer S extends TSchema }
    ? ValueOf<S> | (T[N] extends { readonly feature: string } ? undefined : never)
    : never;
};

const knownEntries = new WeakMap<AttributeTableWithSettings, [string, AnyAttribute][]>();

/** Returns the attributes of a table with their names: the same array each time, because lists need it for every row. */
const entriesOf = <T extends AttributeTableWithSettings>(table: T): [string, T[string]][] => {
  let entries = knownEntries.get(table);
  if (entries === undefined) {
    entries = Object.entries(table);
    knownEntries.set(table, entries);
  }
  return entries as [string, T[string]][];
};

const isSetting = (attribute: AnyAttribute): attribute is SettingAttribute => 'setting' in attribute;

/** Returns the settings of a new resource, before its request is applied. */
export const defaultSettings = <T extends AttributeTableWithSettings>(table: T): SettingsOf<T> =>
  Object.fromEntries(
    entriesOf(table).flatMap(([, attribute]) => (isSetting(attribute) ? [[attribute.setting, attribute.default]] : [])),
  ) as SettingsOf<T>;

/** Returns the settings in the attributes of a request, by their names in the domain. */
export const readSettings = <T extends AttributeTableWithSettings>(
  table: T,
  attributes: RequestAttributes<T>,
): Partial<SettingsOf<T>> =>
  Object.fromEntries(
    entriesOf(table).flatMap(([name, attribute]) => {
      const value = attributes[name as keyof typeof attributes];
      return isSetting(attribute) && value !== undefined ? [[attribute.setting, value]] : [];
    }),
  ) as Partial<SettingsOf<T>>;

const camelCase = (name: string): string => name.replaceAll(/-./g, ([, letter = '']) => letter.toUpperCase());

/**
 * Maps the attributes of a request that are not settings to a domain request. An omitted attribute adds nothing to it.
 * @param mappings functions for the attributes that are not copied under their names in the domain.
 * @typeParam Request has required members only for attributes that the schema of the body requires.
 */
export const mapRequest = <T extends AttributeTableWithSettings, Request extends object = CopiedRequest<T>>(
  table: T,
  attributes: RequestAttributes<T>,
  mappings: RequestMappings<T, Request>,
): Request => {
  const given: Readonly<Record<string, unknown>> = attributes;
  const own: Readonly<Record<string, ((value: never, all: typeof attributes) => object) | undefined>> = mappings;
  const parts = entriesOf(table).map(([name, attribute]) => {
    if (!('request' in attribute) || given[name] === undefined) return {};
    const map = own[name];
    if (map !== undefined) return map(given[name] as never, attributes);
    return { [('member' in attribute && attribute.member) || camelCase(name)]: given[name] };
  });
  return Object.assign({}, ...parts);
};

/** Origin of the value of an attribute in a response. All have the same form, because a page has hundreds. */
interface Source {
  readonly name: string;
  /** Name of the setting, or of the computed value. */
  readonly key: string;
  readonly isStored: boolean;
  readonly fallback: unknown;
}

/** The attributes of the responses of a table. */
interface Shape {
  readonly sources: readonly Source[];
  /** Object with all of the attributes. V8 copies it, and stringifies the copies, faster than an object that grows. */
  readonly template: object;
}

const NO_FEATURES: Partial<Features> = {};
const knownShapes = new WeakMap<AttributeTableWithSettings, WeakMap<Partial<Features>, Shape>>();

const createShape = (table: AttributeTableWithSettings, features: Partial<Features>): Shape => {
  const sources = entriesOf(table).flatMap(([name, attribute]): Source[] => {
    if ('feature' in attribute && attribute.feature && !features[attribute.feature]) return [];
    if (isSetting(attribute)) return [{ name, key: attribute.setting, isStored: true, fallback: attribute.default }];
    if ('synonymOf' in attribute) return [{ name, key: attribute.synonymOf, isStored: false, fallback: undefined }];
    return 'response' in attribute ? [{ name, key: name, isStored: false, fallback: undefined }] : [];
  });
  // An object from a parser is stored as compactly as a literal.
  const template = JSON.parse(JSON.stringify(Object.fromEntries(sources.map(({ name }) => [name, null]))));
  return { sources, template };
};

const shapeOf = (table: AttributeTableWithSettings, features: Partial<Features>): Shape => {
  const ofTable = knownShapes.get(table) ?? new WeakMap();
  const shape = ofTable.get(features) ?? createShape(table, features);
  knownShapes.set(table, ofTable.set(features, shape));
  return shape;
};

/** Returns the attributes of a response, in the order of the table, without attributes of features that are not offered. */
export const responseAttributes = <T extends AttributeTableWithSettings>(
  table: T,
  settings: Partial<SettingsOf<T>>,
  computed: ComputedValues<T>,
  features: Partial<Features> = NO_FEATURES,
): Readonly<Record<string, unknown>> => {
  const values: Readonly<Record<string, unknown>> = computed;
  const stored: Readonly<Record<string, unknown>> = settings;
  const { sources, template } = shapeOf(table, features);
  const attributes: Record<string, unknown> = { ...template };
  for (const { name, key, isStored, fallback } of sources) {
    const own = (isStored ? stored : values)[key];
    const value = own === undefined ? fallback : own;
    if (value === undefined) delete attributes[name];
    else attributes[name] = value;
  }
  return attributes;
};
