import { App, Stack } from 'aws-cdk-lib';
import { Role, ServicePrincipal } from 'aws-cdk-lib/aws-iam';
import { describe, expect, it } from 'vitest';
import { grantReadSecrets } from '../../infra/constructs/read-secrets.ts';
import { type ReadableSecrets, readSecretsStatements } from '../../infra/constructs/secrets-policy.ts';
import { runnerPolicy } from '../../infra/deploy/runner-policy.ts';
import { base58 } from '../../shared/lib/random.ts';

const arn = (service: string, resource: string) => `arn:aws:${service}:eu-central-1:123456789012:${resource}`;
const data = {
  table: { arn: arn('dynamodb', 'table/holdfast'), keyArn: arn('kms', 'key/table') },
  secretsKeyArn: arn('kms', 'key/secrets'),
};
const workspace = 'ws-1111111111111111';
const variableSet = 'varset-2222222222222222';
const workspaceIds = (count: number) => Array.from({ length: count }, () => `ws-${base58(16)}`);

/** Synthesizes a role with a grant, and returns the resources of the template. */
const synthesize = (scope: ReadableSecrets) => {
  const app = new App();
  const stack = new Stack(app, 'Runner');
  const role = new Role(stack, 'Role', { assumedBy: new ServicePrincipal('ecs-tasks.amazonaws.com') });
  grantReadSecrets(role, data, scope);
  const { Resources } = app.synth().getStackByName('Runner').template;
  // biome-ignore lint/suspicious/noExplicitAny: resources of a template have no type.
  return Object.values(Resources) as any[];
};
const statementsOf = (scope: ReadableSecrets) =>
  synthesize(scope)
    .filter(({ Type }) => Type === 'AWS::IAM::Policy')
    .flatMap(({ Properties }) => Properties.PolicyDocument.Statement);
/** Returns the leading keys by statement, with the actions. */
const tableReads = (scope: ReadableSecrets) =>
  statementsOf(scope)
    .filter(({ Resource }) => Resource === data.table.arn)
    .map(({ Action, Condition }) => [
      Action,
      (Condition['ForAllValues:StringLike'] ?? Condition['ForAllValues:StringEquals'])['dynamodb:LeadingKeys'],
    ]);
const decryptions = (scope: ReadableSecrets) =>
  statementsOf(scope)
    .filter(({ Resource }) => Resource === data.secretsKeyArn)
    .map(({ Action, Condition }) => [Action, Condition]);
const both = ['dynamodb:GetItem', 'dynamodb:Query'];
const scopes = [
  [both, ['PRJ#prj-*']],
  ['dynamodb:GetItem', ['ORG#*']],
];

