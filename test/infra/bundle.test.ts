import { execFile } from 'node:child_process';
import { readdir, readFile } from 'node:fs/promises';
import { createServer } from 'node:http';
import { isBuiltin } from 'node:module';
import type { AddressInfo } from 'node:net';
import { join } from 'node:path';
import { promisify } from 'node:util';
import type { Metafile } from 'esbuild';
import { beforeAll, describe, expect, test, vi } from 'vitest';
import { type Bundles, splitFunctions } from '../../infra/build/bundle.ts';
import { GATE_FILE, servingFunctions } from '../../infra/constructs/gate.ts';
import { mintToken } from '../../shared/access/credentials.ts';
import { allFunctionNames, type FunctionName } from '../../shared/runtime/environment.ts';
import { contentsIn, packageOf, packagesOf } from '../support/checks/bundle-contents.ts';
import { bundledOnce } from '../support/setup/build-once.ts';

/**
 * Largest bundle of each function: the present size rounded up to the next kilobyte and to the next five modules, so that
 * a change that makes cold starts slower fails this test.
 */
const budgets: Readonly<Record<FunctionName, readonly [kilobytes: number, modules: number]>> = {
  workspaces: [656, 555],
  'workspace-list': [446, 540],
  'workspace-locks': [425, 515],
  'workspace-deletion': [429, 530],
  'workspace-tags': [412, 505],
  'remote-state-consumers': [439, 530],
  'ssh-key': [415, 510],
  'data-retention-policy': [386, 480],
  variables: [725, 727],
  runs: [374, 480],
  organizations: [507, 580],
  'sign-in': [531, 578],
  projects: [478, 555],
  teams: [537, 590],
  integrations: [730, 750],
  'state-versions': [572, 655],
  'state-content': [426, 515],
  'state-retention': [398, 505],
  'list-index-snapshots': [402, 505],
  documentation: [455, 95],
  console: [42, 50],
  fallback: [88, 95],
  admin: [462, 520],
  publish: [319, 325],
  history: [386, 490],
  'bulk-jobs': [662, 805],
  'bulk-job-worker': [506, 610],
  'record-history': [345, 470],
  ingest: [456, 535],
  automation: [386, 490],
  cleanup: [475, 580],
  'hub-snapshot': [296, 385],
  'hub-receiver': [275, 355],
  'hub-reader': [229, 320],
};

/** Largest size of the gate, which functions load only where a setting needs it. */
const GATE_KILOBYTES = 19;

/**
 * Upper limits of the budgets, in kilobytes. `workspaces` contains the pattern engine, globs and version constraints;
 * functions that encrypt contain the encryption library; functions with state contain the client of S3; `sign-in` contains the
 * libraries of OpenID Connect; `bulk-jobs` has the schemas of the bodies that its actions lead to; `documentation` contains the OpenAPI document, which grows with each route; `admin`, for which no client waits, contains the logger and changes everything in the directory.
 */
const ceilings: Partial<Readonly<Record<FunctionName, number>>> = {
  workspaces: 680,
  organizations: 520,
  projects: 490,
  'sign-in': 550,
  teams: 550,
  variables: 900,
  integrations: 900,
  'state-versions': 650,
  ingest: 650,
  automation: 1_300,
  cleanup: 480,
  documentation: 480,
  'bulk-jobs': 680,
  'bulk-job-worker': 520,
  admin: 480,
};
const maxBudget = (name: FunctionName): number => ceilings[name] ?? 450;

const withContent: readonly FunctionName[] = [
  'bulk-job-worker',
  'bulk-jobs',
  'list-index-snapshots',
  'ingest',
  'state-content',
  'state-retention',
  'state-versions',
  'cleanup',
];
const withoutTable: readonly FunctionName[] = ['console', 'documentation', 'fallback', 'publish'];

