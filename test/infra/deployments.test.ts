import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { beforeAll, describe, expect, onTestFinished, test } from 'vitest';
import { servingFunctions } from '../../infra/constructs/gate.ts';
import {
  outputName,
  type PublishedName,
  parameterName,
  publishedValues,
} from '../../infra/constructs/published-values.ts';
import { deployArguments, OUTPUTS_FILE } from '../../infra/deploy/deploy.ts';
import { readSettings, SettingsError } from '../../infra/settings/settings.ts';
import { withStageFile } from '../../infra/settings/stage-file.ts';
import {
  type Assembly,
  assemble,
  everySetting,
  functionsOf,
  type Resource,
  resourcesOf,
  templatesOf,
} from '../support/local/assembly.ts';
import { nameProperties, uniqueNames } from '../support/local/deployment-names.ts';

let first: Assembly;
let second: Assembly;
beforeAll(async () => {
  first = await assemble();
  second = await assemble(everySetting);
});

const resources = (assembly: Assembly): Resource[] =>
  templatesOf(assembly).flatMap((template) => Object.values(template.Resources));

/** Names that are unique within another resource, or that AWS does not require to be unique. */
const localNames =
  /^AWS::(ApiGatewayV2::(Stage|DomainName)|IAM::Policy|Route53::RecordSet|Lambda::(Alias|Permission|Version|EventInvokeConfig|EventSourceMapping))$/;

/** Lists the names of a deployment that no other deployment may have: `type name`. */
const namesOf = (assembly: Assembly): string[] => [
  ...uniqueNames(templatesOf(assembly)),
  ...Object.values(assembly.manifest.artifacts as Record<string, { type: string; properties?: { stackName?: string } }>)
    .filter(({ type }) => type === 'aws:cloudformation:stack')
    .map(({ properties }) => `stack ${properties?.stackName}`),
];

describe('two deployments in one account and region', () => {
  test('share no name and no export', () => {
    const [one, other] = [new Set(namesOf(first)), new Set(namesOf(second))];
    expect(one.size).toBeGreaterThan(100);
    expect([...one].filter((name) => other.has(name))).toEqual([]);
  });

  test('contain no name that the comparison does not know', () => {
    const unknown = [...resources(first), ...resources(second)].flatMap(({ Type, Properties }) =>
      Object.entries(Properties ?? {}).flatMap(([property, value]) =>
        /Name$/.test(property) &&
        typeof value === 'string' &&
        nameProperties[Type] !== property &&
        !localNames.test(Type)
          ? [`${Type}.${property}`]
          : [],
      ),
    );
    expect([...new Set(unknown)].sort()).toEqual([
      'AWS::CloudWatch::Alarm.MetricName',
      'AWS::Logs::MetricFilter.LogGroupName',
      'AWS::SNS::Topic.DisplayName',
    ]);
  });

  test('cannot have names of which one starts with the other in a way that makes two functions equal', () => {
    const names = namesOf(first).flatMap((name) => {
      const [, own] = /(?:^| |\/)holdfast-([\w-]+)$/.exec(name) ?? [];
      return own === undefined ? [] : [[name.split(' ')[0] ?? '', own] as const];
    });
    const ambiguous = new Set(
      names.flatMap(([type, long]) =>
        names.flatMap(([other, short]) =>
          type === other && long.endsWith(`-${short}`) ? [long.slice(0, -short.length - 1)] : [],
        ),
      ),
    );
    expect([...ambiguous]).toContain('record');
    for (const suffix of ambiguous)
      expect(() => readSettings({ name: `holdfast-${suffix}` }), suffix).toThrow('does not end with');
  });
});

