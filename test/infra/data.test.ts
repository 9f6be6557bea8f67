import { execFileSync } from 'node:child_process';
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { beforeAll, describe, expect, test } from 'vitest';
import { createApp } from '../../infra/build/synthesize.ts';
import { readSettings } from '../../infra/settings/settings.ts';
import { DataStack } from '../../infra/stacks/data-stack.ts';
import {
  indexes,
  indexNames,
  streamView,
  tableKeys,
  ttlAttribute,
} from '../../shared/store/dynamodb/table-definition.ts';
import { readPage } from '../support/docs/pages.ts';
import { type Assembly, assemble, functionsOf, resourcesOf, templatesOf, theOnly } from '../support/local/assembly.ts';

let assembly: Assembly;
beforeAll(async () => {
  assembly = await assemble();
});

const table = () => theOnly(assembly.data, 'AWS::DynamoDB::GlobalTable');
const findKey = (id: string): string | undefined =>
  [...resourcesOf(assembly.data, 'AWS::KMS::Key').keys()].find((key) => key.startsWith(id));
const schema = (partitionKey: string, sortKey: string) => [
  { AttributeName: partitionKey, KeyType: 'HASH' },
  { AttributeName: sortKey, KeyType: 'RANGE' },
];

const certificateArn = 'arn:aws:acm:eu-central-1:123456789012:certificate/0a1b-2c3d';

/** Retained when removed or replaced, but not when the deployment that creates it fails. */
const kept = { DeletionPolicy: 'RetainExceptOnCreate', UpdateReplacePolicy: 'Retain' };

describe('table', () => {
  test('has the keys, indexes and projections of its definition', () => {
    const { KeySchema, GlobalSecondaryIndexes, AttributeDefinitions } = table().Properties;
    expect(KeySchema).toEqual(schema(tableKeys.partitionKey, tableKeys.sortKey));
    expect(GlobalSecondaryIndexes).toEqual([
      {
        IndexName: 'list',
        KeySchema: schema('l', 'lk'),
        Projection: { ProjectionType: 'INCLUDE', NonKeyAttributes: indexes.list.projected },
      },
      { IndexName: 'due', KeySchema: schema('d', 'dk'), Projection: { ProjectionType: 'KEYS_ONLY' } },
    ]);
    expect(new Set(AttributeDefinitions.map(({ AttributeType }: { AttributeType: string }) => AttributeType))).toEqual(
      new Set(['S']),
    );
  });

  test('streams both images and expires items', () => {
    expect(table().Properties).toMatchObject({
      StreamSpecification: { StreamViewType: streamView },
      TimeToLiveSpecification: { AttributeName: ttlAttribute, Enabled: true },
      BillingMode: 'PAY_PER_REQUEST',
    });
  });

  test('is retained, protected from deletion, and recoverable to any second of the last 35 days', () => {
    expect(table()).toMatchObject(kept);
    expect(table().Properties.Replicas).toEqual([
      expect.objectContaining({
        Region: { Ref: 'AWS::Region' },
        DeletionProtectionEnabled: true,
        PointInTimeRecoverySpecification: { PointInTimeRecoveryEnabled: true, RecoveryPeriodInDays: 35 },
      }),
    ]);
  });

  test('reports throttled keys with Contributor Insights, except for the index due', () => {
    const throttled = { Enabled: true, Mode: 'THROTTLED_KEYS' };
    const [{ ContributorInsightsSpecification, GlobalSecondaryIndexes }] = table().Properties.Replicas;
    expect(ContributorInsightsSpecification).toEqual(throttled);
    expect(GlobalSecondaryIndexes).toEqual([
      { IndexName: 'list', ContributorInsightsSpecification: throttled },
      { IndexName: 'due', ContributorInsightsSpecification: { Enabled: false } },
    ]);
  });

  test('is in a stack with termination protection', () => {
    expect(assembly.manifest.artifacts.Data.properties.terminationProtection).toBe(true);
  });

  test('is encrypted with a customer managed key', () => {
    const keyId = findKey('TableKey');
    expect(table().Properties).toMatchObject({
      SSESpecification: { SSEEnabled: true, SSEType: 'KMS' },
      Replicas: [{ SSESpecification: { KMSMasterKeyId: { 'Fn::GetAtt': [keyId, 'Arn'] } } }],
    });
  });
});