/** Large or unwanted modules, with the only functions that contain them. */
const restrictedModules: readonly (readonly [what: string, path: RegExp, of: readonly FunctionName[]])[] = [
  ['the pattern engine', /node_modules\/re2js\//, ['workspaces']],
  ['globs', /node_modules\/picomatch\//, ['workspaces']],
  ['the encryption library', /node_modules\/@aws-crypto\/(?!crc32|sha256|util)/, ['integrations', 'variables']],
  [
    'the client of KMS',
    /node_modules\/@aws-sdk\/client-kms\//,
    ['automation', 'integrations', 'record-history', 'variables'],
  ],
  ['the client of S3', /node_modules\/@aws-sdk\/client-s3\//, withContent],
  ['the presigner of URLs', /node_modules\/@aws-sdk\/s3-request-presigner\//, withContent],
  [
    'the client of SQS',
    /node_modules\/@aws-sdk\/client-sqs\//,
    ['automation', 'hub-receiver', 'hub-snapshot', 'ingest', 'publish', 'record-history'],
  ],
  ['the client of EventBridge', /node_modules\/@aws-sdk\/client-eventbridge\//, ['publish', 'hub-snapshot']],
  [
    'the client of DynamoDB',
    /node_modules\/@aws-sdk\/(client|lib)-dynamodb\//,
    allFunctionNames.filter((name) => !withoutTable.includes(name)),
  ],
  ['the parser of large JSON documents', /node_modules\/@streamparser\//, ['state-content', 'state-versions']],
  ['the OpenAPI document', /shared\/openapi\/(?!compiled\/query-parameters)/, ['documentation']],
  // In no function: validators are compiled ahead, and credentials are in the environment.
  ['the compiler of validators', /node_modules\/(ajv|ajv-formats|typebox)\/(?!dist\/runtime\/)/, []],
  [
    'credential providers that Lambda does not need',
    /@aws-sdk\/credential-provider-(?!env)|token-providers|client-sso/,
    [],
  ],
  ['parts of Powertools other than the logger', /node_modules\/@aws-lambda-powertools\/(?!logger|commons)/, []],
  [
    'infrastructure code',
    /node_modules\/(aws-cdk|constructs|cdk-nag|esbuild)|^infra\/(?!build\/lambda-credentials)/,
    [],
  ],
  ['test code', /^test\//, []],
];

let folder: string;
let bundles: Bundles;
let contents: ReturnType<typeof contentsIn>;
beforeAll(async () => {
  ({ folder, bundles } = await bundledOnce());
  contents = contentsIn(folder);
});

/** Lists the largest packages of a bundle, for the message of a failed test. */
const largestPackages = (name: FunctionName): string => {
  const largest = packagesOf(contents[name]).slice(0, 8);
  return `${name} has ${largest.map((one) => `${one.name} ${one.bytes}`).join(', ')}`;
};

describe.each(allFunctionNames)('bundle of %s', (name) => {
  test('is not larger than its budget', () => {
    const [kilobytes, modules] = budgets[name];
    const { bytes, modules: inside } = contents[name];
    expect(bytes).toBe(bundles[name].bytes);
    expect(bytes).toBeGreaterThan(0);
    expect(bytes, largestPackages(name)).toBeLessThanOrEqual(1_000 * kilobytes);
    expect(inside.size, largestPackages(name)).toBeLessThanOrEqual(modules);
    expect(kilobytes).toBeLessThanOrEqual(maxBudget(name));
  });

  test('is at most ten percent smaller than its budget', () => {
    const [kilobytes, modules] = budgets[name];
    expect(contents[name].bytes, 'the bundle is much smaller than its budget: reduce the budget').toBeGreaterThan(
      900 * kilobytes,
    );
    expect(contents[name].modules.size).toBeGreaterThan(0.9 * modules);
  });

  test('is a single file, unless it loads code on demand', async () => {
    const all = (await readdir(bundles[name].directory)).filter((file) => file.endsWith('.mjs'));
    const files = all.filter((file) => file !== GATE_FILE);
    expect(files).toContain('index.mjs');
    expect(files.length > 1).toBe(splitFunctions.includes(name));
    for (const file of files) {
      const code = await readFile(join(bundles[name].directory, file), 'utf8');
      // Packages in the form of CommonJS call it.
      expect(code).toMatch(/^const require=/);
      // Every file that a file imports is in the asset.
      for (const [, imported] of code.matchAll(/\bfrom\s*"(\.[^"]+)"|\bimport\s*\(?"(\.[^"]+)"/g)) {
        if (imported !== undefined) expect(files).toContain(imported.slice(2));
      }
    }
  });
});

test('nothing but modules of Node is loaded from outside of a bundle', async () => {
  const { outputs } = JSON.parse(await readFile(join(folder, 'metafile.json'), 'utf8')) as Metafile;
  const external = Object.values(outputs).flatMap(({ imports }) => imports.filter((one) => one.external));
  const paths = new Set(external.filter(({ kind }) => kind !== 'dynamic-import').map(({ path }) => path));
  expect(paths).toContain('node:https');
  expect([...paths].filter((path) => !isBuiltin(path))).toEqual([]);
});

test.each(restrictedModules)('only the expected functions contain %s', (_, path, of) => {
  const found = allFunctionNames.filter((name) =>
    [...contents[name].modules.keys()].some((module) => path.test(module)),
  );
  expect(found.toSorted()).toEqual(of.toSorted());
});

test.each<[what: string, path: RegExp, of: readonly FunctionName[]]>([
  ['the pattern engine', /node_modules\/(re2js|picomatch)\//, ['workspaces']],
  [
    'the encryption library',
    /node_modules\/@aws-(crypto\/(encrypt|kms)|sdk\/client-kms)/,
    ['integrations', 'variables'],
  ],
  ['the client of S3', /node_modules\/@aws-sdk\/(client-s3|s3-request-presigner)\//, ['ingest', 'state-versions']],
  ['the client of SQS', /node_modules\/@aws-sdk\/client-sqs\//, ['automation']],
])('%s is loaded on demand', (_, path, of) => {
  for (const name of of) {
    const { modules, modulesOnDemand } = contents[name];
    const found = [...modules.keys()].filter((module) => path.test(module));
    expect(found.length).toBeGreaterThan(0);
    expect([...modulesOnDemand.keys()]).toEqual(expect.arrayContaining(found));
  }
});

test('the gate is next to each function that serves requests, is small, and is loaded by none of them', async () => {
  for (const name of allFunctionNames) {
    const directory = bundles[name].directory;
    const files = await readdir(directory);
    expect(files.includes(GATE_FILE), name).toBe(servingFunctions.includes(name));
    expect(await readFile(join(directory, 'index.mjs'), 'utf8')).not.toContain(GATE_FILE);
  }
  const gate = await readFile(join(bundles.workspaces.directory, GATE_FILE), 'utf8');
  expect(gate.length).toBeLessThan(1_000 * GATE_KILOBYTES);
  expect(gate).toContain('./index.mjs');
});

test('no bundle contains a package twice', () => {
  const nested = allFunctionNames.flatMap((name) => [...contents[name].modules.keys()].map(packageOf));
  expect(nested.filter((path) => path.includes(' > '))).toEqual([]);
});

test('source maps and the metafile are written outside the folders of the bundles', async () => {
  expect((await readdir(join(folder, 'maps'))).sort()).toEqual([...allFunctionNames].sort());
  for (const name of allFunctionNames) {
    const own = (file: string) => file.endsWith('.mjs') && file !== GATE_FILE;
    const files = (await readdir(bundles[name].directory)).filter(own);
    const maps = files.map((file) => `${file}.map`);
    expect((await readdir(join(folder, 'maps', name))).sort()).toEqual(expect.arrayContaining(maps));
  }
  const { outputs } = JSON.parse(await readFile(join(folder, 'metafile.json'), 'utf8'));
  expect(Object.keys(outputs).filter((path) => path.endsWith('index.mjs'))).toHaveLength(allFunctionNames.length);
});

/** Environment of the functions that are loaded here. */
const environment = {
  TABLE_NAME: 'table',
  EDITION: 'self-hosted',
  CALLER_CACHE_SECONDS: '0',
  SIGN_IN_FRESHNESS_DAYS: '14',
  ORGANIZATION_CACHE_MILLISECONDS: '0',
  STATE_CONTENT_FUNCTION: 'state-content',
  BUCKET_NAME: 'bucket',
  AWS_REGION: 'eu-central-1',
  AWS_ACCESS_KEY_ID: 'local',
  AWS_SECRET_ACCESS_KEY: 'local',
  POWERTOOLS_LOG_LEVEL: 'SILENT',
};

test.each<[name: FunctionName, unwanted: readonly string[]]>([
  ['runs', ['zlib', 'http2', 'internal/deps/undici/undici', 'fs/promises']],
  // The client of S3 imports zlib.
  ['state-content', ['http2', 'internal/deps/undici/undici', 'fs/promises']],
  ['state-versions', ['http2', 'internal/deps/undici/undici', 'fs/promises']],
])('%s does not load modules of Node at its start that its first request may not need', async (name, unwanted) => {
  const code = `
    await import(process.argv[1]);
    process.stdout.write(process.moduleLoadList.join('\\n'));`;
  const arguments_ = ['--input-type=module', '--eval', code, join(bundles[name].directory, 'index.mjs')];
  const { stdout } = await promisify(execFile)(process.execPath, arguments_, { env: environment });
  const loaded = stdout.split('\n').map((line) => line.replace('NativeModule ', ''));
  expect(loaded).toContain('https');
  for (const module of unwanted) expect(loaded).not.toContain(module);
});

describe('minified bundle of workspace-locks', () => {
  test('retries a read that failed, and responds with 503', async () => {
    const calls: string[] = [];
    const busy = createServer((incoming, outgoing) => {
      calls.push(String(incoming.headers['x-amz-target']).split('.')[1] ?? '');
      outgoing.writeHead(500, { 'content-type': 'application/x-amz-json-1.0' }).end('{}');
    });
    await new Promise<void>((resolve) => busy.listen(0, '127.0.0.1', resolve));
    vi.stubEnv('AWS_ENDPOINT_URL_DYNAMODB', `http://127.0.0.1:${(busy.address() as AddressInfo).port}`);
    for (const [name, value] of Object.entries(environment)) vi.stubEnv(name, value);
    try {
      const { handler } = await import(join(bundles['workspace-locks'].directory, 'index.mjs'));
      const response = await handler(
        {
          routeKey: 'POST /api/v2/workspaces/{workspace_id}/actions/lock',
          rawPath: '/api/v2/workspaces/ws-1111111111111111/actions/lock',
          rawQueryString: '',
          headers: { authorization: `Bearer ${mintToken('user')}` },
          requestContext: { requestId: 'r', domainName: 'localhost', http: { method: 'POST' } },
          pathParameters: { workspace_id: 'ws-1111111111111111' },
          isBase64Encoded: false,
        },
        { getRemainingTimeInMillis: () => 20_000 },
      );
      expect(response.statusCode).toBe(503);
      expect([...Map.groupBy(calls, (operation) => operation).values()].map(({ length }) => length)).toContain(3);
    } finally {
      vi.unstubAllEnvs();
      busy.closeAllConnections();
      busy.close();
    }
  });
});
