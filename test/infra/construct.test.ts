import { execFile } from 'node:child_process';
import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { writeFile } from 'node:fs/promises';
import { createRequire } from 'node:module';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { App, Stack } from 'aws-cdk-lib';
import { beforeAll, describe, expect, test } from 'vitest';
import type * as Package from '../../infra/package/holdfast.ts';
import { functionNames, memberFunctionNames } from '../../shared/runtime/environment.ts';
import { type Assembly, assemble, resourcesOf, type Template } from '../support/local/assembly.ts';
import { uniqueNames } from '../support/local/deployment-names.ts';
import { laterThanNode20 } from '../support/package/later-than-node-20.ts';
import { exampleOnce } from '../support/setup/build-once.ts';

const run = promisify(execFile);
const root = join(import.meta.dirname, '../..');
const readJson = (file: string) => JSON.parse(readFileSync(file, 'utf8'));

interface StackArtifact {
  readonly type: string;
  readonly properties?: { readonly stackName?: string; readonly templateFile: string };
  readonly dependencies?: readonly string[];
}

let app: string;
let stacks: ReadonlyMap<string, { readonly template: Template; readonly needs: readonly string[] }>;
let repository: Assembly;
beforeAll(async () => {
  const example = await exampleOnce();
  app = example.app;
  const artifacts: Readonly<Record<string, StackArtifact>> = readJson(
    join(example.assembly, 'manifest.json'),
  ).artifacts;
  const nameOf = (id: string) => artifacts[id]?.properties?.stackName ?? id;
  stacks = new Map(
    Object.entries(artifacts).flatMap(([id, { type, properties, dependencies = [] }]) => {
      if (type !== 'aws:cloudformation:stack' || properties === undefined) return [];
      const template = readJson(join(example.assembly, properties.templateFile)) as Template;
      const needs = dependencies.filter((one) => artifacts[one]?.type === type).map(nameOf);
      return [[nameOf(id), { template, needs }] as const];
    }),
  );
  repository = await assemble();
});

const templateOf = (stack: string): Template => {
  const found = stacks.get(stack);
  if (found === undefined) throw new Error(`There is no stack ${stack}`);
  return found.template;
};
const parts = ['data', 'events', 'api', 'observability'] as const;
const templatesOf = (deployment: string) => parts.map((part) => templateOf(`${deployment}-${part}`));

describe('the package of the construct', () => {
  const inPackage = (path: string) => join(app, 'node_modules/holdfast-cdk', path);

  test('contains the code of every function and no source maps', () => {
    for (const name of [...functionNames, ...memberFunctionNames])
      expect(existsSync(inPackage(`functions/${name}/index.mjs`)), name).toBe(true);
    const files = readdirSync(inPackage('.'), { recursive: true, encoding: 'utf8' });
    expect(files).toEqual(expect.arrayContaining(['README.md', 'index.js', 'tracing/tracing.mjs']));
    expect(files.filter((file) => file.endsWith('.map'))).toEqual([]);
  });

  test('uses no function that Node 20 lacks', () => {
    expect(readFileSync(inPackage('index.js'), 'utf8')).not.toMatch(laterThanNode20);
  });

  test('requires the packages of the CDK that it was built with, or later ones', () => {
    const { devDependencies, version } = readJson(join(root, 'package.json'));
    const peerDependencies = {
      'aws-cdk-lib': `^${devDependencies['aws-cdk-lib']}`,
      constructs: `^${devDependencies.constructs}`,
    };
    expect(readJson(inPackage('package.json'))).toMatchObject({ version, peerDependencies });
  });

  test('has types that accept the settings, reject other properties, and document each setting', async () => {
    const wrong = `
      import { Stack } from 'aws-cdk-lib';
      import { Holdfast } from 'holdfast-cdk';
      // @ts-expect-error The edition does not exist.
      new Holdfast(new Stack(), 'A', { edition: 'other' });
      // @ts-expect-error Stage files belong to the repository.
      new Holdfast(new Stack(), 'B', { stage: 'test' });
      // @ts-expect-error A number is not a text.
      new Holdfast(new Stack(), 'C', { archiveDays: '30' });`;
    await writeFile(join(app, 'wrong.ts'), wrong);
    const { stdout } = await run(process.execPath, [join(root, 'node_modules/typescript/bin/tsc'), '-p', app]);
    expect(stdout).toBe('');
    expect(readFileSync(inPackage('types/infra/settings/settings.d.ts'), 'utf8')).toMatch(
      /\/\*\* Days, up to 365, for which a deleted workspace can be restored\..*\*\/\n\s+readonly deletedWorkspaceDays: Setting<number>;/,
    );
  });
});

