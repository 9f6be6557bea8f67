import { describe, expect, it } from 'vitest';
import { readAssembly } from '../../../infra/local/assembly/assembly.ts';
import { temporaryFolder, thingsTable, writeAssembly } from '../../support/local/small-assembly.ts';

const echo = { code: 'export const handler = async (event) => event;' };

describe('readAssembly', () => {
  it('reads functions with exactly the environment of the template, including values of other stacks', () => {
    const variables = {
      TABLE_NAME: { 'Fn::ImportValue': 'small-data:Table' },
      LITERAL: 'as it is',
      JOINED: { 'Fn::Join': ['-', ['a', { Ref: 'echoFunction' }, { Ref: 'AWS::Region' }]] },
      LEFT_OUT: { Ref: 'AWS::NoValue' },
    };
    const { functions } = readAssembly(
      writeAssembly({
        functions: { echo: { ...echo, properties: { Timeout: 7, Environment: { Variables: variables } } } },
        table: thingsTable,
      }),
    );
    expect(functions).toMatchObject([
      {
        name: 'echo',
        handler: 'index.handler',
        memorySize: 256,
        timeoutSeconds: 7,
        environment: {
          TABLE_NAME: 'things',
          LITERAL: 'as it is',
          JOINED: 'a-echo-us-east-1',
        },
      },
    ]);
    expect(functions[0]?.environment).not.toHaveProperty('LEFT_OUT');
  });

  it('reads routes with their functions', () => {
    const { api } = readAssembly(
      writeAssembly({ functions: { echo }, routes: { 'GET /a/{id}': 'echo', $default: 'echo' } }),
    );
    expect(api.routes).toEqual([
      { key: 'GET /a/{id}', functionName: 'echo', timeoutMillis: 30_000 },
      { key: '$default', functionName: 'echo', timeoutMillis: 30_000 },
    ]);
  });

  it('reads the table with its keys, indexes, stream and time to live', () => {
    const { tables } = readAssembly(writeAssembly({ functions: {}, table: thingsTable }));
    expect(tables).toEqual([
      {
        name: 'things',
        attributes: thingsTable.AttributeDefinitions,
        keys: thingsTable.KeySchema,
        indexes: thingsTable.GlobalSecondaryIndexes,
        streamView: 'NEW_AND_OLD_IMAGES',
        timeToLiveAttribute: 'ttl',
      },
    ]);
  });

  it.each([
    [
      'a resource of an unknown type',
      { Steps: { Type: 'AWS::StepFunctions::StateMachine' } },
      /does not support AWS::StepFunctions::StateMachine \(small-api\/Steps\)/,
    ],
    [
      'a stage that is not $default',
      { Beta: { Type: 'AWS::ApiGatewayV2::Stage', Properties: { StageName: 'beta' } } },
      /stage Beta is not \$default/,
    ],
    [
      'a route with an authorizer',
      {
        Closed: {
          Type: 'AWS::ApiGatewayV2::Route',
          Properties: { RouteKey: '$default', AuthorizationType: 'AWS_IAM' },
        },
      },
      /route Closed has an authorizer/,
    ],
  ])('rejects %s, and names it', (_, resources, line) => {
    const folder = writeAssembly({ functions: { echo }, resources });
    expect(() => readAssembly(folder)).toThrow(line);
  });

  it('rejects a folder that is not a cloud assembly', () => {
    const folder = temporaryFolder();
    expect(() => readAssembly(folder)).toThrow(/^Not a cloud assembly/);
  });

  it('reads schedules with the event of each function', () => {
    const rule = (properties: object) =>
      readAssembly(
        writeAssembly({
          functions: { echo },
          resources: { Rule: { Type: 'AWS::Events::Rule', Properties: properties } },
        }),
      ).schedules;
    const targets = [{ Arn: { 'Fn::GetAtt': ['echoFunction', 'Arn'] }, Id: 'one' }];
    const [schedule] = rule({ ScheduleExpression: 'rate(2 hours)', State: 'ENABLED', Targets: targets });
    expect(schedule).toMatchObject({ functionName: 'echo' });
    expect(schedule?.next(0)).toBe(7_200_000);
    expect(JSON.parse(schedule?.event() ?? '')).toMatchObject({ source: 'aws.events', detail: {} });
    const [withInput] = rule({
      ScheduleExpression: 'cron(0 2 * * ? *)',
      Targets: [{ ...targets[0], Input: '{"a":1}' }],
    });
    expect(withInput?.next(0)).toBe(7_200_000);
    expect(withInput?.event()).toBe('{"a":1}');
    expect(rule({ ScheduleExpression: 'rate(1 minute)', State: 'DISABLED', Targets: targets })).toEqual([]);
    expect(() => rule({ ScheduleExpression: 'every day', Targets: targets })).toThrow(
      /has a schedule that is not supported/,
    );
    expect(() => rule({ EventPattern: {}, ScheduleExpression: 'rate(1 day)', Targets: targets })).toThrow(
      /either a pattern or a schedule/,
    );
  });

  it('reads rules of buses with the input of each function', () => {
    const arn = { 'Fn::GetAtt': ['echoFunction', 'Arn'] };
    const rule = (Targets: object[], EventPattern: object = { source: ['a'] }) => ({
      Bus: { Type: 'AWS::Events::EventBus', Properties: { Name: 'ours' } },
      Rule: { Type: 'AWS::Events::Rule', Properties: { EventBusName: { Ref: 'Bus' }, EventPattern, Targets } },
    });
    const read = (resources: object) => readAssembly(writeAssembly({ functions: { echo }, resources }));
    const template = '{"command":"lock","workspace":<id>,"reason":"by <who>"}';
    const paths = { id: '$.detail.workspace.id', who: '$.detail.actor' };
    const { buses, rules } = read(
      rule([
        { Arn: arn, Id: 'whole' },
        { Arn: arn, Id: 'part', InputPath: '$.detail.workspace' },
        { Arn: arn, Id: 'transformed', InputTransformer: { InputTemplate: template, InputPathsMap: paths } },
      ]),
    );
    expect(buses).toEqual(['default', 'ours']);
    expect(rules).toMatchObject([{ bus: 'ours' }]);
    const event = { source: 'a', detail: { workspace: { id: 'ws-1' }, actor: 'the "boss"' } };
    expect(rules[0]?.matches(event)).toBe(true);
    expect(rules[0]?.targets.map(({ input }) => input(event))).toEqual([
      JSON.stringify(event),
      '{"id":"ws-1"}',
      '{"command":"lock","workspace":"ws-1","reason":"by the \\"boss\\""}',
    ]);
    expect(() => read(rule([], { source: [{ cidr: '10.0.0.0/8' }] }))).toThrow(
      /rule Rule has a pattern that is not supported/,
    );
    expect(() => read(rule([{ Arn: 'arn:aws:sns:us-east-1:1:topic', Id: 'x' }]))).toThrow(
      /not a function of the assembly/,
    );
  });

  it('reads event source mappings and failure destinations', () => {
    const functionArn = { 'Fn::GetAtt': ['echoFunction', 'Arn'] };
    const letters = { OnFailure: { Destination: { 'Fn::GetAtt': ['Letters', 'Arn'] } } };
    const read = (stream: unknown) =>
      readAssembly(
        writeAssembly({
          functions: { echo },
          table: thingsTable,
          resources: {
            Letters: { Type: 'AWS::SQS::Queue', Properties: { QueueName: 'letters', MessageRetentionPeriod: 60 } },
            Followed: {
              Type: 'AWS::Lambda::EventSourceMapping',
              Properties: {
                FunctionName: functionArn,
                EventSourceArn: stream,
                BatchSize: 7,
                MaximumRetryAttempts: 3,
                FunctionResponseTypes: ['ReportBatchItemFailures'],
                FilterCriteria: { Filters: [{ Pattern: '{"eventName":["INSERT"]}' }] },
                DestinationConfig: letters,
              },
            },
            Asynchronous: {
              Type: 'AWS::Lambda::EventInvokeConfig',
              Properties: {
                FunctionName: { Ref: 'echoFunction' },
                Qualifier: '$LATEST',
                MaximumRetryAttempts: 1,
                DestinationConfig: letters,
              },
            },
          },
        }),
      );
    const { queues, streams, asyncInvokeConfigs } = read(
      'arn:aws:dynamodb:us-east-1:000000000000:table/things/stream/local',
    );
    expect(queues).toEqual([{ name: 'letters', retentionSeconds: 60, visibilitySeconds: 30 }]);
    expect(streams).toMatchObject([
      {
        functionName: 'echo',
        table: 'things',
        batchSize: 7,
        bisectsOnError: false,
        reportsFailures: true,
        retries: 3,
        failureQueue: 'letters',
      },
    ]);
    expect(streams[0]?.filters.map((matches) => matches({ eventName: 'REMOVE' }))).toEqual([false]);
    expect(asyncInvokeConfigs.get('echo')).toEqual({ retries: 1, maxAgeMillis: 21_600_000, failureQueue: 'letters' });
    expect(() => read('arn:aws:kinesis:us-east-1:000000000000:stream/x')).toThrow(/is not the stream of a table/);
  });
});
