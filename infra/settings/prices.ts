/**
 * AWS prices in US dollars for us-east-1. Check them against the pricing pages, and replace them for other regions. `free`
 * is the permanent monthly free tier of an account; offers for new accounts are not included.
 */
export interface Price {
  readonly service: Service;
  readonly dollars: number;
  /** Number of units that the price covers. */
  readonly per: number;
  readonly unit: string;
  readonly free: number;
  /** Pricing page. */
  readonly page: string;
  /** Month in which the price was recorded. */
  readonly recorded: string;
}

export type Service =
  | 'DynamoDB'
  | 'Lambda'
  | 'API Gateway'
  | 'EventBridge'
  | 'S3'
  | 'KMS'
  | 'CloudWatch'
  | 'X-Ray'
  | 'data transfer';

const MILLION = 1_000_000;
/** Change it together with the prices that are checked again. */
const RECORDED = '2026-11';
const pages = {
  dynamodb: 'https://aws.amazon.com/dynamodb/pricing/on-demand/',
  lambda: 'https://aws.amazon.com/lambda/pricing/',
  gateway: 'https://aws.amazon.com/api-gateway/pricing/',
  eventbridge: 'https://aws.amazon.com/eventbridge/pricing/',
  s3: 'https://aws.amazon.com/s3/pricing/',
  kms: 'https://aws.amazon.com/kms/pricing/',
  cloudwatch: 'https://aws.amazon.com/cloudwatch/pricing/',
  xray: 'https://aws.amazon.com/xray/pricing/',
  transfer: 'https://aws.amazon.com/ec2/pricing/on-demand/',
} as const;

const price = (
  service: Service,
  dollars: number,
  per: number,
  unit: string,
  page: keyof typeof pages,
  free = 0,
): Price => ({ service, dollars, per, unit, free, page: pages[page], recorded: RECORDED });

export const prices = {
  readUnits: price('DynamoDB', 0.125, MILLION, 'read request unit', 'dynamodb'),
  writeUnits: price('DynamoDB', 0.625, MILLION, 'write request unit', 'dynamodb'),
  tableStorage: price('DynamoDB', 0.25, 1, 'GB of table, per month', 'dynamodb', 25),
  recovery: price('DynamoDB', 0.2, 1, 'GB of point-in-time recovery, per month', 'dynamodb'),
  /** Calls of Lambda to the stream are free. */
  streamReads: price('DynamoDB', 0.02, 100_000, 'stream read by consumers other than Lambda', 'dynamodb'),
  invocations: price('Lambda', 0.2, MILLION, 'invocation', 'lambda', MILLION),
  computing: price('Lambda', 0.0000133334, 1, 'GB-second on arm64', 'lambda', 400_000),
  provisioned: price('Lambda', 0.0000033334, 1, 'GB-second of provisioned concurrency on arm64', 'lambda'),
  /** Requests of up to 512 KB each. */
  httpRequests: price('API Gateway', 1, MILLION, 'request of an HTTP API', 'gateway'),
  /** Events of up to 64 KB each. */
  customEvents: price('EventBridge', 1, MILLION, 'event put on a bus', 'eventbridge'),
  /** Events of a bucket are opt-in events of AWS services. Other events of AWS services are free. */
  bucketEvents: price('EventBridge', 1, MILLION, 'event of the bucket', 'eventbridge'),
  archiving: price('EventBridge', 0.1, 1, 'GB put into an archive', 'eventbridge'),
  archiveStorage: price('EventBridge', 0.023, 1, 'GB of archive, per month', 'eventbridge'),
  objectWrites: price('S3', 0.005, 1_000, 'object written or listed', 's3'),
  objectReads: price('S3', 0.0004, 1_000, 'object read', 's3'),
  objectStorage: price('S3', 0.023, 1, 'GB of objects, per month', 's3'),
  keys: price('KMS', 1, 1, 'KMS key, per month; each of the first two rotations adds the same amount', 'kms'),
  keyRequests: price('KMS', 0.03, 10_000, 'KMS request', 'kms', 20_000),
  logs: price('CloudWatch', 0.5, 1, 'GB of log ingestion', 'cloudwatch', 5),
  alarmMetrics: price('CloudWatch', 0.1, 1, 'alarm metric, per month', 'cloudwatch', 10),
  /** Charged for the hours in which the metric has data. */
  customMetrics: price('CloudWatch', 0.3, 1, 'custom metric, per month', 'cloudwatch', 10),
  dashboards: price('CloudWatch', 3, 1, 'dashboard, per month', 'cloudwatch', 3),
  contributorRules: price('CloudWatch', 0.5, 1, 'Contributor Insights rule, per month', 'cloudwatch', 1),
  contributorEvents: price(
    'CloudWatch',
    0.03,
    MILLION,
    'event that a Contributor Insights rule of DynamoDB matches',
    'cloudwatch',
  ),
  traces: price('X-Ray', 5, MILLION, 'trace recorded', 'xray', 100_000),
  bytesOut: price('data transfer', 0.09, 1, 'GB out to the internet', 'transfer', 100),
} as const satisfies Record<string, Price>;

export type PriceName = keyof typeof prices;
