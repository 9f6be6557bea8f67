import { createHash } from 'node:crypto';
import { gzipSync } from 'node:zlib';
import { type Edition, editionNames } from '../domain/editions.ts';
import { writeGenerated } from '../lib/write-generated.ts';
import { routeIds } from '../routes/index.ts';
import { documentOf } from './document.ts';
import { login, services } from './operations/documentation.ts';
import { operations } from './operations/index.ts';
import { pageOf } from './page/page.ts';

/**
 * Folder of the generated files: `files.js` with the responses of the function `documentation`, `query-parameters.js` with
 * the filters of each route, and the document of each edition for the linter. The function bundles neither the schemas nor the texts.
 */
const directory = new URL('./compiled/', import.meta.url);

const file = (mediaType: string, content: string, headers: Readonly<Record<string, string>> = {}) => ({
  mediaType,
  gzip: gzipSync(content, { level: 9 }).toString('base64'),
  digest: createHash('sha256').update(content).digest('base64url').slice(0, 22),
  headers,
});

const filesOf = (edition: Edition, document: ReturnType<typeof documentOf>) => {
  const { content, contentSecurityPolicy } = pageOf(document, edition);
  return {
    openapi: file('application/json', JSON.stringify(document)),
    page: file('text/html; charset=utf-8', content, {
      'content-security-policy': contentSecurityPolicy,
      'referrer-policy': 'no-referrer',
    }),
    discovery: file('application/json', JSON.stringify({ ...login, ...services })),
    discoveryWithoutLogin: file('application/json', JSON.stringify(services)),
  };
};

const declarations = `import type { Edition } from '../../domain/editions.ts';

interface File {
  readonly mediaType: string;
  readonly gzip: string;
  readonly digest: string;
  readonly headers: Readonly<Record<string, string>>;
}
export declare const files: Readonly<Record<Edition, Readonly<Record<'openapi' | 'page' | 'discovery' | 'discoveryWithoutLogin', File>>>>;
`;

/** Names of the filters and of `sort` for each route that has some. The check of queries in `shared/http` uses them. */
const queryParameters = Object.fromEntries(
  routeIds.flatMap((id) => {
    const names = Object.keys(operations[id].query ?? {}).filter((name) => /^(filter|search)\[|^sort$/.test(name));
    return names.length === 0 ? [] : [[id, names]];
  }),
);

const queryDeclarations = `import type { RouteId } from '../../routes/index.ts';

export declare const queryParameters: { readonly [R in RouteId]?: readonly string[] };
`;

/** Writes the generated files that are out of date. Bundling and tests call it first. */
export const generate = (): void => {
  const documents = editionNames.map((edition) => [edition, documentOf(edition)] as const);
  const files = Object.fromEntries(documents.map(([edition, document]) => [edition, filesOf(edition, document)]));
  writeGenerated(directory, {
    'files.js': `export const files = ${JSON.stringify(files, null, 2)};\n`,
    'files.d.ts': declarations,
    'query-parameters.js': `export const queryParameters = ${JSON.stringify(queryParameters, null, 2)};\n`,
    'query-parameters.d.ts': queryDeclarations,
    ...Object.fromEntries(
      documents.map(([edition, document]) => [`${edition}.json`, JSON.stringify(document, null, 2)]),
    ),
  });
};

if (import.meta.main) generate();
