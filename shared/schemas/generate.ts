import { existsSync, mkdirSync, readFileSync, renameSync, writeFileSync } from 'node:fs';
import { Ajv } from 'ajv';
import standalone from 'ajv/dist/standalone/index.js';
import { build } from 'esbuild';
import type { TSchema } from 'typebox';
import { bodies } from './bodies.ts';
import { commands, type Property } from './commands.ts';

/**
 * Compiles every schema into modules of plain functions, `compiled/bodies.js` and `compiled/commands.js`: compiling in
 * a function's start would cost it twenty times as much code.
 */
const directory = new URL('./compiled/', import.meta.url);

/** One module, of a validator under the name of each schema. */
const compile = async (schemas: Readonly<Record<string, TSchema>>): Promise<string> => {
  // One complaint is enough, and all of them would let a client make us write as many errors as it sends elements.
  // Its words are not needed either: those are in `messages.ts`.
  const ajv = new Ajv({
    allErrors: false,
    messages: false,
    allowUnionTypes: true,
    code: { source: true, esm: true, lines: true },
  });
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

type Described = Readonly<Record<string, Property>>;

/** Gives equal values one name. */
const nameEqual = (prefix: string) => {
  const names = new Map<string, string>();
  return {
    nameOf: (value: object): string => {
      const text = JSON.stringify(value);
      const name = names.get(text) ?? `${prefix}${names.size}`;
      names.set(text, name);
      return name;
    },
    entries: (): [string, string][] => [...names].map(([text, name]) => [name, text]),
  };
};

/**
 * A validator for each parameter of a command, and the words that help shows, as plain data. Many commands have the
 * same parameters, and many parameters the same rules: each is in the module once.
 */
const compileCommands = async (): Promise<string> => {
  const rules = nameEqual('parameter');
  const words = nameEqual('words');
  const rows = Object.entries(commands).map(([command, { description, parameters }]) => {
    const { required = [] } = parameters as { required?: readonly string[] };
    const properties = Object.entries(parameters.properties as Described).map(([name, property]) => {
      const { description: _, ...rule } = property;
      const { type, description: means, enum: values } = property;
      return { name, rule: rules.nameOf(rule), words: words.nameOf({ type, description: means, enum: values }) };
    });
    const list = (of: 'rule' | 'words') => `{ ${properties.map((row) => `${row.name}: ${row[of]}`).join(', ')} }`;
    const shown = `description: ${JSON.stringify(description)}, parameters: { required: ${JSON.stringify(required)}`;
    return {
      validators: `  ${command}: ${list('rule')},`,
      descriptions: `  ${command}: { ${shown}, properties: ${list('words')} } },`,
    };
  });
  return [
    await compile(Object.fromEntries(rules.entries().map(([name, text]) => [name, JSON.parse(text)]))),
    ...words.entries().map(([name, text]) => `const ${name} = ${text};`),
    `export const descriptions = {\n${rows.map((row) => row.descriptions).join('\n')}\n};`,
    `export const validators = {\n${rows.map((row) => row.validators).join('\n')}\n};`,
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

/** Replaces a file in one step, and only when it changed: another process may be reading it. */
const replace = (file: URL, text: string): void => {
  if (existsSync(file) && readFileSync(file, 'utf8') === text) return;
  const scratch = new URL(`${file.href}.${process.pid}`);
  writeFileSync(scratch, text);
  renameSync(scratch, file);
};

/** Writes what is out of date of `compiled/`; whoever bundles or tests calls it first. */
export const generate = async (): Promise<void> => {
  const files = {
    'bodies.js': await compile(bodies),
    'bodies.d.ts': declare(Object.keys(bodies)),
    'commands.js': await compileCommands(),
    'commands.d.ts': commandDeclarations,
  };
  mkdirSync(directory, { recursive: true });
  for (const [name, text] of Object.entries(files)) replace(new URL(name, directory), text);
};

if (import.meta.main) await generate();
