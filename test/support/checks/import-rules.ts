import { globSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { cruise, type ICruiseResult, type IRegularForbiddenRuleType } from 'dependency-cruiser';

/**
 * Checks the import rules (`npm run check:imports`): each part of the source lists the parts that it may import, some
 * packages may be imported by one folder only, and the environment, the clock and randomness are each read in one file.
 */

const folders = ['functions', 'infra', 'shared', 'test'];
const anyPart = `^(${folders.join('|')})/`;
const layer = (name: string): string => `^shared/${name}/`;
const file = (path: string): string => `^${path.replaceAll('.', '\\.')}$`;
const clock = file('shared/lib/clock.ts');
const random = file('shared/lib/random.ts');
const lib = layer('lib');
const retry = file('shared/lib/retry.ts');
const client = layer('client');
const hostBlock = file('shared/client/host-block.ts');
const concurrency = file('shared/lib/concurrency.ts');
const readAhead = file('shared/lib/read-ahead.ts');
const startEarly = file('shared/lib/start-early.ts');
const routes = layer('routes');
const api = file('shared/routes/api.ts');
const environment = file('shared/runtime/environment.ts');
const dependencies = file('shared/runtime/dependencies.ts');
const withDirectory = file('shared/runtime/with-directory.ts');
const stream = file('shared/runtime/stream.ts');
const invoke = file('shared/runtime/invoke.ts');
const ids = file('shared/domain/ids.ts');
const editions = file('shared/domain/editions.ts');
const identityProviders = file('shared/domain/identity-providers.ts');
const loopbackUrl = file('shared/domain/loopback-url.ts');
const vocabulary = file('shared/domain/vocabulary.ts');
const transientErrors = file('shared/lib/transient-errors.ts');
const signedRequest = file('shared/lib/signed-request.ts');
const zlib = file('shared/lib/zlib.ts');
const writeGenerated = file('shared/lib/write-generated.ts');
const schemaBuilders = file('shared/schemas/schema.ts');
const generator = '^shared/(validators|openapi)/generate\\.ts$';
const eventSources = file('shared/events/sources.ts');
const eventSchemas = layer('events/schemas');
const database = file('shared/store/dynamodb/database.ts');
const hubTable = file('shared/store/hub/hub-table.ts');
const tableDefinition = file('shared/store/dynamodb/table-definition.ts');
const apiRequests = file('shared/runtime/api-requests.ts');
const startFunction = file('shared/runtime/start-function.ts');
const runnerAccess = file('shared/store/runner/access.ts');

interface Part {
  readonly files: string;
  /** The files of the part that may import each other. Default: all of them. */
  readonly own?: string;
  readonly mayImport: readonly string[];
  /** The packages that the part may import, Node's own modules included. Default: any. */
  readonly packages?: readonly string[];
}

const parts: Readonly<Record<string, Part>> = {
  // Functions import the generated OpenAPI document and validators only: the code that builds them is larger than a function.
  functions: {
    files: '^functions/(?!console/app/)([^/]+)/',
    own: '^functions/$1/',
    mayImport: ['^shared/(?!client/|(openapi|validators)/(?!compiled/))'],
  },
  // The console uses only the public API, whose types are generated from the OpenAPI document.
  console: { files: '^functions/console/app/', mayImport: [client] },
  // Requests to the public API, for programs outside of the service. It runs in browsers, so it imports no package.
  client: { files: client, mayImport: [], packages: [] },
  http: {
    files: layer('http'),
    mayImport: [
      ...['jsonapi', 'schemas', 'resources', 'access', 'domain', 'logging'].map(layer),
      file('shared/openapi/compiled/query-parameters.js'),
      database,
      routes,
      environment,
      clock,
      random,
      zlib,
    ],
  },
  // In front of the handler of a function where requests are limited. Functions import its limit of failures only.
  gate: {
    files: layer('gate'),
    mayImport: [...['http', 'access', 'domain', 'logging', 'store'].map(layer), routes, environment, clock],
  },
  store: {
    files: layer('store'),
    mayImport: [
      ...['domain', 'list-index', 'logging'].map(layer),
      clock,
      random,
      retry,
      concurrency,
      readAhead,
      startEarly,
      transientErrors,
      zlib,
    ],
  },
  encryption: { files: layer('encryption'), mayImport: [layer('domain'), startEarly, transientErrors] },
  blob: { files: layer('blob'), mayImport: [layer('domain'), startEarly, transientErrors] },
  'state-content': {
    files: layer('state-content'),
    mayImport: [...['domain', 'blob', 'store'].map(layer), retry, invoke],
  },
  // A library for other programs: it reads the table and decrypts, which functions never do.
  runner: { files: layer('runner'), mayImport: [...['domain', 'encryption', 'store'].map(layer), concurrency] },
  'list-index': {
    files: layer('list-index'),
    mayImport: [layer('domain'), file('shared/schemas/schema.ts')],
    // Only its types are imported, for the schemas of filters.
    packages: ['typebox'],
  },
  'list-index-snapshots': {
    files: layer('list-index-snapshots'),
    mayImport: [
      ...['domain', 'list-index', 'blob', 'logging', 'store'].map(layer),
      environment,
      startFunction,
      signedRequest,
      zlib,
    ],
  },
  jsonapi: { files: layer('jsonapi'), mayImport: [layer('domain'), layer('access'), api, clock] },
  access: { files: layer('access'), mayImport: [layer('domain'), layer('list-index'), random, readAhead] },
  resources: {
    files: layer('resources'),
    mayImport: [...['jsonapi', 'access', 'domain', 'schemas'].map(layer), api, clock],
  },
  documents: {
    files: layer('documents'),
    mayImport: [
      ...['store', 'resources', 'jsonapi', 'access', 'list-index', 'domain'].map(layer),
      dependencies,
      routes,
      clock,
      concurrency,
    ],
  },
  dependencies: { files: dependencies, mayImport: [layer('store'), layer('logging'), editions, environment] },
  'with-directory': { files: withDirectory, mayImport: [layer('store'), dependencies, clock] },
  // The domain is pure and synchronous, so it imports no package that performs I/O; `crypto` is used for digests.
  domain: {
    files: layer('domain'),
    mayImport: [],
    packages: ['re2js', 'picomatch', '(node:)?crypto', '(node:)?util'],
  },
  schemas: { files: layer('schemas'), mayImport: [layer('domain'), api] },
  // The form of the content of a bundle, without any I/O.
  bundle: { files: layer('bundle'), mayImport: [schemaBuilders, writeGenerated] },
  // Compiles the schemas. At run time, functions import the compiled validators only.
  validators: {
    files: layer('validators'),
    mayImport: [...['schemas', 'resources', 'bundle'].map(layer), eventSchemas, writeGenerated],
  },
  events: {
    files: layer('events'),
    mayImport: [...['domain', 'schemas'].map(layer), clock, random, transientErrors, writeGenerated],
  },
  openapi: {
    files: layer('openapi'),
    mayImport: [
      ...['schemas', 'resources', 'jsonapi', 'access', 'list-index', 'domain'].map(layer),
      routes,
      environment,
      writeGenerated,
    ],
  },
  logging: { files: layer('logging'), mayImport: [clock] },
  // Loaded before the code of every function where tracing is on, so it imports next to nothing.
  tracing: {
    files: layer('tracing'),
    mayImport: [environment, clock, random],
    packages: ['(node:)?(dgram|diagnostics_channel|http)'],
  },
  lib: { files: lib, mayImport: [ids] },
  runtime: {
    files: '^shared/runtime/(?!(dependencies|with-directory|api-requests)\\.ts$)',
    mayImport: [editions, identityProviders, vocabulary, clock, retry, signedRequest, transientErrors],
  },
  'api-requests': { files: apiRequests, mayImport: [layer('domain'), routes, invoke, retry] },
  routes: { files: routes, mayImport: [editions] },
  infra: {
    files: '^infra/(?!(local|cli)/)',
    mayImport: [
      routes,
      editions,
      identityProviders,
      loopbackUrl,
      vocabulary,
      environment,
      stream,
      eventSources,
      tableDefinition,
      hubTable,
      runnerAccess,
      generator,
      schemaBuilders,
    ],
  },
  // The command line uses the public API, and the runner library for secrets.
  cli: {
    files: '^infra/cli/',
    mayImport: [
      client,
      layer('bundle'),
      file('shared/validators/compiled/bundle.js'),
      file('shared/runner/index.ts'),
      routes,
      vocabulary,
      file('shared/domain/limits.ts'),
      environment,
      clock,
      concurrency,
      random,
    ],
  },
  local: {
    files: '^infra/local/',
    mayImport: [
      '^infra/',
      hostBlock,
      routes,
      editions,
      identityProviders,
      environment,
      tableDefinition,
      clock,
      concurrency,
      random,
    ],
  },
  // Tests may import everything, and nothing else may import tests.
  test: { files: '^test/', mayImport: [anyPart] },
};

/** Packages that only some folders may import. */
const homes: readonly { readonly name: string; readonly packages: string; readonly only: readonly string[] }[] = [
  {
    name: 'DynamoDB only in store',
    packages: '@aws-sdk/[^/]*dynamodb',
    // The engine that is embedded in the local run, and tests, speak to the table for their own ends.
    only: [layer('store'), '^infra/local/dynamodb/', '^test/'],
  },
  {
    name: 'encryption only in encryption',
    packages: '(@aws-crypto/|@aws-sdk/client-kms)',
    only: [layer('encryption'), '^test/'],
  },
  {
    name: 'the bus and the queue only in events',
    packages: '@aws-sdk/client-(eventbridge|sqs)',
    only: [layer('events'), '^infra/local/', '^test/'],
  },
  {
    name: 'S3 only in blob',
    packages: '@aws-sdk/(client-s3|s3-request-presigner)',
    only: [layer('blob'), '^test/'],
  },
  {
    name: 'Lambda only in invoke.ts',
    packages: '@aws-sdk/client-lambda',
    only: [invoke, '^infra/local/', '^test/'],
  },
  { name: 'middy only in http', packages: '@middy/', only: [layer('http'), '^test/support/http/'] },
  { name: 'CDK only in infra', packages: '(aws-cdk-lib|constructs|cdk-nag)(/|$)', only: ['^infra/', '^test/infra/'] },
];

/** A package as it is named, or as it is found on disk. */
const inPackage = (name: string): string => `(^|node_modules/)${name}`;

/** The folders of the local service, from the bottom up: a folder imports itself and lower layers only. */
const localLayers = [
  ['common'],
  ['http', 'assembly'],
  ['dynamodb', 's3', 'sqs', 'kms', 'identity-provider'],
  ['lambda'],
  ['gateway', 'events'],
  ['service'],
  ['cli'],
];

const localRules = localLayers.flatMap((folders, layer): IRegularForbiddenRuleType[] =>
  folders.map((folder) => ({
    name: `not a lower layer of the local service than ${folder}`,
    severity: 'error',
    from: { path: `^infra/local/${folder}/` },
    to: {
      path: `^infra/local/(${localLayers.slice(layer).flat().join('|')}|[^/]+\\.ts$)`,
      pathNot: `^infra/local/${folder}/`,
    },
  })),
);

const ofPart = ([name, part]: [string, Part]): IRegularForbiddenRuleType[] => {
  const rule = (to: IRegularForbiddenRuleType['to']): IRegularForbiddenRuleType => ({
    name: `not among what ${name} may import`,
    severity: 'error',
    from: { path: part.files },
    to,
  });
  const packages = part.packages?.map((known) => inPackage(`${known}(/|$)`));
  return [
    rule({ path: anyPart, pathNot: [part.own ?? part.files, ...part.mayImport] }),
    ...(packages === undefined ? [] : [rule({ pathNot: [anyPart, ...packages] })]),
  ];
};

/**
 * Keys, expressions and items are built in the store only; everything else calls its methods. The line is drawn at what
 * DynamoDB stores: the transitions of the domain return conditions and changes of a workspace as plain values
 * (`shared/domain/changes/conditions.ts`), which the store renders to expressions. Outside domain and store nothing
 * builds such values, so the module of their constructors is as internal as the modules of keys and items.
 */
const storeInternals = [
  '^shared/store/dynamodb/(?!(database|table-definition)\\.ts$)',
  layer('store/items'),
  file('shared/domain/changes/conditions.ts'),
];

const forbidden: IRegularForbiddenRuleType[] = [
  ...Object.entries(parts).flatMap(ofPart),
  {
    name: 'keys, expressions and items only in store',
    severity: 'error',
    from: { path: ['^functions/', '^shared/'], pathNot: [layer('store'), layer('domain')] },
    to: { path: storeInternals },
  },
  // The store in layers: DynamoDB, then items, then workspaces, then everything else.
  ...[
    { folder: 'dynamodb', below: '^shared/store/(?!dynamodb/)' },
    { folder: 'items', below: '^shared/store/(?!(dynamodb|items)/)' },
    { folder: 'workspaces', below: '^shared/store/(?!(dynamodb|items|workspaces)/)' },
  ].map(
    ({ folder, below }): IRegularForbiddenRuleType => ({
      name: `not below ${folder} in the store`,
      severity: 'error',
      from: { path: layer(`store/${folder}`) },
      to: { path: below },
    }),
  ),
  ...localRules,
  ...homes.map(
    ({ name, packages, only }): IRegularForbiddenRuleType => ({
      name,
      severity: 'error',
      from: { pathNot: [...only] },
      to: { path: inPackage(packages) },
    }),
  ),
  { name: 'a circle', severity: 'error', from: {}, to: { circular: true } },
  {
    name: 'not found',
    severity: 'error',
    from: {},
    to: { couldNotResolve: true, path: '^\\.', pathNot: '/compiled/' },
  },
];

/** Sources of values that only some files may read. Comments are not searched. */
const sources: readonly { readonly name: string; readonly pattern: RegExp; readonly only: RegExp }[] = [
  {
    name: 'the environment is read only in shared/runtime/environment.ts',
    pattern: /\bprocess\s*(?:\?\.|\.)\s*env\b|\bprocess\s*\[\s*['"`]env|\bfrom\s*['"](?:node:)?process['"]/g,
    // The worker of the local service provides the environment of a function.
    only: /^(?:shared\/runtime\/environment|infra\/local\/lambda\/worker|infra\/cli\/process)\.ts$/,
  },
  {
    name: 'the clock is read only in shared/lib/clock.ts',
    pattern:
      /\bDate\s*\.\s*now\b|\bnew\s+Date\b(?!\s*\(\s*[^)\s])|(?<!new\s+)\bDate\s*\(\s*\)|\bTemporal\s*\.\s*Now\b/g,
    only: /^(?:shared\/lib\/clock\.ts$|infra\/local\/|functions\/console\/app\/)/,
  },
  {
    name: 'randomness comes only from shared/lib/random.ts',
    pattern:
      /\bMath\s*\.\s*random\b|\.\s*(?:random(?:Bytes|Fill|FillSync|Int|UUID|UUIDv7)|getRandomValues)\b|\bimport\s*\{[^}]*\b(?:random\w+|getRandomValues|webcrypto)\b[^}]*\}\s*from\s*['"](?:node:)?crypto['"]/g,
    // Browsers have no `node:crypto`.
    only: /^(?:shared\/(?:lib\/random|client\/send)\.ts$|functions\/console\/app\/)/,
  },
  {
    name: 'ids come only from newId in shared/lib/random.ts',
    pattern: /\+\s*base58\b/g,
    only: /^(?:shared\/(?:lib\/random|access\/credentials)\.ts$|infra\/local\/|test\/)/,
  },
  {
    name: 'keys of items are spelt only in shared/store',
    pattern: /\b[ps]k['"]?\s*[:\]]/g,
    // In a condition of the domain, `pk` stands for the existence of the item.
    only: /^(?:shared\/(?:store|domain)\/|infra\/local\/)/,
  },
];

/** Strings are matched to be kept: `//` in them starts no comment. */
const stringOrComment = /'(?:\\.|[^'\\\n])*'|"(?:\\.|[^"\\\n])*"|`(?:\\.|[^`\\])*`|\/\/.*|\/\*[\s\S]*?\*\//g;
const withoutComments = (text: string): string =>
  text.replaceAll(stringOrComment, (found) => (found.startsWith('/') ? found.replaceAll(/[^\n]/g, ' ') : found));