describe('KMS keys', () => {
  test('exist for the table, the secrets, the bucket and the fingerprints, and are retained', () => {
    const keys = resourcesOf(assembly.data, 'AWS::KMS::Key');
    const names = ['BucketKey', 'FingerprintsKey', 'SecretsKey', 'TableKey'];
    expect([...keys.keys()].sort()).toEqual(names.map(findKey));
    for (const key of keys.values()) {
      expect(key).toMatchObject(kept);
    }
  });

  test('are rotated, except for the HMAC key of the fingerprints, which KMS cannot rotate', () => {
    for (const [id, { Properties }] of resourcesOf(assembly.data, 'AWS::KMS::Key')) {
      expect(Properties).toMatchObject(
        id === findKey('FingerprintsKey')
          ? { KeySpec: 'HMAC_256', KeyUsage: 'GENERATE_VERIFY_MAC' }
          : { EnableKeyRotation: true },
      );
    }
  });

  test('include the key of the secrets, which only functions that encrypt receive', () => {
    const receivers = [...functionsOf(assembly.api)].filter(
      ([, { Properties }]) => 'SECRETS_KEY_ARN' in (Properties.Environment?.Variables ?? {}),
    );
    expect(receivers.map(([name]) => name).sort()).toEqual(['integrations', 'variables']);
  });
});

describe('bucket', () => {
  const bucket = () => theOnly(assembly.data, 'AWS::S3::Bucket');

  test('keeps versions, is encrypted with its own key, is not public, and is retained', () => {
    expect(bucket()).toMatchObject(kept);
    expect(bucket().Properties).toMatchObject({
      VersioningConfiguration: { Status: 'Enabled' },
      BucketEncryption: {
        ServerSideEncryptionConfiguration: [
          {
            BucketKeyEnabled: true,
            ServerSideEncryptionByDefault: {
              SSEAlgorithm: 'aws:kms',
              KMSMasterKeyID: { 'Fn::GetAtt': [findKey('BucketKey'), 'Arn'] },
            },
          },
        ],
      },
      OwnershipControls: { Rules: [{ ObjectOwnership: 'BucketOwnerEnforced' }] },
      PublicAccessBlockConfiguration: {
        BlockPublicAcls: true,
        BlockPublicPolicy: true,
        IgnorePublicAcls: true,
        RestrictPublicBuckets: true,
      },
    });
  });

  test.each<[what: string, settings: Readonly<Record<string, unknown>>, origins: readonly unknown[]]>([
    [
      'the endpoints of API Gateway, one of which is that of the API',
      {},
      [{ 'Fn::Join': ['', ['https://*.execute-api.', { Ref: 'AWS::Region' }, '.', { Ref: 'AWS::URLSuffix' }]] }],
    ],
    [
      'the domain name of the API and its public URL only',
      { customDomain: { name: 'api.example.com', certificateArn }, publicUrl: 'https://public.example.com' },
      ['https://public.example.com', 'https://api.example.com'],
    ],
  ])('allows pages to read from %s (CONSOLE-6)', async (_, context, origins) => {
    const app = await createApp({ isChecked: false });
    const { stackName } = new DataStack(app, 'Data', { stackName: 'data', settings: readSettings(context) });
    const template = app.synth().getStackByName(stackName).template;
    expect(theOnly(template, 'AWS::S3::Bucket').Properties.CorsConfiguration).toEqual({
      CorsRules: [{ AllowedMethods: ['GET'], AllowedOrigins: origins }],
    });
  });

  test('allows TLS only', () => {
    expect(theOnly(assembly.data, 'AWS::S3::BucketPolicy').Properties.PolicyDocument.Statement).toEqual([
      expect.objectContaining({
        Effect: 'Deny',
        Action: 's3:*',
        Condition: { Bool: { 'aws:SecureTransport': 'false' } },
      }),
    ]);
  });

  test('deletes old versions after 30 days, snapshots after a week, reports after 31 days, and incomplete uploads after a day', () => {
    expect(bucket().Properties.LifecycleConfiguration.Rules).toEqual([
      {
        Id: 'undo',
        Status: 'Enabled',
        NoncurrentVersionExpiration: { NoncurrentDays: 30 },
        ExpiredObjectDeleteMarker: true,
        AbortIncompleteMultipartUpload: { DaysAfterInitiation: 1 },
      },
      {
        Id: 'catalogues',
        Status: 'Enabled',
        Prefix: 'catalogues/',
        ExpirationInDays: 7,
        NoncurrentVersionExpiration: { NoncurrentDays: 1 },
      },
      {
        Id: 'bulk-jobs',
        Status: 'Enabled',
        Prefix: 'bulk-jobs/',
        ExpirationInDays: 31,
        NoncurrentVersionExpiration: { NoncurrentDays: 1 },
      },
    ]);
  });

  test('sends events to EventBridge without an additional function', () => {
    expect(bucket().Properties.NotificationConfiguration).toEqual({
      EventBridgeConfiguration: { EventBridgeEnabled: true },
    });
    expect(resourcesOf(assembly.data, 'AWS::Lambda::Function').size).toBe(0);
  });
});

