import { Ajv } from 'ajv';
import standalone from 'ajv/dist/standalone/index.js';
import { build } from 'esbuild';
import type { TObject, TSchema } from 'typebox';
import { manifest, schemas as records } from '../bundle/schemas.ts';
import { envelopes, schemaWithoutEnvelope } from '../events/schemas/envelope.ts';
import { hubSchemas } from '../events/schemas/hub.ts';
import { incomingEvents } from '../events/schemas/incoming.ts';
import { outgoingEvents } from '../events/schemas/outgoing.ts';
import { organizationEvents } from '../events/schemas/outgoing-organization.ts';
import { variableSetEvents } from '../events/schemas/outgoing-variable-sets.ts';
import { writeGenerated } from '../lib/write-generated.ts';
import { bodies } from '../resources/request-bodies.ts';
import { commands } from '../schemas/admin-commands.ts';
import { automationCommands } from '../schemas/automation-commands.ts';
import type { CommandTable, Property } from '../schemas/commands.ts';
import { hubQueries } from '../schemas/hub-queries.ts';
import { FEATURE, OFFER_MARKS } from '../schemas/schema.ts';
import { shortenCode } from './shorten-code.ts';

/** Folder of the modules with the compiled validators. Compiling during a cold start would bundle the compiler. */
const directory = new URL('./compiled/', import.meta.url);

/** Keywords that only the OpenAPI document needs. They are removed to keep the functions small. */
const words = [
  ...['title', 'description', 'examples', 'default', 'deprecated', 'format', FEATURE],
  ...Object.values<string>(OFFER_MARKS),
];

const withoutWords = (schema: unknown): unknown => {
  if (Array.isArray(schema)) return schema.map(withoutWords);
  if (typeof schema !== 'object' || schema === null) return schema;
  return Object.fromEntries(
    Object.entries(schema)
      .filter(([keyword]) => !words.includes(keyword))
      .map(([keyword, value]) => [
        keyword,
        // The keys are names of properties, which may equal a keyword.
        keyword === 'properties'
          ? Object.fromEntries(Object.entries(value).map(([name, property]) => [name, withoutWords(property)]))
          : withoutWords(value),
      ]),
  );
};

/** Compiles schemas to a module that exports one validator for each schema, under its name. */
const compile = async (schemas: Readonly<Record<string, TSchema>>): Promise<string> => {
  // Only the first error is reported: a request with many invalid elements must not cause a large response. The messages
  // are in `shared/schemas/error-messages.ts`.
  const ajv = new Ajv({
    allErrors: false,
    messages: false,
    allowUnionTypes: true,
    code: { source: true, esm: true, lines: true },
  });
  for (const [name, schema] of Object.entries(schemas)) ajv.addSchema(withoutWords(schema) as TSchema, name);
  const code = standalone.default(ajv, Object.fromEntries(Object.keys(schemas).map((name) => [name, name])));

  // The output of ajv loads helpers with `require`. Bundling removes these calls.
  const bundled = await build({
    stdin: { contents: code, resolveDir: import.meta.dirname },
    bundle: true,
    format: 'esm',
    platform: 'neutral',
    mainFields: ['module', 'main'],
    write: false,
  });
  return shortenCode(bundled.outputFiles[0]?.text ?? '');
};

const declare = (names: readonly string[]): string =>
  [
    "import type { Validator } from '../../schemas/error-messages.ts';",
    ...names.map((name) => `export declare const ${name}: Validator;`),
    '',
  ].join('\n');

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
 * Compiles a table of commands: the texts of their help as plain data, and a validator for each parameter. Equal validators and
 * texts are in the module once.
 */
