import { ID_BODY } from '../../domain/ids.ts';
import { type Html, html, joined, line } from './html.ts';

/** HTML tables for the schemas of the document. */

export interface Schema {
  readonly $ref?: string;
  readonly const?: unknown;
  readonly enum?: readonly unknown[];
  readonly anyOf?: readonly Schema[];
  readonly oneOf?: readonly Schema[];
  readonly type?: string | readonly string[];
  readonly format?: string;
  readonly pattern?: string;
  readonly default?: unknown;
  readonly examples?: readonly unknown[];
  readonly minimum?: number;
  readonly maximum?: number;
  readonly maxLength?: number;
  readonly maxItems?: number;
  readonly deprecated?: boolean;
  readonly description?: string;
  readonly required?: readonly string[];
  readonly properties?: Readonly<Record<string, Schema>>;
  readonly items?: Schema;
}

const nameOfReference = (reference: string): string => reference.split('/').at(-1) ?? '';

const code = (value: unknown): Html => html`<code>${String(value)}</code>`;
const choices = ({ anyOf, oneOf }: Schema): readonly Schema[] => anyOf ?? oneOf ?? [];

/** Returns the allowed values of a schema, or of the elements of a list. */
const valuesOf = ({ enum: own, items }: Schema): readonly unknown[] =>
  (own ?? items?.enum ?? []).filter((value) => value !== null);
/** Checks whether there are too many values for the type column; they are then shown in the description column. */
const isLong = (values: readonly unknown[]): boolean => values.length > 4;

/** Renders a type: `text or null`, `a or b`, or a link to another schema. */
export const typeOf = (schema: Schema): Html => {
  if (schema.$ref !== undefined) {
    const name = nameOfReference(schema.$ref);
    return html`<a href="#${name}">${name}</a>`;
  }
  if (schema.const !== undefined) return code(schema.const);
  if (schema.enum !== undefined) {
    const all = valuesOf(schema);
    const isNullable = schema.enum.includes(null);
    return joined([...(isLong(all) ? ['one of these'] : all.map(code)), ...(isNullable ? ['null'] : [])], ' or ');
  }
  if (choices(schema).length > 0) return joined(choices(schema).map(typeOf), ' or ');
  const types = [schema.type ?? 'anything'].flat();
  if (schema.items !== undefined) {
    const inner = isLong(valuesOf(schema)) ? 'these' : typeOf(schema.items);
    return joined([html`list of ${inner}`, ...types.filter((type) => type !== 'array')], ' or ');
  }
  const names: Readonly<Record<string, string>> = {
    string: schema.format === 'date-time' ? 'timestamp' : 'text',
    integer: 'number',
    boolean: 'true or false',
  };
  return joined(
    types.map((type) => names[type] ?? type),
    ' or ',
  );
};

/** Shortens the pattern of an id to its prefix: `ws-…`. */
const shortened = (pattern: string): string => {
  const body = `${ID_BODY}$`;
  return pattern.endsWith(`-${body}`) ? `${pattern.slice(1, -body.length)}…` : pattern;
};

/** Renders the limits of a value, such as its pattern and its largest length. */
const limitsOf = (schema: Schema): Html => {
  const { maxLength, maxItems, minimum, maximum, pattern, format } = schema;
  return joined(
    [
      ...(isLong(valuesOf(schema)) ? [joined(valuesOf(schema).map(code), ', ')] : []),
      ...(maxLength === undefined ? [] : [`at most ${maxLength} characters`]),
      ...(maxItems === undefined ? [] : [`at most ${maxItems}`]),
      ...(minimum === undefined || minimum === 0 ? [] : [`from ${minimum}`]),
      ...(maximum === undefined ? [] : [`up to ${maximum}`]),
      ...(schema.default === undefined ? [] : [html`${code(schema.default)} unless given`]),
      ...(pattern === undefined || format !== undefined ? [] : [html`as ${code(shortened(pattern))}`]),
    ],
    ', ',
  );
};

interface Row {
  readonly path: readonly string[];
  readonly schema: Schema;
  readonly required: boolean;
}

/** Returns the object schema of an object or of the elements of a list; undefined for any other schema. */
const objectIn = (schema: Schema): { readonly object: Schema; readonly isList: boolean } | undefined => {
  if (schema.properties !== undefined) return { object: schema, isList: false };
  if (schema.items !== undefined) {
    const inner = objectIn(schema.items);
    return inner && { object: inner.object, isList: true };
  }
  return choices(schema).length === 0 ? undefined : choices(schema).map(objectIn).find(Boolean);
};