describe('programs of runbooks that read the template', () => {
  let folder: string;
  beforeAll(() => {
    folder = mkdtempSync(join(tmpdir(), 'holdfast-runbook-'));
    mkdirSync(join(folder, 'cdk.out'));
    writeFileSync(join(folder, 'cdk.out/Data.template.json'), JSON.stringify(assembly.data));
    return () => rmSync(folder, { recursive: true });
  });
  /** Runs the program of a page that reads the template. */
  const run = (page: string, ...words: readonly string[]) => {
    const [, program = ''] = /node -p '([^']*Data\.template\.json[^']*)'/.exec(readPage(page)) ?? [];
    return JSON.parse(execFileSync(process.execPath, ['-p', program, ...words], { cwd: folder, encoding: 'utf8' }));
  };
  const definitions = indexNames.map((IndexName) => expect.objectContaining({ IndexName }));

  test('write the definition of a table to import, with all indexes', () => {
    const { TableName, KeySchema, GlobalSecondaryIndexes, SSESpecification } = run(
      'docs/operate/move.md',
      'new',
      'key',
    );
    expect(TableName).toBe('new');
    expect(KeySchema).toEqual(table().Properties.KeySchema);
    expect(GlobalSecondaryIndexes).toEqual(definitions);
    expect(SSESpecification).toEqual({ Enabled: true, SSEType: 'KMS', KMSMasterKeyId: 'key' });
  });

  test('write the definition of an index to create', () => {
    const { TableName, AttributeDefinitions, GlobalSecondaryIndexUpdates } = run(
      'docs/operate/upgrade.md',
      'old',
      'due',
    );
    expect(TableName).toBe('old');
    expect(AttributeDefinitions).toEqual(table().Properties.AttributeDefinitions);
    const [{ Create }, ...others] = GlobalSecondaryIndexUpdates;
    expect(others).toEqual([]);
    expect(table().Properties.GlobalSecondaryIndexes).toContainEqual(Create);
  });
});

describe('restored table', () => {
  test('is used in place of the original table, which does not change', async () => {
    const stream = 'arn:aws:dynamodb:eu-central-1:123456789012:table/holdfast-restored/stream/2026-11-21T08:00:00.000';
    const restored = await assemble({ restoredTable: { name: 'holdfast-restored', streamArn: stream } });

    expect(restored.data).toEqual(assembly.data);
    expect(functionsOf(restored.api).get('workspaces')?.Properties.Environment.Variables.TABLE_NAME).toBe(
      'holdfast-restored',
    );
    const policies = JSON.stringify([...resourcesOf(restored.api, 'AWS::IAM::Policy').values()]);
    expect(policies).toContain(':table/holdfast-restored');
    // Only the command after-restore compares with the original table.
    const original = [
      ...policies.matchAll(
        /"Action":([^{}]*?),"Effect":"Allow","Resource":\{"Fn::ImportValue":"[^"]*FnGetAttTable[0-9A-F]{8}Arn/g,
      ),
    ];
    expect(original.map(([, action]) => action)).toEqual(['"dynamodb:BatchGetItem"']);
    const replaced = [...functionsOf(restored.api)].filter(
      ([, { Properties }]) => Properties.Environment?.Variables.REPLACED_TABLE_NAME !== undefined,
    );
    expect(replaced.map(([name]) => name)).toEqual(['admin']);
  });

  test('compares the table with the one that restoredTable.replaces names, after a second restore', async () => {
    const settings = readSettings({
      restoredTable: {
        name: 'third',
        streamArn: 'arn:aws:dynamodb:eu-central-1:123456789012:table/third/stream/2026-11-21T08:00:00.000',
        replaces: 'second',
      },
    });
    const app = await createApp({ isChecked: false });
    const { table } = new DataStack(app, 'Restored', { settings });
    expect(table.name).toBe('third');
    expect(table.replaced?.name).toBe('second');
    expect(table.replaced?.arn).toMatch(/:table\/second$/);
  });
});

