import { mkdirSync, mkdtempSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { afterEach, describe, expect, test } from 'vitest';
import { checkImports } from '../../support/checks/import-rules.ts';

const repository = fileURLToPath(new URL('../../..', import.meta.url));
const trees: string[] = [];

afterEach(() => {
  for (const tree of trees.splice(0)) rmSync(tree, { recursive: true });
});

/** Checks a small tree of files; what they import of each other exists, and packages are those of this repository. */
const check = (files: Readonly<Record<string, string>>) => {
  const tree = mkdtempSync(join(tmpdir(), 'holdfast-imports-'));
  trees.push(tree);
  symlinkSync(join(repository, 'node_modules'), join(tree, 'node_modules'));
  writeFileSync(join(tree, 'package.json'), '{"type":"module"}');
  for (const [name, text] of Object.entries(files)) {
    mkdirSync(dirname(join(tree, name)), { recursive: true });
    writeFileSync(join(tree, name), text);
  }
  return checkImports(tree);
};

/** One file that imports another. */
const edge = (from: string, to: string, statement = 'import') => {
  const up = '../'.repeat(from.split('/').length - 1);
  return check({ [from]: `${statement} { a } from '${up}${to}';\nexport { a };\n`, [to]: 'export const a = 1;\n' });
};

const use = (file: string, name: string) => check({ [file]: `import '${name}';\n` });

describe('between the parts', () => {
  test.each([
    ['functions', 'functions/admin/index.ts', 'functions/fallback/index.ts'],
    ['functions', 'functions/admin/index.ts', 'infra/app.ts'],
    ['functions', 'functions/admin/index.ts', 'test/support/a.ts'],
    ['console', 'functions/console/app/a.ts', 'shared/domain/b.ts'],
    ['client', 'shared/client/a.ts', 'shared/lib/random.ts'],
    ['functions', 'functions/admin/index.ts', 'shared/client/send.ts'],
    ['cli', 'infra/cli/a.ts', 'shared/store/client.ts'],
    ['cli', 'infra/cli/a.ts', 'shared/runner/types.ts'],
    ['http', 'shared/http/a.ts', 'shared/store/b.ts'],
    ['http', 'shared/http/a.ts', 'functions/admin/index.ts'],
    ['store', 'shared/store/a.ts', 'shared/http/b.ts'],
    ['store', 'shared/store/a.ts', 'shared/access/b.ts'],
    ['store', 'shared/store/a.ts', 'shared/runtime/environment.ts'],
    ['jsonapi', 'shared/jsonapi/a.ts', 'shared/http/b.ts'],
    ['encryption', 'shared/encryption/a.ts', 'shared/store/b.ts'],
    ['dependencies', 'shared/runtime/dependencies.ts', 'shared/http/b.ts'],
    ['jsonapi', 'shared/jsonapi/a.ts', 'shared/store/b.ts'],
    ['access', 'shared/access/a.ts', 'shared/store/b.ts'],
    ['domain', 'shared/domain/a.ts', 'shared/access/b.ts'],
    ['domain', 'shared/domain/a.ts', 'shared/lib/clock.ts'],
    ['schemas', 'shared/schemas/a.ts', 'shared/resources/b/request.ts'],
    ['validators', 'shared/validators/a.ts', 'shared/openapi/b.ts'],
    ['functions', 'functions/admin/index.ts', 'shared/openapi/operations/index.ts'],
    ['openapi', 'shared/openapi/a.ts', 'shared/http/b.ts'],
    ['logging', 'shared/logging/a.ts', 'shared/http/b.ts'],
    ['routes', 'shared/routes/index.ts', 'shared/domain/a.ts'],
    ['infra', 'infra/app.ts', 'shared/store/dynamodb/keys.ts'],
    ['infra', 'infra/app.ts', 'infra/local/start.ts'],
    ['infra', 'infra/app.ts', 'functions/admin/index.ts'],
    ['local', 'infra/local/start.ts', 'shared/store/client.ts'],
    ['local', 'infra/local/start.ts', 'test/support/a.ts'],
  ])('%s: %s must not import %s', async (part, from, to) => {
    const { violations } = await edge(from, to);
    expect(violations).toEqual([`${from} imports ${to}: not among what ${part} may import`]);
  });

  test.each([
    ['assembly', 'infra/local/assembly/a.ts', 'infra/local/lambda/b.ts'],
    ['kms', 'infra/local/kms/a.ts', 'infra/local/s3/b.ts'],
    ['service', 'infra/local/service/a.ts', 'infra/local/start.ts'],
  ])('the folder %s of the local service: %s must not import %s', async (folder, from, to) => {
    const { violations } = await edge(from, to);
    expect(violations).toEqual([`${from} imports ${to}: not a lower layer of the local service than ${folder}`]);
  });

  test.each([
    ['infra/local/lambda/a.ts', 'infra/local/sqs/b.ts'],
    ['infra/local/admin.ts', 'infra/local/cli/b.ts'],
    ['functions/admin/index.ts', 'functions/admin/mint.ts'],
    ['functions/console/app/pages/a.ts', 'functions/console/app/api/b.ts'],
    ['functions/console/app/pages/a.ts', 'shared/client/request.ts'],
    ['infra/cli/a.ts', 'shared/client/send.ts'],
    ['infra/cli/a.ts', 'shared/runner/index.ts'],
    ['functions/admin/index.ts', 'shared/store/client.ts'],
    ['shared/http/a.ts', 'shared/jsonapi/b.ts'],
    ['shared/http/a.ts', 'shared/runtime/environment.ts'],
    ['shared/store/a.ts', 'shared/domain/b.ts'],
    ['shared/store/a.ts', 'shared/lib/clock.ts'],
    ['shared/encryption/a.ts', 'shared/domain/b.ts'],
    ['shared/jsonapi/a.ts', 'shared/domain/b.ts'],
    ['shared/access/a.ts', 'shared/domain/b.ts'],
    ['shared/schemas/a.ts', 'shared/domain/limits.ts'],
    ['shared/validators/a.ts', 'shared/resources/b.ts'],
    ['functions/admin/a.ts', 'shared/validators/compiled/b.ts'],
    ['infra/app.ts', 'shared/store/dynamodb/table-definition.ts'],
    ['infra/app.ts', 'infra/constructs/a.ts'],
    ['infra/local/start.ts', 'infra/app.ts'],
    ['infra/local/start.ts', 'shared/lib/clock.ts'],
    ['test/store/a.test.ts', 'shared/store/client.ts'],
  ])('%s may import %s', async (from, to) => {
    const { violations } = await edge(from, to);
    expect(violations).toEqual([]);
  });

  test.each([
    ['functions/admin/index.ts', 'shared/store/dynamodb/keys.ts'],
    ['functions/admin/index.ts', 'shared/store/dynamodb/expressions.ts'],
    ['functions/admin/index.ts', 'shared/store/items/record-items.ts'],
    ['functions/admin/index.ts', 'shared/domain/changes/conditions.ts'],
    ['shared/documents/a.ts', 'shared/store/items/workspace-items.ts'],
  ])('%s must not import %s, which builds keys, expressions, items or conditions', async (from, to) => {
    for (const statement of ['import', 'import type']) {
      const { violations } = await edge(from, to, statement);
      expect(violations).toEqual([`${from} imports ${to}: keys, expressions and items only in store`]);
    }
  });

  test.each([
    ['functions/admin/index.ts', 'shared/store/dynamodb/database.ts'],
    ['shared/domain/workspace/a.ts', 'shared/domain/changes/conditions.ts'],
    ['shared/store/workspaces/a.ts', 'shared/store/dynamodb/keys.ts'],
    ['shared/store/workspaces/a.ts', 'shared/domain/changes/conditions.ts'],
    ['test/store/a.test.ts', 'shared/store/dynamodb/keys.ts'],
  ])('%s may import %s', async (from, to) => {
    expect((await edge(from, to)).violations).toEqual([]);
  });

  test('counts type imports', async () => {
    expect((await edge('shared/domain/a.ts', 'shared/access/b.ts', 'import type')).violations).toHaveLength(1);
  });

  test('counts re-exports and dynamic imports', async () => {
    const { violations } = await check({
      'shared/domain/a.ts': "export * from '../http/a.ts';\nexport const b = () => import('../store/b.ts');\n",
      'shared/http/a.ts': 'export const a = 1;\n',
      'shared/store/b.ts': 'export const b = 1;\n',
    });
    expect(violations).toEqual([
      'shared/domain/a.ts imports shared/http/a.ts: not among what domain may import',
      'shared/domain/a.ts imports shared/store/b.ts: not among what domain may import',
    ]);
  });

  test('reports two files that import each other', async () => {
    const { violations } = await check({
      'shared/domain/a.ts': "import { b } from './b.ts';\nexport const a = () => b;\n",
      'shared/domain/b.ts': "import { a } from './a.ts';\nexport const b = () => a;\n",
    });
    expect(violations).toContain(
      'shared/domain/a.ts imports shared/domain/b.ts, which imports shared/domain/a.ts: a circle',
    );
  });

  test('reports a missing file and an unknown folder', async () => {
    const { violations } = await check({ 'shared/new/a.ts': "import './gone.ts';\n" });
    expect(violations).toEqual(['shared/new/a.ts: belongs to no part', 'shared/new/a.ts imports ./gone.ts: not found']);
  });
});

describe('packages', () => {
  test.each([
    ['shared/domain/a.ts', '@aws-sdk/client-dynamodb', 'not among what domain may import'],
    ['shared/http/a.ts', '@aws-sdk/client-dynamodb', 'DynamoDB only in store'],
    ['functions/admin/index.ts', '@aws-sdk/lib-dynamodb', 'DynamoDB only in store'],
    ['infra/local/start.ts', '@aws-sdk/lib-dynamodb', 'DynamoDB only in store'],
    ['shared/store/a.ts', '@aws-crypto/encrypt-node', 'encryption only in encryption'],
    ['functions/variables/index.ts', '@aws-sdk/client-kms', 'encryption only in encryption'],
    ['functions/admin/index.ts', '@middy/core', 'middy only in http'],
    ['functions/admin/index.ts', '@middy/not-installed', 'middy only in http'],
    ['shared/runtime/environment.ts', 'aws-cdk-lib', 'CDK only in infra'],
    ['shared/runtime/environment.ts', 'aws-cdk-lib/aws-lambda', 'CDK only in infra'],
    ['shared/store/a.ts', 'constructs', 'CDK only in infra'],
    ['shared/store/a.ts', 'cdk-nag', 'CDK only in infra'],
    ['shared/domain/a.ts', 'ajv', 'not among what domain may import'],
    ['shared/client/a.ts', 'node:crypto', 'not among what client may import'],
    ['shared/domain/a.ts', 'node:fs', 'not among what domain may import'],
  ])('%s must not use %s', async (file, name, reason) => {
    const { violations } = await use(file, name);
    expect(violations).toContainEqual(expect.stringMatching(new RegExp(`^${file} imports .*: ${reason}$`)));
  });

  test.each([
    ['shared/store/a.ts', '@aws-sdk/lib-dynamodb'],
    ['infra/local/dynamodb/engine.ts', '@aws-sdk/client-dynamodb'],
    ['test/store/a.test.ts', '@aws-sdk/client-dynamodb'],
    ['shared/encryption/a.ts', '@aws-crypto/encrypt-node'],
    ['shared/http/a.ts', '@middy/core'],
    ['infra/app.ts', 'aws-cdk-lib'],
    ['test/infra/a.test.ts', 'aws-cdk-lib/assertions'],
    ['shared/domain/a.ts', 'picomatch'],
    ['shared/domain/a.ts', 'picomatch'],
    ['shared/domain/a.ts', 're2js'],
  ])('%s may use %s', async (file, name) => {
    const { violations } = await use(file, name);
    expect(violations).toEqual([]);
  });
});

describe('keys of items', () => {
  const reason = 'keys of items are spelt only in shared/store';

  test.each(["export const a = { pk: 'WS#1', sk: 'W' };", "export const a = (item) => item['pk'];"])(
    'are reported outside of the store: %s',
    async (text) => {
      const { violations } = await check({ 'functions/admin/index.ts': `\n${text}\n` });
      expect(violations).toContain(`functions/admin/index.ts:2: ${reason}`);
    },
  );

  test('may be built in the store and in the local engine', async () => {
    const text = "export const a = { pk: 'WS#1', sk: 'W' };\n";
    const { violations } = await check({ 'shared/store/a.ts': text, 'infra/local/dynamodb/a.ts': text });
    expect(violations).toEqual([]);
  });
});

describe('the environment, the clock and randomness', () => {
  const environment = 'the environment is read only in shared/runtime/environment.ts';
  const clock = 'the clock is read only in shared/lib/clock.ts';
  const random = 'randomness comes only from shared/lib/random.ts';
  const ids = 'ids come only from newId in shared/lib/random.ts';

  test.each([
    ['shared/http/a.ts', 'export const a = process.env;', environment],
    ['infra/app.ts', "export const a = process['env'];", environment],
    ['infra/local/start.ts', 'export const a = process.env;', environment],
    ['functions/admin/index.ts', "import { env } from 'node:process';\nexport { env };", environment],
    ['shared/store/a.ts', "export const a = 'ws-' + base58(16);", ids],
    ['shared/domain/a.ts', 'export const a = Date.now();', clock],
    ['functions/admin/index.ts', 'export const a = new Date();', clock],
    ['infra/app.ts', 'export const a = new Date;', clock],
    ['shared/store/a.ts', 'export const a = Date();', clock],
    ['shared/store/a.ts', 'export const a = Math.random();', random],
    [
      'shared/store/a.ts',
      "import { createHash, randomUUID } from 'node:crypto';\nexport { createHash, randomUUID };",
      random,
    ],
    ['shared/store/a.ts', 'export const a = crypto.randomUUID();', random],
    ['infra/local/start.ts', 'export const a = crypto.getRandomValues(new Uint8Array(1));', random],
  ])('%s must not contain %s', async (file, text, reason) => {
    const { violations } = await check({ [file]: `\n${text}\n` });
    expect(violations).toContain(`${file}:2: ${reason}`);
  });

  test('may be read in their own modules and mentioned in comments, and similar names are accepted', async () => {
    const { violations } = await check({
      'shared/runtime/environment.ts': 'export const a = process.env;\n',
      'shared/lib/clock.ts': 'export const a = Date.now();\n',
      'shared/lib/random.ts':
        "import { randomBytes } from 'node:crypto';\nexport const a = [randomBytes(1), Math.random()];\n",
      'infra/local/start.ts': 'export const a = new Date();\n',
      'test/unit/a.test.ts': 'export const a = [process.env, Date.now(), Math.random()];\n',
      'shared/domain/a.ts':
        "import { createHash } from 'node:crypto';\n// Never Date.now().\n/* Nor\n Math.random(). */\nexport const a = [createHash, new Date(0), 'http://x']; // process.env\n",
    });
    expect(violations).toEqual([]);
  });
});

test('reads every source file of this repository', async () => {
  const { files, read } = await checkImports(repository);
  expect(files).toContain('test/unit/checks/import-rules.test.ts');
  expect(read).toEqual(files);
});