describe('stage files', () => {
  const folderWith = (content: string): string => {
    const folder = mkdtempSync(join(tmpdir(), 'holdfast-stages-'));
    onTestFinished(() => rmSync(folder, { recursive: true }));
    writeFileSync(join(folder, 'test.json'), content);
    return folder;
  };
  const problemsOf = (context: object, folder: string): readonly string[] => {
    try {
      withStageFile(context as Record<string, unknown>, folder);
    } catch (error) {
      if (error instanceof SettingsError) return error.problems;
      throw error;
    }
    return [];
  };

  test('add their settings to those of the context', () => {
    const folder = folderWith('{"name":"holdfast-test","tags":{"team":"a"}}');
    const context = withStageFile({ stage: 'test', edition: 'hosted' }, folder);
    expect(readSettings(context)).toMatchObject({ name: 'holdfast-test', edition: 'hosted', tags: { team: 'a' } });
  });

  test('change nothing without the setting stage', () => {
    expect(withStageFile({ edition: 'hosted' }, '/nowhere')).toEqual({ edition: 'hosted' });
  });

  test.each<[string, string, object, string]>([
    ['a missing file', '{"name":"a"}', { stage: 'prod' }, 'stages/prod.json does not exist'],
    ['a path', '{"name":"a"}', { stage: '../test' }, 'must be lower-case letters'],
    ['content that is not JSON', '{', { stage: 'test' }, 'stages/test.json: '],
    ['a list', '[]', { stage: 'test' }, 'one JSON object'],
    ['a stage without a name of its own', '{"edition":"hosted"}', { stage: 'test' }, 'must contain name'],
    [
      'a setting in both',
      '{"name":"a","edition":"hosted"}',
      { stage: 'test', edition: 'x' },
      'edition is in stages/test',
    ],
  ])('reject %s', (_, content, context, problem) => {
    expect(problemsOf(context, folderWith(content))).toEqual([expect.stringContaining(problem)]);
  });
});

test('tags are on every resource that can have tags', () => {
  const untagged = resources(second).filter(({ Type, Properties }) => {
    if (/^AWS::(Logs::MetricFilter|CloudWatch::Dashboard|Events::Archive)$/.test(Type)) return false;
    const isTaggable =
      Object.keys(nameProperties).includes(Type) || /::(Role|Key|Bucket|Topic|GlobalTable)$/.test(Type);
    return isTaggable && Type !== 'AWS::Lambda::LayerVersion' && !JSON.stringify(Properties).includes('"platform"');
  });
  expect(untagged.map(({ Type }) => Type)).toEqual([]);
  const stacks = Object.values(second.manifest.artifacts as Record<string, { type: string; properties?: object }>);
  for (const { properties } of stacks.filter(({ type }) => type === 'aws:cloudformation:stack'))
    expect(properties).toMatchObject({ tags: { team: 'platform' } });
});

test('the permissions boundary is on every role', () => {
  const roles = resources(second).filter(({ Type }) => Type === 'AWS::IAM::Role');
  expect(roles.length).toBeGreaterThan(0);
  for (const { Properties } of roles) expect(Properties.PermissionsBoundary).toBe(everySetting.permissionsBoundary);
});

test('every published value is one output and one parameter below the path of the deployment', () => {
  const templates = templatesOf(second);
  const parameters = templates.flatMap((template) => [...resourcesOf(template, 'AWS::SSM::Parameter').values()]);
  const outputs = Object.assign({}, ...templates.map(({ Outputs }) => Outputs));
  const names = Object.keys(publishedValues) as PublishedName[];
  expect(parameters.map(({ Properties }) => Properties.Name).sort()).toEqual(
    names.map((name) => parameterName({ name: 'second' }, name)).sort(),
  );
  for (const name of names) {
    const parameter = parameters.find(({ Properties }) => Properties.Name === `/holdfast/second/${name}`);
    expect(parameter?.Properties.Value, name).toBeDefined();
    expect(parameter?.Properties.Value).toEqual(outputs[outputName(name)]?.Value);
  }
});

describe('setting tracing', () => {
  test('is off by default: no traces, no permission for them, and no code that sends them', () => {
    const text = JSON.stringify(first.api);
    expect(text).not.toMatch(/xray:|NODE_OPTIONS|LayerVersion|"Active"/);
  });

  test('traces every function, with the layer that adds calls of services', () => {
    const [layer] = resourcesOf(second.api, 'AWS::Lambda::LayerVersion').keys();
    for (const [name, { Properties }] of functionsOf(second.api)) {
      expect(Properties, name).toMatchObject({
        TracingConfig: { Mode: 'Active' },
        Layers: [{ Ref: layer }],
        Environment: { Variables: { NODE_OPTIONS: '--import=/opt/tracing.mjs' } },
      });
    }
    const policies = [...resourcesOf(second.api, 'AWS::IAM::Policy').values()].filter(({ Properties }) =>
      JSON.stringify(Properties.PolicyDocument).includes('xray:PutTraceSegments'),
    );
    expect(policies).toHaveLength(functionsOf(second.api).size);
  });
});

