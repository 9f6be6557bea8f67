import { beforeAll, describe, expect, test } from 'vitest';
import { type DeployedName, functionNames } from '../../shared/runtime/environment.ts';
import { type Assembly, assemble, functionsOf, resourcesOf } from '../support/local/assembly.ts';

let assembly: Assembly;
beforeAll(async () => {
  assembly = await assemble();
});

const names: Readonly<Record<string, string>> = {
  TableArn: 'table',
  TableKeyArn: 'key',
  SecretsKeyArn: 'key of secrets',
  FingerprintsKeyArn: 'key of fingerprints',
  BucketKeyArn: 'key of objects',
  BucketArn: 'bucket',
  TableStreamArn: 'stream',
  BusArn: 'bus',
  DeadLettersArn: 'dead letters',
};

/** Describes the resource of a statement. */
const describeResource = (resource: unknown, logGroup: string): string => {
  const text = JSON.stringify(resource);
  if (text === `{"Fn::GetAtt":["${logGroup}","Arn"]}`) return 'its log group';
  const [, name, attribute, below = ''] =
    /^(?:\{"Fn::Join":\["",\[)?\{"Fn::ImportValue":"holdfast-(?:data|events):ExportsOutputFnGetAtt([A-Za-z]+?)[0-9A-F]{8}([A-Za-z]*Arn)\w+"\}(?:,"(\/[\w/-]+\*?)"\]\]\})?$/.exec(
      text,
    ) ?? [];
  const kind = names[`${name}${attribute}`];
  if (kind !== undefined) return `${kind}${below}`;
  const [, called] = /,":function:holdfast-([a-z-]+)"\]\]\}$/.exec(text) ?? [];
  if (called !== undefined) return `function ${called}`;
  return typeof resource === 'string' ? resource : text;
};

// biome-ignore lint/suspicious/noExplicitAny: a condition of a template has no type.
const describeCondition = (condition: any): string => {
  const service = condition?.StringEquals?.['kms:ViaService'];
  if (service !== undefined) {
    expect(Object.keys(condition)).toEqual(['StringEquals']);
    return ` via ${service['Fn::Join'][1][0]}`;
  }
  return condition === undefined ? '' : ` where ${JSON.stringify(condition)}`;
};

/** Lists the permissions of the role of a function: `action on resource`, with the condition if there is one. */
const permissionsOf = (name: DeployedName): string[] => {
  const { Properties } = functionsOf(assembly.api).get(name) ?? { Properties: undefined };
  const role = Properties.Role['Fn::GetAtt'][0];
  expect(assembly.api.Resources[role]?.Properties).not.toHaveProperty('ManagedPolicyArns');
  expect(assembly.api.Resources[role]?.Properties).not.toHaveProperty('Policies');
  return [...resourcesOf(assembly.api, 'AWS::IAM::Policy').values()]
    .filter((policy) => policy.Properties.Roles.some(({ Ref }: { Ref: string }) => Ref === role))
    .flatMap((policy) => policy.Properties.PolicyDocument.Statement)
    .flatMap(({ Effect, Action, Resource, Condition, ...rest }) => {
      expect({ Effect, rest }).toEqual({ Effect: 'Allow', rest: {} });
      const via = describeCondition(Condition);
      return [Action]
        .flat()
        .flatMap((action) =>
          [Resource]
            .flat()
            .map(
              (resource) => `${action} on ${describeResource(resource, Properties.LoggingConfig.LogGroup.Ref)}${via}`,
            ),
        );
    })
    .sort();
};

const ownLogs = ['logs:CreateLogStream on its log group', 'logs:PutLogEvents on its log group'];
const key = ['kms:Decrypt on key via dynamodb.', 'kms:DescribeKey on key via dynamodb.'];
/** The only permission for the key of the secrets: generating data keys in one encryption context. */
const encryption = (context: Record<string, string>) => {
  const forms = Object.entries(context).map(([name, form]) => [`kms:EncryptionContext:${name}`, form]);
  const condition = {
    'ForAllValues:StringEquals': { 'kms:EncryptionContextKeys': Object.keys(context) },
    StringLike: Object.fromEntries(forms),
  };
  return [`kms:GenerateDataKey on key of secrets where ${JSON.stringify(condition)}`];
};
const onTable = (...actions: string[]) => actions.map((action) => `dynamodb:${action} on table`);

