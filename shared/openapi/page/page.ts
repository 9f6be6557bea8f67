import { createHash } from 'node:crypto';
import { readFileSync } from 'node:fs';
import type { Edition } from '../../domain/editions.ts';
import { type Route, routeIds, routes } from '../../routes/index.ts';
import type { OpenApiDocument, OperationObject, ResponseObject } from '../document.ts';
import { errorStatuses, meanings, titlesOf } from '../errors.ts';
import { exampleOf } from '../example.ts';
import { Html, html, line, paragraphs } from './html.ts';
import { inBodies, parameterRow, propertyTable, resourceTables, type Schema, table, typeOf } from './schema.ts';

/**
 * HTML page of the OpenAPI document. It is complete without JavaScript, which searches, fills in the address of the
 * service, and sends requests for a reader who is signed in to the web console. It loads no other files, and its
 * Content-Security-Policy forbids loading any.
 */
interface Page {
  readonly content: string;
  readonly contentSecurityPolicy: string;
}

const readText = (name: string): string => readFileSync(new URL(name, import.meta.url), 'utf8');
const readFromConsole = (name: string): string => readText(`../../../functions/console/app/${name}`);
const style = readFromConsole('styles/tokens.css') + readText('page.css');
const script = readText('page.js');

/** Applies the theme that the reader has chosen in the web console, before anything is shown. */
const themeScript = "document.documentElement.dataset.theme = localStorage.getItem('holdfast.theme') ?? '';";

const icon = readFromConsole('icon.svg').trim();
const iconAddress = `data:image/svg+xml;base64,${Buffer.from(icon).toString('base64')}`;

const hashOf = (content: string): string => `'sha256-${createHash('sha256').update(content).digest('base64')}'`;

const contentSecurityPolicy = [
  "default-src 'none'",
  `style-src ${hashOf(style)}`,
  `script-src ${hashOf(themeScript)} ${hashOf(script)}`,
  'img-src data:',
  "connect-src 'self'",
  "base-uri 'none'",
  "form-action 'none'",
  "frame-ancestors 'none'",
].join('; ');

interface Entry {
  readonly path: string;
  readonly method: string;
  readonly operation: OperationObject;
}

/** Lists the operations in the order of the route table. */
const entriesOf = (document: OpenApiDocument): readonly Entry[] =>
  Object.entries(document.paths)
    .flatMap(([path, methods]) => Object.entries(methods).map(([method, operation]) => ({ path, method, operation })))
    .sort((a, b) => routeIds.indexOf(a.operation.operationId) - routeIds.indexOf(b.operation.operationId));

const methodMark = (method: string): Html => html`<span class="method ${method}">${method.toUpperCase()}</span>`;

/** Renders a path: lines may break after each slash, and parameters are highlighted. */
const pathMark = (path: string): Html =>
  html`<code class="path">${path
    .split('/')
    .map((segment, index) => [
      index > 0 && html`/<wbr>`,
      segment.startsWith('{') ? html`<var>${segment}</var>` : segment,
    ])}</code>`;

const example = (value: unknown): Html =>
  html`<details><summary>Example</summary><pre tabindex="0"><code>${JSON.stringify(value, null, 2)}</code></pre></details>`;

/** Stands for the address of the service, until the script of the page replaces it by the one in the browser. */
const HOST = 'https://this-host';

/** Quotes a text for a shell. */
const quoted = (text: string): string => `'${text.replaceAll("'", "'\\''")}'`;

/** Renders the request as a command line, and the place in which the script of the page puts a form that sends it. */
const commandOf = ({ path, method, operation }: Entry, { components }: OpenApiDocument): Html => {
  const [mediaType, content] = Object.entries(operation.requestBody?.content ?? {})[0] ?? [];
  const body = content && JSON.stringify(exampleOf(content.schema, components.schemas), null, 2);
  const command = [
    `curl -X ${method.toUpperCase()} ${quoted(HOST + path)}`,
    ...(operation.security ? [] : ['-H "Authorization: Bearer $HOLDFAST_TOKEN"']),
    ...(body === undefined ? [] : [`-H 'Content-Type: ${mediaType}'`, `-d ${quoted(body)}`]),
  ].join(' \\\n  ');
  return html`<div class="sample"><pre tabindex="0"><code>${command}</code></pre><details class="request" hidden><summary>Send it from here</summary></details></div>`;
};

