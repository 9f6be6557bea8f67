import { mkdirSync, writeFileSync } from 'node:fs';
import { Ajv } from 'ajv';
import standalone from 'ajv/dist/standalone/index.js';
import { build } from 'esbuild';
import type { TSchema } from 'typebox';
import { bodies } from './bodies.ts';
import { commands } from './commands.ts';

/**
 * Compiles every schema into modules of plain functions, `compiled/bodies.js` and `compiled/commands.js`: compiling in
 * a function's start would cost it twenty times as much code.
 */
const directory = new URL('./compiled/', import.meta.url);

/** One module, of a validator under the name of each schema. */
const compile = async (schemas: Readonly<Record<string, TSchema>>): Promise<string> => {
  // One complaint is enough, and all of them would let a client make us write as many errors as it sends elements.
  const ajv = new Ajv({ allErrors: false, allowUnionTypes: true, code: { source: true, esm: true, lines: true } });
  for (const [name, schema] of Object.entries(schemas)) ajv.addSchema(schema, name);
  const code = standalone.default(ajv, Object.fromEntries(Object.keys(schemas).map((name) => [name, name])));

  // ajv's output still asks for its helpers with `require`; bundled, it stands alone.
  const bundled = await build({
    stdin: { contents: code, resolveDir: import.meta.dirname },
    bundle: true,
    format: 'esm',
    platform: 'neutral',
    mainFields: ['module', 'main'],
    write: false,
  });
  return bundled.outputFiles[0]?.text ?? '';
};

const declare = (names: readonly string[]): string =>
  [
    "import type { Validator } from '../messages.ts';",
    ...names.map((name) => `export declare const ${name}: Validator;`),
    '',
  ].join('\n');

/** Each schema of a command's parameter once, as many commands have the same, and which one each parameter has. */
const parameterSchemas = () => {
  const names = new Map<string, string>();
  const nameOf = (schema: TSchema): string => {
    const text = JSON.stringify(schema);
    const name = names.get(text) ?? `parameter${names.size}`;
    names.set(text, name);
    return name;
  };
  const uses = Object.entries(commands).map(([command, { parameters }]) => {
    const properties = Object.entries<TSchema>(parameters.properties);
    return `${command}: { ${properties.map(([name, schema]) => `${name}: ${nameOf(schema)}`).join(', ')} },`;
  });
  const schemas: Record<string, TSchema> = Object.fromEntries(
    [...names].map(([text, name]) => [name, JSON.parse(text)]),
  );
  return { schemas, uses };
};

/** Validators by command and parameter; beside them the words that help shows, as plain data. */
const compileCommands = async (): Promise<string> => {
  const { schemas, uses } = parameterSchemas();
  return [
    await compile(schemas),
    `export const descriptions = ${JSON.stringify(commands)};`,
    `export const validators = {\n  ${uses.join('\n  ')}\n};`,
    '',
  ].join('\n');
};

const commandDeclarations = [
  "import type { CommandKey, Description } from '../commands.ts';",
  "import type { Validator } from '../messages.ts';",
  'export declare const descriptions: Readonly<Record<CommandKey, Description>>;',
  'export declare const validators: Readonly<Record<CommandKey, Readonly<Record<string, Validator>>>>;',
  '',
].join('\n');

export const generate = async (): Promise<void> => {
  const files = {
    'bodies.js': await compile(bodies),
    'bodies.d.ts': declare(Object.keys(bodies)),
    'commands.js': await compileCommands(),
    'commands.d.ts': commandDeclarations,
  };
  mkdirSync(directory, { recursive: true });
  for (const [name, text] of Object.entries(files)) writeFileSync(new URL(name, directory), text);
};

if (import.meta.main) await generate();