/** Functions without write permissions report the first uses of tokens, in items of their own. */
const reportingUses = [
  'dynamodb:UpdateItem on table where {"ForAllValues:StringLike":{"dynamodb:LeadingKeys":["USED#*"]}}',
];

/** Which of the two is sent depends on the reads that start together. */
const items = ['GetItem', 'BatchGetItem'];

const contentRequests = ['lambda:InvokeFunction on function state-content'];
const onObjects = (prefix: string, ...actions: string[]) =>
  actions.map((action) => `s3:${action} on bucket/${prefix}/*`);
/** Without permission to list, S3 responds with 403 for a missing object. */
const listing = (prefix: string, action = 'ListBucket') => [
  `s3:${action} on bucket where {"StringLikeIfExists":{"s3:prefix":"${prefix}/*"}}`,
];
/** Permanent deletion of all versions. */
const removingObjects = ['states', 'json-states'].flatMap((prefix) => [
  ...onObjects(prefix, 'DeleteObjectVersion'),
  ...listing(prefix, 'ListBucketVersions'),
]);

/** Permissions to change records with a name claim, in transactions with condition checks. */
const changingRecords = [
  ...onTable(...items, 'Query', 'PutItem', 'UpdateItem', 'DeleteItem', 'ConditionCheckItem'),
  'dynamodb:Query on table/index/list',
];

/** Permissions of functions that load snapshots of list indexes. */
const readingSnapshots = [
  ...onObjects('catalogues', 'GetObject'),
  'kms:Decrypt on key of objects via s3.',
  'lambda:InvokeFunction on function list-index-snapshots',
];

const stream = [
  'dynamodb:DescribeStream on stream',
  'dynamodb:GetRecords on stream',
  'dynamodb:GetShardIterator on stream',
  'dynamodb:ListStreams on stream',
];

/** Permissions to send requests of the HTTP API. */
const apiRequests = [
  ...['workspaces', 'workspace-list', 'workspace-locks', 'workspace-deletion', 'workspace-tags'],
  ...['remote-state-consumers', 'ssh-key', 'data-retention-policy', 'variables', 'runs', 'history', 'bulk-jobs'],
  ...['organizations', 'sign-in', 'projects', 'teams', 'integrations', 'state-versions', 'documentation', 'fallback'],
].map((name) => `lambda:InvokeFunction on function ${name}`);