/** Finds the imports in the text of a file, to prove that the tool has read them all. */
const importsOf = (code: string): string[] =>
  [
    ...code
      .replaceAll(/`(?:\\.|[^`\\])*`/g, '``')
      .matchAll(/^(?:import|export)\s(?:[^;'"]*?\sfrom\s*)?['"](?:node:)?([^'"]+)['"]/gm),
  ].map(([, specifier = '']) => specifier);

const lineOf = (text: string, index: number): number => text.slice(0, index).split('\n').length;

const readElsewhere = (file: string, text: string): string[] =>
  sources
    .filter(({ only }) => !only.test(file))
    .flatMap(({ name, pattern }) =>
      [...text.matchAll(pattern)].map(({ index }) => `${file}:${lineOf(text, index)}: ${name}`),
    );

interface Report {
  /** Source files on disk. */
  readonly files: readonly string[];
  /** Those whose imports were really read. */
  readonly read: readonly string[];
  readonly violations: readonly string[];
}

/** Checks the tree below a folder. */
export const checkImports = async (root: string): Promise<Report> => {
  const files = globSync(`{${folders.join()}}/**/*.{ts,tsx}`, { cwd: root })
    .filter((file) => !file.includes('/compiled/'))
    .sort();
  const { output } = await cruise(
    folders.filter((folder) => files.some((file) => file.startsWith(`${folder}/`))),
    {
      baseDir: root,
      // TypeScript 7 has no API to read imports with.
      parser: 'swc',
      validate: true,
      ruleSet: { forbidden },
      doNotFollow: { path: ['node_modules', '/compiled/'] },
    },
  );
  const { modules, summary } = output as ICruiseResult;
  const code = new Map(files.map((file) => [file, withoutComments(readFileSync(join(root, file), 'utf8'))]));
  const found = new Map(
    // Without `node:`, which the tool keeps only where a name needs it.
    modules.map(({ source, dependencies }) => [
      source,
      new Set(dependencies.map((d) => d.module.replace(/^node:/, ''))),
    ]),
  );
  // The tool passes over what it cannot read, in silence: without a parser it finds no modules, or no imports in them.
  const read = files.filter((file) => {
    const imports = found.get(file);
    return imports !== undefined && importsOf(code.get(file) ?? '').every((name) => imports.has(name));
  });
  return {
    files,
    read,
    violations: [
      ...files.filter((file) => !read.includes(file)).map((file) => `${file}: its imports were not read`),
      ...files
        .filter((file) => !Object.values(parts).some((part) => new RegExp(part.files).test(file)))
        .map((file) => `${file}: belongs to no part`),
      ...summary.violations.map(
        ({ rule, from, to, cycle }) =>
          `${from} imports ${cycle?.map(({ name }) => name).join(', which imports ') ?? to}: ${rule.name}`,
      ),
      ...[...code].filter(([file]) => !file.startsWith('test/')).flatMap(([file, text]) => readElsewhere(file, text)),
    ],
  };
};

if (import.meta.main) {
  const { files, read, violations } = await checkImports(fileURLToPath(new URL('../../..', import.meta.url)));
  for (const violation of violations) console.error(violation);
  console.log(`Import rules: ${read.length} of ${files.length} source files read, ${violations.length} violations.`);
  if (files.length === 0 || violations.length > 0) process.exitCode = 1;
}