const compileCommands = async (table: CommandTable): Promise<string> => {
  const rules = nameEqual('parameter');
  const words = nameEqual('words');
  const rows = Object.entries(table).map(([command, { description, parameters }]) => {
    const { required = [] } = parameters as { required?: readonly string[] };
    const properties = Object.entries(parameters.properties as Readonly<Record<string, Property>>).map(
      ([name, { description: means, ...rule }]) => {
        const { type, enum: values } = rule;
        return { name, rule: rules.nameOf(rule), words: words.nameOf({ type, description: means, enum: values }) };
      },
    );
    const list = (of: 'rule' | 'words') => `{ ${properties.map((row) => `'${row.name}': ${row[of]}`).join(', ')} }`;
    const shown = `description: ${JSON.stringify(description)}, required: ${JSON.stringify(required)}`;
    return `  ${command}: { ${shown}, properties: ${list('words')}, validators: ${list('rule')} },`;
  });
  return [
    await compile(Object.fromEntries(rules.entries().map(([name, text]) => [name, JSON.parse(text)]))),
    ...words.entries().map(([name, text]) => `const ${name} = ${text};`),
    `export const commands = {\n${rows.join('\n')}\n};`,
    '',
  ].join('\n');
};

/** Declares the module of a table of commands. @param name of the table, in the module that exports it. */
const declareCommands = (name: string, module: string): string =>
  [
    `import type { ${name} as table } from '../../schemas/${module}.ts';`,
    "import type { CompiledCommand } from '../../schemas/commands.ts';",
    'export declare const commands: Readonly<Record<keyof typeof table, CompiledCommand>>;',
    '',
  ].join('\n');

/**
 * Compiles a table of schemas. Equal validators are in the module once.
 * @param more schemas whose validators the module exports by name.
 */
const compileTable = async (
  table: string,
  schemas: Readonly<Record<string, object>>,
  more: Readonly<Record<string, TSchema>> = {},
): Promise<string> => {
  const rules = nameEqual('part');
  const rows = Object.entries(schemas).map(([name, schema]) => `'${name}': ${rules.nameOf(schema)}`);
  const parts = Object.fromEntries(rules.entries().map(([name, text]) => [name, JSON.parse(text)]));
  return `${await compile({ ...more, ...parts })}export const ${table} = { ${rows.join(', ')} };\n`;
};

/** Declares the module of a table of schemas. @param names type of its names. */
const declareTable = (table: string, names: string, more: object = {}): string =>
  `${declare(Object.keys(more))}export declare const ${table}: Readonly<Record<${names}, Validator>>;\n`;

/** Schemas of the members that each type of outgoing event adds to its envelope, which has a validator of its own. */
const outgoing = Object.fromEntries(
  Object.entries<TObject>({ ...outgoingEvents, ...variableSetEvents, ...organizationEvents }).map(([type, schema]) => [
    type,
    withoutWords(schemaWithoutEnvelope(schema)) as object,
  ]),
);

const outgoingTypes = [
  "import('../../domain/changes/change-records.ts').ChangeType",
  "import('../../domain/changes/change-records.ts').VariableSetChangeType",
  "import('../../domain/changes/organization-changes.ts').OrganizationChangeType",
].join(' | ');

/** Compiles the schemas of bodies, commands and events, and writes the modules that are out of date. */
export const generate = async (): Promise<void> => {
  const files = {
    'bodies.js': await compile(bodies),
    'bodies.d.ts': declare(Object.keys(bodies)),
    'incoming.js': await compileTable('incoming', incomingEvents),
    'incoming.d.ts': declareTable('incoming', "import('../../events/schemas/incoming.ts').IncomingType"),
    'admin.js': await compileCommands(commands),
    'admin.d.ts': declareCommands('commands', 'admin-commands'),
    'automation.js': await compileCommands(automationCommands),
    'automation.d.ts': declareCommands('automationCommands', 'automation-commands'),
    'events.js': await compileTable('outgoing', outgoing, envelopes),
    'events.d.ts': declareTable('outgoing', outgoingTypes, envelopes),
    'bundle.js': await compileTable('records', records, { manifest }),
    'bundle.d.ts': declareTable('records', "import('../../bundle/types.ts').RecordType", { manifest }),
    'hub.js': await compileTable('queries', hubQueries, hubSchemas),
    'hub.d.ts': declareTable('queries', "keyof import('../../schemas/hub-queries.ts').HubQueries", hubSchemas),
  };
  writeGenerated(directory, files);
};

if (import.meta.main) await generate();