/** A deliberate second list: a permission that is added to the code by mistake fails the test. */
const expected: Record<DeployedName, string[]> = {
  workspaces: [
    ...onTable(...items, 'Query', 'PutItem', 'UpdateItem', 'DeleteItem'),
    'dynamodb:Query on table/index/list',
    ...key,
    ...readingSnapshots,
  ],
  'workspace-list': [
    ...onTable(...items, 'Query'),
    'dynamodb:Query on table/index/list',
    ...reportingUses,
    ...key,
    ...readingSnapshots,
  ],
  'workspace-locks': [...onTable(...items, 'Query', 'UpdateItem'), ...key, ...contentRequests],
  'workspace-deletion': [
    ...onTable(...items, 'Query', 'PutItem', 'UpdateItem', 'DeleteItem'),
    ...key,
    ...contentRequests,
  ],
  'workspace-tags': [
    ...onTable(...items, 'Query', 'UpdateItem'),
    'dynamodb:Query on table/index/list',
    ...key,
    ...readingSnapshots,
  ],
  'remote-state-consumers': [
    ...onTable(...items, 'Query', 'PutItem', 'UpdateItem'),
    'dynamodb:Query on table/index/list',
    ...key,
    ...readingSnapshots,
  ],
  'ssh-key': [...onTable(...items, 'Query', 'UpdateItem'), ...key],
  runs: [...onTable(...items, 'Query'), ...reportingUses, ...key],
  'data-retention-policy': [...onTable(...items, 'Query', 'UpdateItem'), ...key],
  variables: [
    ...onTable(...items, 'Query', 'PutItem', 'UpdateItem', 'DeleteItem', 'ConditionCheckItem'),
    'dynamodb:Query on table/index/list',
    ...encryption({ workspace: 'ws-*', variable: 'var-*' }),
    ...encryption({ variableSet: 'varset-*', variable: 'var-*' }),
    'kms:GenerateMac on key of fingerprints',
    ...key,
    ...readingSnapshots,
  ],
  organizations: [...changingRecords, ...key],
  'sign-in': [...onTable(...items, 'Query', 'PutItem', 'UpdateItem', 'DeleteItem', 'ConditionCheckItem'), ...key],
  projects: [...changingRecords, ...key, ...readingSnapshots],
  teams: [...changingRecords, ...key, ...readingSnapshots],
  integrations: [
    ...changingRecords,
    ...encryption({ organization: '*', sshKey: 'sshkey-*' }),
    ...encryption({ organization: '*', vcsConnection: 'ot-*' }),
    ...key,
  ],
  'state-versions': [
    ...onTable(...items, 'Query', 'PutItem', 'UpdateItem', 'DeleteItem'),
    ...key,
    ...onObjects('states', 'PutObject', 'GetObject', 'GetObjectVersion', 'DeleteObjectVersion'),
    ...onObjects('json-states', 'PutObject', 'GetObjectVersion'),
    ...listing('states'),
    'kms:Decrypt on key of objects via s3.',
    'kms:GenerateDataKey on key of objects via s3.',
  ],
  'state-content': [
    ...onTable(...items, 'Query', 'PutItem', 'UpdateItem'),
    ...key,
    ...onObjects('states', 'GetObject', 'GetObjectVersion', 'DeleteObjectVersion'),
    ...onObjects('json-states', 'DeleteObjectVersion'),
    ...listing('states'),
    'kms:Decrypt on key of objects via s3.',
    'sqs:SendMessage on dead letters',
  ],
  documentation: [],
  console: [],
  fallback: [],
  cleanup: [
    ...onTable(...items, 'Query', 'PutItem', 'UpdateItem', 'DeleteItem', 'ConditionCheckItem'),
    'dynamodb:Query on table/index/list',
    'dynamodb:Query on table/index/due',
    ...onObjects('states', 'DeleteObject'),
    ...onObjects('json-states', 'DeleteObject'),
    ...onObjects('readmes', 'DeleteObject'),
    ...onObjects('catalogues', 'DeleteObject'),
    ...removingObjects,
    'lambda:InvokeFunction on function bulk-job-worker',
    ...key,
  ],
  ingest: [
    ...onTable(...items, 'Query', 'PutItem', 'UpdateItem', 'DeleteItem'),
    ...onObjects('readmes', 'GetObject', 'GetObjectVersion'),
    ...listing('readmes'),
    'kms:Decrypt on key of objects via s3.',
    'sqs:SendMessage on dead letters',
    ...key,
  ],
  'state-retention': [
    ...onTable(...items, 'Query', 'PutItem', 'UpdateItem', 'DeleteItem'),
    'dynamodb:Scan on table/index/list',
    ...key,
    ...removingObjects,
  ],
  'list-index-snapshots': [
    ...onTable(...items, 'UpdateItem'),
    'dynamodb:Query on table/index/list',
    ...onObjects('catalogues', 'PutObject', 'DeleteObject'),
    'kms:GenerateDataKey on key of objects via s3.',
    'sqs:SendMessage on dead letters',
    ...key,
  ],
  history: [...onTable(...items, 'Query'), ...reportingUses, ...key],
  'bulk-jobs': [
    ...onTable(...items, 'Query', 'PutItem', 'UpdateItem'),
    'dynamodb:Query on table/index/list',
    ...onObjects('bulk-jobs', 'GetObject'),
    ...listing('bulk-jobs'),
    'kms:Decrypt on key of objects via s3.',
    'lambda:InvokeFunction on function bulk-job-worker',
    ...key,
  ],
  'bulk-job-worker': [
    ...changingRecords,
    ...readingSnapshots,
    ...onObjects('bulk-jobs', 'PutObject'),
    'kms:GenerateDataKey on key of objects via s3.',
    'sqs:SendMessage on dead letters',
    ...apiRequests,
    ...key,
  ],
  'record-history': [
    ...onTable(...items, 'Query', 'PutItem', 'UpdateItem'),
    ...stream,
    'kms:GenerateMac on key of fingerprints',
    ...key,
    'sqs:SendMessage on dead letters',
  ],
  publish: [...stream, ...key, 'events:PutEvents on bus', 'sqs:SendMessage on dead letters'],
  automation: [
    ...onTable(...items, 'Query', 'UpdateItem'),
    'kms:GenerateMac on key of fingerprints',
    'sqs:SendMessage on dead letters',
    ...apiRequests,
    ...key,
  ],
  admin: [
    ...onTable(...items, 'Query', 'Scan', 'PutItem', 'UpdateItem', 'DeleteItem', 'ConditionCheckItem'),
    'dynamodb:Query on table/index/list',
    ...onObjects('history-exports', 'PutObject'),
    'kms:GenerateDataKey on key of objects via s3.',
    ...onObjects('catalogues', 'DeleteObject'),
    ...listing('states', 'ListBucketVersions'),
    ...key,
  ],
};

