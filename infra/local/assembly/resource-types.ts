import { PlainError } from '../gateway/plain-error.ts';

/** What the local service runs. */
const served: ReadonlySet<string> = new Set([
  'AWS::ApiGatewayV2::Api',
  'AWS::ApiGatewayV2::Integration',
  'AWS::ApiGatewayV2::Route',
  'AWS::DynamoDB::GlobalTable',
  'AWS::DynamoDB::Table',
  'AWS::Events::Archive',
  'AWS::Events::EventBus',
  'AWS::Events::Rule',
  'AWS::KMS::Key',
  'AWS::Lambda::EventInvokeConfig',
  'AWS::Lambda::EventSourceMapping',
  'AWS::Lambda::Function',
  'AWS::S3::Bucket',
  'AWS::SQS::Queue',
]);

/** What a service on one computer does without, each with the reason. */
const needsNothingHere: Readonly<Record<string, string>> = {
  'AWS::ApiGatewayV2::ApiMapping': 'there is no custom domain here',
  'AWS::ApiGatewayV2::DomainName': 'there is no custom domain here',
  'AWS::ApiGatewayV2::Stage': 'the one stage is served at the root; throttling and access logs are for the internet',
  'AWS::CDK::Metadata': 'it describes the CDK, not the service',
  'AWS::CertificateManager::Certificate': 'there is no TLS on the loopback interface',
  'AWS::CloudWatch::Alarm': 'nobody is on call for a laptop',
  'AWS::CloudWatch::CompositeAlarm': 'nobody is on call for a laptop',
  'AWS::CloudWatch::Dashboard': 'metrics are lines of the function log',
  'AWS::IAM::ManagedPolicy': 'whoever can reach the loopback interface may call everything',
  'AWS::IAM::Policy': 'whoever can reach the loopback interface may call everything',
  'AWS::IAM::Role': 'whoever can reach the loopback interface may call everything',
  'AWS::KMS::Alias': 'keys are called by their ARNs',
  'AWS::Lambda::Permission': 'whoever can reach the loopback interface may call everything',
  'AWS::Logs::LogGroup': 'functions log to one file of bounded size',
  'AWS::Logs::MetricFilter': 'metrics are lines of the function log',
  'AWS::Logs::QueryDefinition': 'the function log is a file to search',
  'AWS::Logs::ResourcePolicy': 'functions log to one file of bounded size',
  'AWS::Route53::RecordSet': 'there is no custom domain here',
  'AWS::S3::BucketPolicy': 'whoever can reach the loopback interface may call everything',
  'AWS::SNS::Subscription': 'alarms go nowhere here',
  'AWS::SNS::Topic': 'alarms go nowhere here',
  'AWS::SNS::TopicPolicy': 'alarms go nowhere here',
  'AWS::SQS::QueuePolicy': 'whoever can reach the loopback interface may call everything',
};

/** @throws PlainError naming the first type that can neither be served nor done without. */
export const requireKnownType = (type: string, resource: string): void => {
  if (served.has(type) || type in needsNothingHere) return;
  throw new PlainError(`The local service cannot serve ${type} (${resource}); teach infra/local about it first`);
};
