import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { Stack } from 'aws-cdk-lib';
import { Template } from 'aws-cdk-lib/assertions';
import { beforeAll, describe, expect, onTestFinished, test, vi } from 'vitest';
import { createApp } from '../../infra/build/synthesize.ts';
import { type FunctionResources, HoldfastFunction } from '../../infra/constructs/function.ts';
import { triggersIn } from '../../infra/constructs/triggers.ts';
import { readSettings } from '../../infra/settings/settings.ts';
import { changeRecordFilter } from '../../shared/store/dynamodb/table-definition.ts';
import { type Assembly, assemble, resourcesOf, theOnly } from '../support/local/assembly.ts';

let assembly: Assembly;
beforeAll(async () => {
  assembly = await assemble({ archiveDays: '90' });
});

describe('bus', () => {
  test('archives events of the service and of runners for the time in the settings', () => {
    expect(theOnly(assembly.events, 'AWS::Events::EventBus').Properties).toMatchObject({ Name: 'holdfast' });
    expect(theOnly(assembly.events, 'AWS::Events::Archive').Properties).toMatchObject({
      ArchiveName: 'holdfast',
      EventPattern: { source: ['holdfast', 'holdfast.runner'] },
      RetentionDays: 90,
    });
  });
});

describe('setting automations', () => {
  const automationRules = async (context: object) => {
    const { api } = await assemble(context as never);
    const rules = [...resourcesOf(api, 'AWS::Events::Rule').values()].map(({ Properties }) => Properties);
    return rules.filter(({ Targets }) => JSON.stringify(Targets[0].Arn).includes('automation'));
  };

  test('creates a rule for each automation, with the event id in the id of the command', async () => {
    const command = { command: 'lock', organization: 'acme', principal: 'freeze' };
    const rules = await automationRules({
      automations: [
        { name: 'Nightly', schedule: 'cron(0 22 ? * MON-FRI *)', command: { ...command, workspace: 'net' } },
        {
          name: 'After',
          on: { source: ['holdfast'], 'detail-type': ['workspace.unlocked'] },
          command: { ...command, workspace: '$.detail.workspace.id', tags: [{ key: 'by', value: '$.detail.type' }] },
        },
      ],
    });
    expect(rules).toHaveLength(3);
    expect(rules).toContainEqual(
      expect.objectContaining({
        EventPattern: { source: ['holdfast.commands'], 'detail-type': ['command'] },
        Targets: [expect.not.objectContaining({ InputPath: expect.anything(), InputTransformer: expect.anything() })],
      }),
    );
    const transformed = (schedule: string | undefined) =>
      rules.find(({ ScheduleExpression, Targets }) => ScheduleExpression === schedule && Targets[0].InputTransformer)
        .Targets[0].InputTransformer;
    expect(transformed('cron(0 22 ? * MON-FRI *)')).toEqual({
      InputPathsMap: { id: '$.id' },
      InputTemplate: JSON.stringify({ ...command, workspace: 'net', id: 'Nightly:<id>' }),
    });
    expect(transformed(undefined)).toEqual({
      InputPathsMap: { 'detail-type': '$.detail.type', 'detail-workspace-id': '$.detail.workspace.id', id: '$.id' },
      InputTemplate:
        '{"command":"lock","organization":"acme","principal":"freeze","workspace":<detail-workspace-id>,"tags":[{"key":"by","value":<detail-type>}],"id":"After:<id>"}',
    });
  });

  test('permits the rules of all automations with two permissions, because the policy of a function is limited', async () => {
    const { api } = await assemble({
      automations: Array.from({ length: 60 }, (_, index) => ({
        name: `a${index}`,
        ...(index % 2 === 0 ? { schedule: 'rate(1 day)' } : { on: { source: ['holdfast'] } }),
        command: { command: 'lock' },
      })),
    } as never);
    const permissions = [...resourcesOf(api, 'AWS::Lambda::Permission').values()]
      .map(({ Properties }) => JSON.stringify(Properties.SourceArn))
      .filter((source) => source.includes('holdfast-automation-*'));
    expect(permissions).toHaveLength(2);
    expect(permissions.join()).toMatch(/:rule\/holdfast-automation-\*.*:rule\/"?,?.*holdfast-automation-\*/);
    const names = [...resourcesOf(api, 'AWS::Events::Rule').values()].map(({ Properties }) => Properties.Name);
    expect(names).toContain('holdfast-automation-a0');
  });

  test.each([
    [{ name: 'a', command: { command: 'lock' } }],
    [{ name: 'a', schedule: 'daily', command: { command: 'lock' } }],
    [{ name: 'a', schedule: 'rate(1 day)', on: {}, command: { command: 'lock' } }],
    [{ name: 'a', schedule: 'rate(1 day)', command: { command: 'lock', id: 'mine' } }],
    [{ name: 'a', schedule: 'rate(1 day)', command: { command: 'lock', refusals: 'throw' } }],
    [{ name: 'a b', schedule: 'rate(1 day)', command: { command: 'lock' } }],
    [{ name: 'a', schedule: 'rate(1 day)', command: {} }],
    ['lock'],
  ])('rejects %j', (automation) => {
    expect(() => readSettings({ automations: [automation] })).toThrow(/automations is .* must be a list of/);
  });

  test('rejects duplicate names', () => {
    const automation = { name: 'a', schedule: 'rate(1 day)', command: { command: 'lock' } };
    expect(() => readSettings({ automations: [automation, automation] })).toThrow(/without duplicate names/);
  });
});

describe('dead-letter queue', () => {
  test('is encrypted, and keeps messages for 14 days', () => {
    expect(theOnly(assembly.events, 'AWS::SQS::Queue').Properties).toEqual({
      QueueName: 'holdfast-dead-letters',
      SqsManagedSseEnabled: true,
      MessageRetentionPeriod: 14 * 24 * 60 * 60,
    });
  });

  test('rejects requests without TLS, and accepts messages of rules in this account', () => {
    expect(theOnly(assembly.events, 'AWS::SQS::QueuePolicy').Properties.PolicyDocument.Statement).toEqual([
      expect.objectContaining({ Effect: 'Deny', Condition: { Bool: { 'aws:SecureTransport': 'false' } } }),
      expect.objectContaining({
        Effect: 'Allow',
        Action: 'sqs:SendMessage',
        Principal: { Service: 'events.amazonaws.com' },
        Condition: { StringEquals: { 'aws:SourceAccount': { Ref: 'AWS::AccountId' } } },
      }),
    ]);
  });
});

describe('triggersIn', () => {
  /** Synthesizes a stack with one function and the triggers that `work` adds, with all checks. */
  const stackWith = async (
    work: (triggers: ReturnType<typeof triggersIn>, target: HoldfastFunction<'cleanup'>) => void,
  ) => {
    const folder = mkdtempSync(join(tmpdir(), 'holdfast-triggers-'));
    onTestFinished(() => rmSync(folder, { recursive: true }));
    mkdirSync(join(folder, 'code'));
    writeFileSync(join(folder, 'code', 'index.mjs'), '');
    const app = await createApp({ outdir: join(folder, 'out') });
    const stack = new Stack(app, 'Triggers');
    const resources: FunctionResources = {
      table: {
        name: 'table',
        arn: 'arn:aws:dynamodb:eu-west-1:123456789012:table/table',
        keyArn: 'arn:aws:kms:eu-west-1:123456789012:key/table',
        streamArn: 'arn:aws:dynamodb:eu-west-1:123456789012:table/table/stream/now',
      },
      bucket: {
        name: 'bucket',
        arn: 'arn:aws:s3:::bucket',
        nameInFindings: 'arn:aws:s3:::bucket',
        keyArn: 'arn:aws:kms:eu-west-1:123456789012:key/bucket',
      },
      bus: { name: 'bus', arn: 'arn:aws:events:eu-west-1:123456789012:event-bus/bus' },
      deadLetters: {
        name: 'letters',
        url: 'https://sqs.eu-west-1.amazonaws.com/123456789012/letters',
        arn: 'arn:aws:sqs:eu-west-1:123456789012:letters',
      },
      secretsKeyArn: 'arn:aws:kms:eu-west-1:123456789012:key/secrets',
      fingerprintsKeyArn: 'arn:aws:kms:eu-west-1:123456789012:key/fingerprints',
    };
    const cleanup = new HoldfastFunction(stack, 'cleanup', {
      name: 'cleanup',
      code: join(folder, 'code'),
      environment: {
        TABLE_NAME: 'table',
        BULK_JOB_WORKER_FUNCTION: 'worker',
        BUCKET_NAME: 'bucket',
        HISTORY_DAYS: '400',
      },
      resources,
      settings: readSettings({}),
    });
    work(triggersIn(stack, resources), cleanup);
    vi.spyOn(console, 'error').mockImplementation(() => {});
    onTestFinished(() => void vi.restoreAllMocks());
    app.synth();
    const template = Template.fromStack(stack);
    return (type: string) => Object.values(template.findResources(type)).map(({ Properties }) => Properties);
  };
  const target = { 'Fn::GetAtt': [expect.stringMatching(/^cleanupFunction/), 'Arn'] };
  const letters = 'arn:aws:sqs:eu-west-1:123456789012:letters';

  test('onEvent creates a rule with retries, and sends events that fail to the dead-letter queue', async () => {
    const found = await stackWith(({ onEvent }, cleanup) => {
      onEvent('One', cleanup, 'one', { source: ['holdfast.runner'] });
      onEvent('Two', cleanup, 'two', { source: ['holdfast'] });
    });
    expect(found('AWS::Events::Rule')).toContainEqual(
      expect.objectContaining({
        EventBusName: 'bus',
        EventPattern: { source: ['holdfast.runner'] },
        Targets: [{ Id: 'Target0', Arn: target, DeadLetterConfig: { Arn: letters } }],
      }),
    );
    expect(found('AWS::Lambda::EventInvokeConfig')).toEqual([
      expect.objectContaining({ MaximumRetryAttempts: 2, DestinationConfig: { OnFailure: { Destination: letters } } }),
    ]);
    expect(found('AWS::Lambda::Permission')).toHaveLength(2);
    for (const permission of found('AWS::Lambda::Permission'))
      expect(permission).toMatchObject({ Principal: 'events.amazonaws.com', SourceArn: expect.anything() });
  });

  test('onObject creates a rule for objects with a key prefix', async () => {
    const found = await stackWith(({ onObject }, cleanup) =>
      onObject('Uploaded', cleanup, 'uploads', ['states/', 'readmes/']),
    );
    const [rule] = found('AWS::Events::Rule');
    expect(rule).toMatchObject({
      EventPattern: {
        source: ['aws.s3'],
        'detail-type': ['Object Created'],
        detail: { bucket: { name: ['bucket'] }, object: { key: [{ prefix: 'states/' }, { prefix: 'readmes/' }] } },
      },
    });
    expect(rule).not.toHaveProperty('EventBusName');
  });

  test('onStream reads the records that a filter selects, bisects failed batches, and discards records after twelve hours', async () => {
    const filters = [{ eventName: ['INSERT'] }, changeRecordFilter];
    const found = await stackWith(({ onStream }, cleanup) =>
      onStream('Changes', cleanup, { filters, parallelism: 10 }),
    );
    const [mapping] = found('AWS::Lambda::EventSourceMapping');
    expect(mapping).toMatchObject({
      EventSourceArn: 'arn:aws:dynamodb:eu-west-1:123456789012:table/table/stream/now',
      StartingPosition: 'TRIM_HORIZON',
      BatchSize: 100,
      BisectBatchOnFunctionError: true,
      FunctionResponseTypes: ['ReportBatchItemFailures'],
      MaximumRetryAttempts: 10_000,
      MaximumRecordAgeInSeconds: 43_200,
      DestinationConfig: { OnFailure: { Destination: letters } },
    });
    expect(mapping).toMatchObject({ ParallelizationFactor: 10 });
    const criteria = mapping?.['FilterCriteria'] as { Filters: { Pattern: string }[] };
    const [first, second] = criteria.Filters;
    expect(JSON.parse(first?.Pattern ?? '')).toEqual({ eventName: ['INSERT'] });
    expect(JSON.parse(second?.Pattern ?? '')).toEqual({
      eventName: ['INSERT', 'MODIFY'],
      dynamodb: { NewImage: { chg: { M: { id: { S: [{ exists: true }] } } } } },
    });
  });
});
