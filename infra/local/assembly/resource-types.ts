import { PlainError } from '../../command-line.ts';

/** Resource types that the local service emulates. */
const emulated: ReadonlySet<string> = new Set([
  'AWS::ApiGatewayV2::Api',
  'AWS::ApiGatewayV2::Integration',
  'AWS::ApiGatewayV2::Route',
  'AWS::DynamoDB::GlobalTable',
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

/** Resource types, or the beginnings of several, that the local service ignores, with the reason. */
const ignored: Readonly<Record<string, string>> = {
  'AWS::ApiGatewayV2::ApiMapping': 'custom domains are not emulated',
  'AWS::ApiGatewayV2::DomainName': 'custom domains are not emulated',
  'AWS::ApiGatewayV2::Stage': 'the only stage is served at the root; throttling and access logs are not emulated',
  'AWS::CDK::Metadata': 'it describes the CDK, not the application',
  'AWS::CertificateManager::Certificate': 'there is no TLS on the loopback interface',
  'AWS::CloudWatch::': 'alarms are not emulated, and metrics are in the function log',
  'AWS::IAM::': 'any program on this computer may call everything',
  'AWS::KMS::Alias': 'functions refer to keys by their ARNs',
  'AWS::Lambda::Permission': 'any program on this computer may call everything',
  'AWS::Logs::': 'all functions log to one file, a text file that can be searched',
  'AWS::Route53::RecordSet': 'custom domains are not emulated',
  'AWS::S3::BucketPolicy': 'any program on this computer may call everything',
  'AWS::SNS::': 'alarms are not emulated',
  'AWS::SQS::QueuePolicy': 'any program on this computer may call everything',
  'AWS::SSM::Parameter': 'the data folder contains the endpoints',
};

/**
 * Verifies that a resource type is emulated or ignored.
 * @param resource stack and logical id, for the message.
 * @throws PlainError when the type is unknown.
 */
export const requireKnownType = (type: string, resource: string): void => {
  if (emulated.has(type) || Object.keys(ignored).some((start) => type.startsWith(start))) return;
  throw new PlainError(
    `The local service does not support ${type} (${resource}): see "Add a resource type" in infra/local/README.md`,
  );
};
