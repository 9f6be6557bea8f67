import type { Template } from './assembly.ts';

/** Property with the name that is unique in an account and region, by resource type. */
export const nameProperties: Readonly<Record<string, string>> = {
  'AWS::ApiGatewayV2::Api': 'Name',
  'AWS::CloudWatch::Alarm': 'AlarmName',
  'AWS::CloudWatch::Dashboard': 'DashboardName',
  'AWS::Events::Archive': 'ArchiveName',
  'AWS::Events::EventBus': 'Name',
  'AWS::Events::Rule': 'Name',
  'AWS::Lambda::Function': 'FunctionName',
  'AWS::Lambda::LayerVersion': 'LayerName',
  'AWS::Logs::LogGroup': 'LogGroupName',
  'AWS::SQS::Queue': 'QueueName',
  'AWS::SSM::Parameter': 'Name',
};

/** Lists the names and exports of templates that no other deployment in the account and region may have: `type name`. */
export const uniqueNames = (templates: readonly Template[]): string[] =>
  templates.flatMap(({ Resources, Outputs = {} }) => [
    ...Object.values(Resources).flatMap(({ Type, Properties }) => {
      const name = Properties?.[nameProperties[Type] ?? ''];
      return typeof name === 'string' ? [`${Type} ${name}`] : [];
    }),
    ...Object.values(Outputs).flatMap(({ Export }) => (Export === undefined ? [] : [`export ${Export.Name}`])),
  ]);