const schemaIn = (content: ResponseObject['content']): Schema | undefined => Object.values(content ?? {})[0]?.schema;

/** Renders the type of `data` in a document: `Workspace`, or `list of Workspace`. */
const dataOf = (schema: Schema | undefined): Html => {
  const data = schema?.properties?.['data'];
  return data ? html`<br>${typeOf(data)}` : html``;
};

const successRows = ({ responses }: OperationObject): Html[] =>
  Object.entries(responses).flatMap(([status, response]) => {
    if ('$ref' in response) return [];
    const { description, content } = response as ResponseObject;
    return [html`<tr><th scope="row">${status}</th><td>${line(description)}${dataOf(schemaIn(content))}</td></tr>`];
  });

const generalErrors = ({ responses }: OperationObject): Html => {
  const statuses = Object.entries(responses).flatMap(([status, response]) => ('$ref' in response ? [status] : []));
  if (statuses.length === 0) return html``;
  return html`<p class="limits">And <a href="#errors">as everywhere</a>: ${statuses.join(', ')}.</p>`;
};

const bodyOf = ({ requestBody }: OperationObject): Html => {
  const schema = schemaIn(requestBody?.content) as { $ref: string } | undefined;
  if (requestBody === undefined || schema === undefined) return html``;
  return html`<p><strong>Body</strong>${!requestBody.required && ', may be left out'}: ${typeOf(schema)}. ${requestBody.description && line(requestBody.description)}</p>`;
};

/** Renders the link from a deprecated operation to the operation that replaces it. */
const successorOf = ({ method, operation }: Entry, document: OpenApiDocument): Html => {
  const { deprecated }: Route = routes[operation.operationId];
  if (deprecated === undefined) return html``;
  const { operationId, summary } = document.paths[deprecated.successor]?.[method] ?? {};
  const instead = operationId && html` Use: <a href="#${operationId}">${summary}</a>.`;
  return html`<p><strong>Deprecated</strong> since ${new Date(deprecated.since * 1_000).toISOString().slice(0, 10)}.${instead}</p>`;
};

const operationArticle = (entry: Entry, document: OpenApiDocument): Html => {
  const { path, method, operation } = entry;
  const { operationId, summary, description, parameters, security } = operation;
  return html`
<article class="entry" id="${operationId}">
<h3><a href="#${operationId}">${summary}</a></h3>
<p class="route">${methodMark(method)} ${pathMark(path)}</p>
${successorOf(entry, document)}${paragraphs(description)}${security && html`<p class="limits">Needs no token.</p>`}
${table(
  'Parameters',
  ['Name', 'Type', 'Meaning'],
  parameters.map((it) => parameterRow(it.name, it.in !== 'path' && it.required, it.description, it.schema)),
)}
${bodyOf(operation)}
${table('Responses', ['Status', 'Meaning'], successRows(operation))}
${generalErrors(operation)}
${commandOf(entry, document)}
</article>`;
};

const schemaSection = (name: string, schema: Schema, { components }: OpenApiDocument): Html => html`
<section class="entry" id="${name}">
<h3><a href="#${name}">${name}</a></h3>
${paragraphs(schema.description)}
${name.endsWith('Body') ? propertyTable('Body', schema, inBodies) : resourceTables(name, schema)}
${(schema.examples ?? [exampleOf(schema, components.schemas)]).map(example)}
</section>`;