describe('setting auditRefusals', () => {
  test('is off by default: no variable for it, and no permission', () => {
    expect(JSON.stringify(first.api)).not.toMatch(/AUDIT_REFUSALS|REFUSED#/);
  });

  test('allows functions that only read to write rejected requests and first uses of tokens, and nothing else', () => {
    for (const name of ['runs', 'history', 'workspace-list'] as const) {
      const { Properties } = functionsOf(second.api).get(name) as Resource;
      expect(Properties.Environment.Variables).toMatchObject({ AUDIT_REFUSALS: 'true' });
    }
    const reports = { 'ForAllValues:StringLike': { 'dynamodb:LeadingKeys': ['USED#*', 'REFUSED#*'] } };
    const statements = [...resourcesOf(second.api, 'AWS::IAM::Policy').values()].flatMap(({ Properties }) =>
      Properties.PolicyDocument.Statement.filter(({ Condition }: { Condition?: object }) =>
        JSON.stringify(Condition ?? {}).includes('REFUSED#'),
      ),
    );
    expect(statements).toHaveLength(3);
    for (const statement of statements) {
      expect(statement).toMatchObject({ Effect: 'Allow', Action: 'dynamodb:UpdateItem', Condition: reports });
    }
  });
});

describe('setting tokenLimit', () => {
  test('limits no token by default: no gate, and no headers to expose', () => {
    expect(JSON.stringify(first.api)).not.toMatch(/gate\.handler|TOKEN_LIMIT|x-ratelimit/);
  });

  test('puts the gate in front of the functions that read the table for a request, and of the one that responds to ping', () => {
    const limited = [...functionsOf(second.api)].filter(
      ([, { Properties }]) => Properties.Environment?.Variables['TOKEN_LIMIT'] !== undefined,
    );
    const serving = servingFunctions.filter((name) => !['console', 'documentation'].includes(name));
    expect(limited.map(([name]) => name).sort()).toEqual([...serving].sort());
    for (const [, { Properties }] of limited)
      expect(Properties).toMatchObject({
        Handler: 'gate.handler',
        Environment: { Variables: { TOKEN_LIMIT: '50/100' } },
      });
  });
});

test('npm run deploy passes its arguments on, and with --ci needs no input', () => {
  expect(deployArguments(['-c', 'stage=test'])).toEqual(['deploy', '--all', '-c', 'stage=test']);
  const pipeline = deployArguments(['--ci', '-c', 'stage=test']).join(' ');
  expect(pipeline).toContain('--require-approval never');
  expect(pipeline).toContain(`--outputs-file ${OUTPUTS_FILE}`);
  expect(pipeline).toMatch(/-c stage=test$/);
});

describe('setting originSecretArns', () => {
  test('checks no secret header by default: no secret, and no gate', () => {
    expect(JSON.stringify(first.api)).not.toMatch(/secretsmanager|ORIGIN_|gate\.handler/);
  });

  test('gives both secrets to all functions that serve requests, as references', () => {
    const references = everySetting.originSecretArns.map((arn) => `{{resolve:secretsmanager:${arn}:SecretString:::}}`);
    const gated = [...functionsOf(second.api)].filter(([, { Properties }]) => Properties.Handler === 'gate.handler');
    expect(gated.map(([name]) => name).sort()).toEqual([...servingFunctions].sort());
    for (const [name, { Properties }] of gated)
      expect(Properties.Environment.Variables.ORIGIN_SECRETS, name).toBe(references.join(','));
  });

  test('needs fewer than 60 dynamic references in a template, the limit of CloudFormation', () => {
    expect(() =>
      readSettings({ originSecretArns: [...everySetting.originSecretArns, ...everySetting.originSecretArns] }),
    ).toThrow('originSecretArns has more than 2 secrets');
    for (const template of templatesOf(second))
      expect(JSON.stringify(template).split('{{resolve:').length - 1).toBeLessThan(0.85 * 60);
  });
});
