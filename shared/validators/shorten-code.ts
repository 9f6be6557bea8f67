const REPORT = 'reportInvalid';

/** Code of the function that the shortened validators call where they find an error. */
const reportInvalid = `function ${REPORT}(validator, instancePath, keyword, params) {
  validator.errors = [{ instancePath, keyword, params }];
  return false;
}
`;

/** Looks up a path such as `.properties["a-b"].enum` in a schema. */
const valueAt = (schema: unknown, path: string): unknown =>
  [...path.matchAll(/\.([\w$]+)|\["([^"]*)"\]|\[(\d+)\]/g)].reduce<unknown>(
    (value, [, name, quoted, index]) => (value as Readonly<Record<string, unknown>>)[name ?? quoted ?? index ?? ''],
    schema,
  );

/**
 * Shortens the code of validators that ajv wrote and esbuild printed, because the code is part of every cold start. It
 * leaves out the path of the rule in the schema, which nothing reads; it writes values of schemas where they are used, so
 * that the schemas are not bundled; and it reports errors with one function.
 */
export const shortenCode = (code: string): string => {
  const declarations = [...code.matchAll(/^var (schema\d+) = (.*);$/gm)];
  const schemas = new Map(declarations.map(([, name, schema]) => [name, JSON.parse(schema ?? '')]));
  const shortened = code
    .replaceAll(/schemaPath: "[^"]*", /g, '')
    .replaceAll(/\b(schema\d+)((?:\.[\w$]+|\["[^"]*"\]|\[\d+\])+)/g, (_, name, path) =>
      JSON.stringify(valueAt(schemas.get(name), path)),
    )
    .replaceAll(
      /(validate\d+)\.errors = \[\{ instancePath(?:: (.+?))?, keyword: ("\w+"), params: (\{.*\}) \}\];\s*return false;/g,
      (_, validator, path = 'instancePath', keyword, params) =>
        `return ${REPORT}(${validator}, ${path}, ${keyword}, ${params});`,
    );
  return `${reportInvalid}${shortened}`;
};