describe('grantReadSecrets', () => {
  it('allows the partitions of the workspaces, and the assignments of any project and organization', () => {
    expect(tableReads({ workspaces: [workspace] })).toEqual([[both, [`WS#${workspace}`]], ...scopes]);
  });

  it('allows the partitions of the named variable sets', () => {
    expect(tableReads({ workspaces: [workspace], variableSets: [variableSet] })).toEqual([
      [both, [`WS#${workspace}`]],
      [both, [`VARSET#${variableSet}`]],
      ...scopes,
    ]);
  });

  it('limits every read of the table to named attributes, and requires both condition keys', () => {
    const statements = statementsOf({ workspaces: [workspace], variableSets: 'all' }).filter(
      ({ Resource }) => Resource === data.table.arn,
    );
    expect(statements).toHaveLength(4);
    for (const { Condition } of statements) {
      expect(Condition).toMatchObject({
        StringEqualsIfExists: { 'dynamodb:Select': 'SPECIFIC_ATTRIBUTES' },
        Null: { 'dynamodb:LeadingKeys': 'false', 'dynamodb:Attributes': 'false' },
      });
      const attributes = Condition['ForAllValues:StringEquals']['dynamodb:Attributes'];
      // Attributes with tokens, states, run metrics or permissions.
      for (const name of ['digest', 'acc', 'cur', 'outputs', 'packed', 'run', 'chg', 'fp'])
        expect(attributes).not.toContain(name);
    }
  });

  it('allows decryption in the encryption contexts of the workspaces and variable sets', () => {
    expect(decryptions({ workspaces: [workspace], variableSets: [variableSet] })).toEqual([
      [
        'kms:Decrypt',
        {
          StringEquals: { 'kms:EncryptionContext:workspace': [workspace] },
          StringLike: { 'kms:EncryptionContext:variable': 'var-*' },
          'ForAllValues:StringEquals': { 'kms:EncryptionContextKeys': ['workspace', 'variable'] },
        },
      ],
      [
        'kms:Decrypt',
        {
          StringEquals: { 'kms:EncryptionContext:variableSet': [variableSet] },
          StringLike: { 'kms:EncryptionContext:variable': 'var-*' },
          'ForAllValues:StringEquals': { 'kms:EncryptionContextKeys': ['variableSet', 'variable'] },
        },
      ],
    ]);
  });

  it('allows the key of the table through DynamoDB only', () => {
    const keys = statementsOf({ workspaces: 'all' }).filter(({ Resource }) => Resource === data.table.keyArn);
    const service = { 'Fn::Join': ['', ['dynamodb.', { Ref: 'AWS::Region' }, '.amazonaws.com']] };
    expect(keys).toEqual([
      {
        Effect: 'Allow',
        Action: 'kms:Decrypt',
        Resource: data.table.keyArn,
        Condition: { StringEquals: { 'kms:ViaService': service } },
      },
    ]);
  });

  it('uses wildcards for all workspaces and variable sets, which do not include SSH keys', () => {
    const everything = { workspaces: 'all', variableSets: 'all' } as const;
    expect(tableReads(everything).slice(0, 2)).toEqual([
      [both, ['WS#ws-*']],
      [both, ['VARSET#varset-*']],
    ]);
    expect(decryptions(everything).map(([, { StringLike }]) => StringLike)).toEqual([
      { 'kms:EncryptionContext:workspace': 'ws-*', 'kms:EncryptionContext:variable': 'var-*' },
      { 'kms:EncryptionContext:variableSet': 'varset-*', 'kms:EncryptionContext:variable': 'var-*' },
    ]);
  });

  it.each([
    [{ workspaces: [] }, /workspaces is empty/],
    [{ workspaces: ['ws-*'] }, /match ws-\*: ws-\*/],
    // biome-ignore lint/suspicious/noTemplateCurlyInString: a policy variable of IAM.
    [{ workspaces: ['${aws:PrincipalTag/ws}'] }, /workspaces must be/],
    [{ workspaces: ['network'] }, /workspaces must be/],
    [{ workspaces: [workspace, variableSet] }, /workspaces must be/],
    [{ workspaces: [workspace], variableSets: [] }, /variableSets is empty/],
    [{ workspaces: [workspace], variableSets: [workspace] }, /variableSets must be/],
    [{ workspaces: workspaceIds(200) }, /several roles/],
  ] satisfies readonly (readonly [ReadableSecrets, RegExp])[])('rejects %j at synthesis', (scope, message) => {
    expect(() => synthesize(scope)).toThrow(message);
  });

  it('stays below the limit of IAM for a role with 140 workspaces, however often one is named', () => {
    const ids = workspaceIds(140);
    const resources = synthesize({ workspaces: [...ids, ...ids] });
    const documents = resources.filter(({ Type }) => Type === 'AWS::IAM::Policy').map(({ Properties }) => Properties);
    expect(documents).toHaveLength(1);
    expect(JSON.stringify(documents[0].PolicyDocument).length).toBeLessThan(10_240);
  });
});

describe('npm run runner-policy', () => {
  const key = (id: string) => `arn:aws-us-gov:kms:us-gov-west-1:123456789012:key/${id}`;
  const words = ['--table-name', 'table', '--table-key-arn', key('table'), '--secrets-key-arn', key('secrets')];

  it('prints the statements of grantReadSecrets, with the table in the account and region of its key', () => {
    const table = { arn: 'arn:aws-us-gov:dynamodb:us-gov-west-1:123456789012:table/table', keyArn: key('table') };
    const ids = [workspace, 'ws-3333333333333333'];
    const expected = readSecretsStatements(
      { table, secretsKeyArn: key('secrets') },
      { workspaces: ids, variableSets: 'all' },
      'us-gov-west-1',
    );
    expect(runnerPolicy([...words, '--workspaces', ids.join(','), '--variable-sets', 'all'])).toEqual({
      Version: '2012-10-17',
      Statement: expected.map(({ actions, resourceArns, conditions }) => ({
        Effect: 'Allow',
        Action: actions,
        Resource: resourceArns,
        Condition: conditions,
      })),
    });
  });

  it.each([
    [words, /Required: --workspaces/],
    [[], /Required: --table-name, --table-key-arn, --secrets-key-arn, --workspaces/],
    [[...words, '--workspaces', 'ws-*'], /workspaces must be complete ids/],
    [[...words, '--workspaces', ','], /workspaces is empty/],
    [[...words, '--table-key-arn', 'key', '--workspaces', 'all'], /must be the ARN of a key/],
  ])('rejects %j', (all, message) => {
    expect(() => runnerPolicy(all)).toThrow(message);
  });
});