const rowsOf = (schema: Schema, path: readonly string[] = []): Row[] =>
  Object.entries(schema.properties ?? {}).flatMap(([name, property]) => {
    const inner = objectIn(property);
    const own = { path: [...path, name], schema: property, required: schema.required?.includes(name) ?? false };
    return inner ? [own, ...rowsOf(inner.object, [...path, inner.isList ? `${name}[]` : name])] : [own];
  });

const pathOf = (path: readonly string[]): Html => {
  const above = path.slice(0, -1).map((name) => `${name}.`);
  return html`<code>${above.length > 0 && html`<span class="above">${above}</span>`}<wbr>${path.at(-1)}</code>`;
};

const describe = (schema: Schema): Html => {
  const limits = limitsOf(schema);
  return html`${schema.deprecated && html`<strong>Deprecated.</strong> `}${schema.description && line(schema.description)}${limits.text !== '' && html` <span class="limits">${limits}</span>`}`;
};

/** Renders a table with a caption and column headings, or nothing if there are no rows. */
export const table = (caption: string, head: readonly string[], rows: readonly Html[]): Html =>
  rows.length === 0
    ? html``
    : html`<table${head[0] === 'Status' && html` class="statuses"`}><caption>${caption}</caption><thead><tr>${head.map((it) => html`<th scope="col">${it}</th>`)}</tr></thead><tbody>${rows}</tbody></table>`;

/**
 * Renders a table with one row for each member of an object, at any depth.
 * @param mark returns the label of a required or optional member, or false for none.
 */
export const propertyTable = (caption: string, schema: Schema, mark: (isRequired: boolean) => string | false): Html =>
  table(
    caption,
    ['Name', 'Type', 'Meaning'],
    rowsOf(schema).map(
      (row) =>
        html`<tr><th scope="row">${pathOf(row.path)}${mark(row.required) && html` <span class="limits">${mark(row.required)}</span>`}</th><td>${objectIn(row.schema) ? structureOf(row.schema) : typeOf(row.schema)}</td><td>${describe(row.schema)}</td></tr>`,
    ),
  );

const structureOf = (schema: Schema): string => {
  const isList = objectIn(schema)?.isList;
  const isNullable = JSON.stringify(schema.type ?? choices(schema)).includes('"null"');
  return `${isList ? 'list of objects' : 'object'}${isNullable ? ' or null' : ''}`;
};

/** Renders the types that a relationship may refer to. */
const relationshipOf = (schema: Schema): Html => {
  const identifiers: Schema[] = [];
  let isNullable = false;
  let isList = false;
  let isOptional = false;
  const look = (it: Schema): void => {
    const { data } = it.properties ?? {};
    if (data && it.required?.includes('data') === false) isOptional = true;
    const type = it.properties?.['type'];
    if (type) identifiers.push(type);
    if (it.type === 'null') isNullable = true;
    if (it.items) isList = true;
    for (const inner of [...choices(it), data, it.items]) if (inner) look(inner);
  };
  look(schema);
  if (identifiers.length === 0) return html`a link`;
  const types = joined([...new Map(identifiers.map((it) => [JSON.stringify(it), typeOf(it)])).values()], ' or ');
  const linked = JSON.stringify(schema).includes('"links"') ? ', with a link' : '';
  return html`${isList ? 'list of ' : ''}${types}${isNullable ? ' or none' : ''}${isOptional ? ', where included' : ''}${linked}`;
};

const inResponses = (isRequired: boolean) => !isRequired && 'may be absent';
/** Returns the label of a member of a request body: `required`, or false for an optional member. */
export const inBodies = (isRequired: boolean) => isRequired && 'required';

/** Renders a resource: its type, attributes, relationships and links. */
export const resourceTables = (name: string, schema: Schema): Html => {
  const { attributes, relationships, links } = schema.properties ?? {};
  if (attributes === undefined) return propertyTable(`What is in ${name}`, schema, inResponses);
  return html`
<p class="limits">Type ${typeOf(schema.properties?.['type'] ?? {})}</p>
${propertyTable('Attributes', attributes, inResponses)}
${table(
  'Relationships',
  ['Name', 'To'],
  Object.entries(relationships?.properties ?? {}).map(
    ([relationship, it]) =>
      html`<tr><th scope="row"><code>${relationship}</code></th><td>${relationshipOf(it)}${it.description && html`. ${line(it.description)}`}</td></tr>`,
  ),
)}
${links && html`<p>Links: ${joined(Object.keys(links.properties ?? {}).map(code), ', ')}.</p>`}`;
};

/** Renders the table row of a request parameter. */
export const parameterRow = (name: string, required: boolean, description: string, schema: Schema): Html =>
  html`<tr><th scope="row"><code>${name}</code>${required && html` <span class="limits">required</span>`}</th><td>${typeOf(schema)}</td><td>${line(description)} <span class="limits">${limitsOf(schema)}</span></td></tr>`;