describe('the example app', () => {
  test('uses the versions of this repository', () => {
    const own = readJson(join(root, 'package.json'));
    const { dependencies, devDependencies } = readJson(join(app, 'package.json'));
    const { 'holdfast-cdk': tarball, ...installed } = { ...dependencies, ...devDependencies };
    expect(tarball).toBe(`file:holdfast-cdk-${own.version}.tgz`);
    expect(own.devDependencies).toMatchObject(installed);
  });

  test('creates the stacks of both deployments, each after those that it uses', () => {
    expect(Object.fromEntries([...stacks].map(([name, { needs }]) => [name, [...needs].sort()]))).toEqual({
      'holdfast-data': [],
      'holdfast-events': [],
      'holdfast-api': ['Platform', 'holdfast-data', 'holdfast-events'],
      'holdfast-observability': ['holdfast-api', 'holdfast-data', 'holdfast-events'],
      'holdfast-trial-data': [],
      'holdfast-trial-events': [],
      'holdfast-trial-api': ['holdfast-trial-data', 'holdfast-trial-events'],
      'holdfast-trial-observability': ['holdfast-trial-api', 'holdfast-trial-data', 'holdfast-trial-events'],
      Platform: ['holdfast-data', 'holdfast-events'],
    });
  });

  test('creates two deployments in one account and region that share no name and no export', () => {
    const [first, second] = [uniqueNames(templatesOf('holdfast')), uniqueNames(templatesOf('holdfast-trial'))];
    expect(first.length).toBeGreaterThan(100);
    expect(second.length).toBeGreaterThan(100);
    expect(first.filter((name) => second.includes(name))).toEqual([]);
  });

  test.each(parts)(
    'creates the %s stack with the logical ids of the repository, except those of permissions',
    (part) => {
      const idsOf = ({ Resources }: Template) =>
        Object.entries(Resources)
          .filter(([, { Type }]) => Type !== 'AWS::Lambda::Permission')
          .map(([id, { Type }]) => `${Type} ${id}`)
          .sort();
      expect(idsOf(templateOf(`holdfast-trial-${part}`))).toEqual(idsOf(repository[part]));
    },
  );

  test('gives the mapping of a domain name the id that it has in the repository', () => {
    expect([...resourcesOf(templateOf('holdfast-api'), 'AWS::ApiGatewayV2::ApiMapping').keys()]).toEqual([
      'StageApiDomainNameundefinedFB1BFB09',
    ]);
  });

  test('runs the code of the repository', () => {
    const codeOf = (template: Template) =>
      [...resourcesOf(template, 'AWS::Lambda::Function')].map(([id, { Properties }]) => [id, Properties.Code.S3Key]);
    expect(codeOf(templateOf('holdfast-trial-api'))).toEqual(codeOf(repository.api));
  });

  const policyOf = (role: string) =>
    [...resourcesOf(templateOf('Platform'), 'AWS::IAM::Policy')].flatMap(([id, { Properties }]) =>
      id.startsWith(role) ? Properties.PolicyDocument.Statement : [],
    );

  test('grants a runner to read one workspace of the table and to decrypt its secrets', () => {
    const text = JSON.stringify(policyOf('Runner'));
    expect(text).toContain('"kms:EncryptionContext:workspace":["ws-2jPTvTDXBPFzPGbT"]');
    expect(text).toContain('"dynamodb:LeadingKeys":["WS#ws-2jPTvTDXBPFzPGbT"]');
    expect(text).toContain('holdfast-data:ExportsOutput');
  });

  test('grants a pipeline to invoke the function for commands and nothing else', () => {
    const [statement, ...others] = policyOf('Pipeline');
    expect(others).toEqual([]);
    expect(statement).toMatchObject({ Effect: 'Allow', Action: 'lambda:InvokeFunction' });
    const functions = JSON.stringify(statement.Resource).match(/:function:[^"]+/g);
    expect(functions?.sort()).toEqual([':function:holdfast-automation', ':function:holdfast-automation:$LATEST']);
  });
});

describe('the construct', () => {
  let Holdfast: typeof Package.Holdfast;
  beforeAll(() => {
    ({ Holdfast } = createRequire(join(app, 'app.ts'))('holdfast-cdk'));
  });

  test('rejects a second deployment of the same name in the same account and region', () => {
    const parent = new App();
    const stackIn = (region: string) => new Stack(parent, region, { env: { account: '111122223333', region } });
    const first = new Holdfast(stackIn('eu-west-1'), 'First', { console: false });
    expect(first.stacks.data).toMatchObject({ account: '111122223333', region: 'eu-west-1' });
    expect(() => first.getFunction('console')).toThrow('no function console');
    expect(Stack.of(first.getFunction('publish'))).toBe(first.stacks.api);

    new Holdfast(stackIn('eu-west-2'), 'Elsewhere');
    const again = new Stack(parent, 'Again', { env: { account: '111122223333', region: 'eu-west-1' } });
    expect(() => new Holdfast(again, 'Second')).toThrow(
      'already has the stack holdfast-data in aws://111122223333/eu-',
    );
  });

  test('rejects a region whose partition the templates are not made for', () => {
    const stack = new Stack(new App(), 'Stack', { env: { region: 'cn-north-1' } });
    expect(() => new Holdfast(stack, 'Holdfast')).toThrow('the region cn-north-1 is in the partition aws-cn');
  });

  test('names every setting that is not valid', () => {
    const settings = { name: 'A', archiveDays: 0, shade: 'red' };
    expect(() => new Holdfast(new Stack(), 'Holdfast', settings)).toThrow(
      /shade is not a setting.*\n- name is "A".*\n- archiveDays is 0/s,
    );
  });
});

test('the resources that hold data keep their logical ids, because CloudFormation would replace them', () => {
  const holding = /::(GlobalTable|Key|Bucket|EventBus|Archive|Queue)$/;
  const ids = [repository.data, repository.events].flatMap(({ Resources }) =>
    Object.entries(Resources).flatMap(([id, { Type }]) => (holding.test(Type) ? [id] : [])),
  );
  expect(ids.sort()).toEqual([
    'Archive4DBC1EC9',
    'Bucket83908E77',
    'BucketKey7092080A',
    'BusEA82B648',
    'DeadLettersBBF8BAAB',
    'FingerprintsKey83FA345C',
    'SecretsKey317DCF94',
    'TableCD117FA1',
    'TableKeyF581D96F',
  ]);
});
