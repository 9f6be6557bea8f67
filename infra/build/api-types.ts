/**
 * Generates the types of the API for the web console and the command line from the OpenAPI document, so that a change of the
 * API that breaks one of them is a type error. It does nothing if the document has not changed.
 */
import { createHash } from 'node:crypto';
import { mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { registerHooks } from 'node:module';

const document = new URL('../../shared/openapi/compiled/self-hosted.json', import.meta.url);
const folder = new URL('../../shared/client/compiled/', import.meta.url);
const output = new URL('api.d.ts', folder);

const read = (file: URL): string => {
  try {
    return readFileSync(file, 'utf8');
  } catch {
    return '';
  }
};

const digest = createHash('sha256').update(read(document)).digest('hex');
const heading = `// Generated from the OpenAPI document with the digest ${digest}.\n`;
if (!read(output).startsWith(heading)) {
  // The generator prints types with the API of TypeScript 5, which TypeScript 7 does not have.
  registerHooks({
    resolve: (specifier, context, next) => next(specifier === 'typescript' ? 'typescript-5' : specifier, context),
  });
  const { default: createTypes, astToString } = await import('openapi-typescript');
  const types = astToString(await createTypes(document, { rootTypes: true, rootTypesNoSchemaPrefix: true }));
  mkdirSync(folder, { recursive: true });
  writeFileSync(output, heading + types);
}