const beginning = [
  ...['arn:', { Ref: 'AWS::Partition' }, ':ssm:', { Ref: 'AWS::Region' }, ':', { Ref: 'AWS::AccountId' }],
];

describe('least privilege', () => {
  test('sign-in reads exactly the parameters of its identity providers, and gets tokens of AWS for their issuers', async () => {
    const provider = (name: string, settings: object) => ({
      name,
      issuer: `https://${name}.example.com`,
      clientId: 'holdfast',
      ...settings,
    });
    const { api } = await assemble({
      identityProviders: [
        provider('public', {}),
        provider('okta', { clientAuthentication: 'secret', secretParameter: '/holdfast/okta' }),
        provider('entra', { clientAuthentication: 'aws' }),
      ],
    });
    const statements = [...resourcesOf(api, 'AWS::IAM::Policy').entries()].flatMap(([id, { Properties }]) =>
      Properties.PolicyDocument.Statement.map((statement: object) => ({ id, ...statement })),
    );
    const touching = (service: string) =>
      statements.filter(({ Action }) => [Action].flat().some((action: string) => action.startsWith(service)));
    expect(touching('ssm:')).toEqual([
      {
        id: expect.stringMatching(/^signinRole/),
        Effect: 'Allow',
        Action: 'ssm:GetParameter',
        Resource: { 'Fn::Join': ['', [...beginning, ':parameter/holdfast/okta']] },
      },
    ]);
    expect(touching('sts:')).toEqual([
      {
        id: expect.stringMatching(/^signinTokens/),
        Effect: 'Allow',
        Action: 'sts:GetWebIdentityToken',
        Resource: '*',
        Condition: {
          'ForAllValues:StringEquals': { 'sts:IdentityTokenAudience': ['https://entra.example.com'] },
          NumericLessThanEquals: { 'sts:DurationSeconds': 60 },
        },
      },
    ]);
  });

  test.each(functionNames)('%s has exactly the permissions that it needs', (name) => {
    expect(permissionsOf(name)).toEqual([...expected[name], ...ownLogs].sort());
  });

  test('each function has its own role, which only Lambda can assume', () => {
    const roles = [...functionsOf(assembly.api).values()].map(({ Properties }) => Properties.Role['Fn::GetAtt'][0]);
    expect(new Set(roles).size).toBe(functionNames.length);
    expect([...resourcesOf(assembly.api, 'AWS::IAM::Role').keys()].sort()).toEqual(roles.sort());
    for (const role of roles) {
      expect(assembly.api.Resources[role]?.Properties.AssumeRolePolicyDocument.Statement).toEqual([
        { Action: 'sts:AssumeRole', Effect: 'Allow', Principal: { Service: 'lambda.amazonaws.com' } },
      ]);
    }
  });

  test('no other stack contains IAM resources', () => {
    for (const template of [assembly.data, assembly.events, assembly.observability]) {
      expect(Object.values(template.Resources).filter(({ Type }) => Type.startsWith('AWS::IAM::'))).toEqual([]);
    }
  });
});