const errorsSection = html`
<section class="chapter" id="errors">
<h2><a href="#errors">Errors</a></h2>
<p>An error is a document too. Its <code>title</code> says what kind it is, its <code>detail</code> what is wrong, and its <code>source</code> where.</p>
${table(
  'Statuses',
  ['Status', 'Title', 'Meaning'],
  errorStatuses.map(
    (status) =>
      html`<tr><th scope="row">${status}</th><td>${titlesOf(status).join(', ')}</td><td>${line(meanings[status])}</td></tr>`,
  ),
)}
${example({
  errors: [
    {
      status: '422',
      title: 'invalid attribute',
      detail: 'Name has already been taken',
      source: { pointer: '/data/attributes/name' },
    },
  ],
})}
</section>`;

const listing = (links: readonly { readonly id: string; readonly label: Html | string }[]): Html =>
  html`<ul>${links.map(({ id, label }) => html`<li><a href="#${id}">${label}</a></li>`)}</ul>`;

/** Lists the schemas, except schemas that all responses share: the introduction and `errors` describe them. */
const shownSchemas = ({ components }: OpenApiDocument): readonly (readonly [string, Schema])[] =>
  Object.entries(components.schemas).filter(([name]) => !name.endsWith('Errors')) as [string, Schema][];

/** Builds the HTML page of an OpenAPI document. */
export const pageOf = (document: OpenApiDocument, edition: Edition): Page => {
  const entries = entriesOf(document);
  const schemas = shownSchemas(document);
  const chapters = document.tags.map(({ name, description }) => ({
    id: `chapter-${name.toLowerCase().replaceAll(/\W+/g, '-')}`,
    name,
    description,
    entries: entries.filter(({ operation }) => operation.tags.includes(name)),
  }));
  const { title, version, description } = document.info;

  const content = html`<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<meta name="color-scheme" content="light dark">
<title>${title} API</title>
<link rel="icon" href="${iconAddress}">
<style>${new Html(style)}</style>
<script>${new Html(themeScript)}</script>
</head>
<body>
<a class="skip" href="#content">Skip to the content</a>
<header>
<p class="title"><a href="/app">${title}</a> <span class="limits">API ${version}, ${edition}</span></p>
<search id="search" hidden>
<label for="query">Search</label>
<input id="query" type="search" autocomplete="off" spellcheck="false" placeholder="lock, tags, /workspaces …" aria-describedby="found">
<p id="found" role="status"></p>
</search>
<p class="file"><a href="/app">Web console</a> <a href="/openapi.json">openapi.json</a></p>
</header>
<nav aria-label="Contents">
${chapters.map(
  (chapter) => html`
<section><h2><a href="#${chapter.id}">${chapter.name}</a></h2>
${listing(chapter.entries.map(({ method, operation }) => ({ id: operation.operationId, label: html`${methodMark(method)} <span>${operation.summary}${operation.deprecated && html` <span class="limits">deprecated</span>`}</span>` })))}
</section>`,
)}
<section><h2><a href="#schemas">Resources and bodies</a></h2>
${listing(schemas.map(([name]) => ({ id: name, label: name })))}
</section>
</nav>
<main id="content" tabindex="-1">
<h1>${title} API</h1>
<section class="chapter">
${paragraphs(description)}
<p>Present a token in each request: <code>Authorization: Bearer …</code> ${line(document.components.securitySchemes.token.description)}</p>
<pre tabindex="0"><code>curl -H "Authorization: Bearer $HOLDFAST_TOKEN" '${HOST}/api/v2/organizations/acme/workspaces'</code></pre>
<p id="session" hidden>You are signed in to the <a href="/app">web console</a>: each request below can be sent from here.</p>
</section>
${errorsSection}
${chapters.map(
  (chapter) => html`
<section class="chapter" id="${chapter.id}">
<h2><a href="#${chapter.id}">${chapter.name}</a></h2>
${paragraphs(chapter.description)}
${chapter.entries.map((entry) => operationArticle(entry, document))}
</section>`,
)}
<section class="chapter" id="schemas">
<h2><a href="#schemas">Resources and bodies</a></h2>
${schemas.map(([name, schema]) => schemaSection(name, schema, document))}
</section>
<p id="nothing" hidden>Nothing has all of these words.</p>
</main>
<script>${new Html(script)}</script>
</body>
</html>
`;
  return { content: content.text, contentSecurityPolicy };
};