describe('setting adopt', () => {
  const adopt = {
    tableName: 'old-data-TableCD117FA1-ABC',
    tableStreamArn:
      'arn:aws:dynamodb:eu-central-1:123456789012:table/old-data-TableCD117FA1-ABC/stream/2026-11-21T08:00:00.000',
    tableKeyArn: 'arn:aws:kms:eu-central-1:123456789012:key/table',
    bucketName: 'old-data-bucket43879c71-abc',
    bucketKeyArn: 'arn:aws:kms:eu-central-1:123456789012:key/bucket',
    secretsKeyArn: 'arn:aws:kms:eu-central-1:123456789012:key/secrets',
    fingerprintsKeyArn: 'arn:aws:kms:eu-central-1:123456789012:key/fingerprints',
  };
  let adopting: Assembly;
  beforeAll(async () => {
    adopting = await assemble({ adopt });
  });

  test('creates no table, no bucket and no key', () => {
    const types = Object.values(adopting.data.Resources).map(({ Type }) => Type);
    expect(new Set(types)).toEqual(new Set(['AWS::SSM::Parameter']));
    expect(adopting.data.Outputs).toMatchObject({ BucketName: { Value: adopt.bucketName } });
  });

  test('lets functions, permissions, streams and alarms use the retained resources, and imports nothing of the data stack', () => {
    const templates = templatesOf(adopting).map((template) => JSON.stringify(template));
    expect(templates.join()).not.toContain('holdfast-data:');
    const variables = (name: string) => functionsOf(adopting.api).get(name)?.Properties.Environment.Variables;
    expect(variables('variables')).toMatchObject({
      TABLE_NAME: adopt.tableName,
      BUCKET_NAME: adopt.bucketName,
      SECRETS_KEY_ARN: adopt.secretsKeyArn,
      FINGERPRINTS_KEY_ARN: adopt.fingerprintsKeyArn,
    });
    const policies = JSON.stringify([...resourcesOf(adopting.api, 'AWS::IAM::Policy').values()]);
    for (const resource of [adopt.tableKeyArn, adopt.bucketKeyArn, adopt.tableStreamArn, `:table/${adopt.tableName}`])
      expect(policies).toContain(resource);
    expect(policies).toContain(`:s3:::${adopt.bucketName}/states/*`);
    for (const { Properties } of resourcesOf(adopting.api, 'AWS::Lambda::EventSourceMapping').values())
      expect(Properties.EventSourceArn).toBe(adopt.tableStreamArn);
    expect(JSON.stringify(adopting.observability)).toContain(adopt.tableName);
  });

  test('rejects missing parts, other parts, and the stream of another table', () => {
    const { tableKeyArn, ...incomplete } = adopt;
    expect(() => readSettings({ adopt: incomplete })).toThrow('adopt.tableKeyArn is missing');
    expect(() => readSettings({ adopt: { ...adopt, alias: tableKeyArn } })).toThrow('adopt.alias is not a setting');
    expect(() => readSettings({ adopt: { ...adopt, tableName: 'another' } })).toThrow('not the ARN of a stream');
    expect(readSettings({ adopt: JSON.stringify(adopt) }).adopt).toEqual(adopt);
  });
});

test('what is deleted with the stacks is protected: the archive by termination protection', () => {
  expect(assembly.manifest.artifacts.Events.properties.terminationProtection).toBe(true);
  expect(theOnly(assembly.data, 'AWS::S3::BucketPolicy').DeletionPolicy).toMatch(/^Retain/);
});
