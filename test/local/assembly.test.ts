import { describe, expect, it } from 'vitest';
import { readAssembly } from '../../infra/local/assembly.ts';
import { temporaryFolder, thingsTable, writeAssembly } from './small-assembly.ts';

const echo = { code: 'export const handler = async (event) => event;' };

describe('a cloud assembly', () => {
  it('gives the functions with exactly the environment of the template, values from other stacks included', () => {
    const variables = {
      TABLE_NAME: { 'Fn::ImportValue': 'small-data:Table' },
      LITERAL: 'as it is',
      // biome-ignore lint/suspicious/noTemplateCurlyInString: a placeholder of CloudFormation
      SUBSTITUTED: { 'Fn::Sub': '${AWS::Region}/${AWS::StackName}' },
      JOINED: { 'Fn::Join': ['-', ['a', { Ref: 'echoFunction' }]] },
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
          SUBSTITUTED: 'us-east-1/small-api',
          JOINED: 'a-echo',
        },
      },
    ]);
    expect(functions[0]?.environment).not.toHaveProperty('LEFT_OUT');
  });

  it('gives the routes with the function behind each', () => {
    const { api } = readAssembly(
      writeAssembly({ functions: { echo }, routes: { 'GET /a/{id}': 'echo', $default: 'echo' } }),
    );
    expect(api.routes).toEqual([
      { key: 'GET /a/{id}', functionName: 'echo', timeoutMillis: 30_000 },
      { key: '$default', functionName: 'echo', timeoutMillis: 30_000 },
    ]);
  });

  it('gives the table with its keys, indexes, stream and time to live', () => {
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
      /cannot serve AWS::StepFunctions::StateMachine \(small-api\/Steps\)/,
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
  ])('refuses %s by name', (_, resources, line) => {
    const folder = writeAssembly({ functions: { echo }, resources });
    expect(() => readAssembly(folder)).toThrow(line);
  });

  it('refuses a folder that is none', () => {
    const folder = temporaryFolder();
    expect(() => readAssembly(folder)).toThrow(/^Not a cloud assembly/);
  });

  it('gives the schedules, with what each function is invoked with', () => {
    const rule = (properties: object) =>
      readAssembly(
        writeAssembly({
          functions: { echo },
          resources: { Rule: { Type: 'AWS::Events::Rule', Properties: properties } },
        }),
      ).schedules;
    const targets = [{ Arn: { 'Fn::GetAtt': ['echoFunction', 'Arn'] }, Id: 'one' }];
    const [schedule] = rule({ ScheduleExpression: 'rate(2 hours)', State: 'ENABLED', Targets: targets });
    expect(schedule).toMatchObject({ functionName: 'echo', everyMillis: 7_200_000 });
    expect(JSON.parse(schedule?.event() ?? '')).toMatchObject({ source: 'aws.events', detail: {} });
    expect(rule({ ScheduleExpression: 'rate(1 minute)', State: 'DISABLED', Targets: targets })).toEqual([]);
    expect(() => rule({ ScheduleExpression: 'cron(0 2 * * ? *)', Targets: targets })).toThrow(
      /no schedule of the form/,
    );
    expect(() => rule({ EventPattern: {}, ScheduleExpression: 'rate(1 day)', Targets: targets })).toThrow(
      /no schedule/,
    );
  });
});
