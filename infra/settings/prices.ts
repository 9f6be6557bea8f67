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
  readonly page: string;
  /** Month in which the price was recorded. */
  readonly recorded: string;
}

const MILLION = 1_000_000;
/** Change it together with the prices that are checked again. */
const RECORDED = '2026-11';
/** Pricing pages. */
const pages = {
  DynamoDB: 'https://aws.amazon.com/dynamodb/pricing/on-demand/',
  Lambda: 'https://aws.amazon.com/lambda/pricing/',
  'API Gateway': 'https://aws.amazon.com/api-gateway/pricing/',
  EventBridge: 'https://aws.amazon.com/eventbridge/pricing/',
  S3: 'https://aws.amazon.com/s3/pricing/',
  KMS: 'https://aws.amazon.com/kms/pricing/',
  CloudWatch: 'https://aws.amazon.com/cloudwatch/pricing/',
  'X-Ray': 'https://aws.amazon.com/xray/pricing/',
  'data transfer': 'https://aws.amazon.com/ec2/pricing/on-demand/',
} as const;

export type Service = keyof typeof pages;

const price = (service: Service, dollars: number, per: number, unit: string, free = 0): Price => ({
  ...{ service, dollars, per, unit, free },
  page: pages[service],
  recorded: RECORDED,
});

export const prices = {
  readUnits: price('DynamoDB', 0.125, MILLION, 'read request unit'),
  writeUnits: price('DynamoDB', 0.625, MILLION, 'write request unit'),
  tableStorage: price('DynamoDB', 0.25, 1, 'GB of table, per month', 25),
  recovery: price('DynamoDB', 0.2, 1, 'GB of point-in-time recovery, per month'),
  /** Calls of Lambda to the stream are free. */
  streamReads: price('DynamoDB', 0.02, 100_000, 'stream read by consumers other than Lambda'),
  invocations: price('Lambda', 0.2, MILLION, 'invocation', MILLION),
  computing: price('Lambda', 0.0000133334, 1, 'GB-second on arm64', 400_000),
  provisioned: price('Lambda', 0.0000033334, 1, 'GB-second of provisioned concurrency on arm64'),
  /** Requests of up to 512 KB each. */
  httpRequests: price('API Gateway', 1, MILLION, 'request of an HTTP API'),
  /** Events of up to 64 KB each. */
  customEvents: price('EventBridge', 1, MILLION, 'event put on a bus'),
  /** Events of a bucket are opt-in events of AWS services. Other events of AWS services are free. */
  bucketEvents: price('EventBridge', 1, MILLION, 'event of the bucket'),
  archiving: price('EventBridge', 0.1, 1, 'GB put into an archive'),
  archiveStorage: price('EventBridge', 0.023, 1, 'GB of archive, per month'),
  objectWrites: price('S3', 0.005, 1_000, 'object written or listed'),
  objectReads: price('S3', 0.0004, 1_000, 'object read'),
  objectStorage: price('S3', 0.023, 1, 'GB of objects, per month'),
  keys: price('KMS', 1, 1, 'KMS key, per month; each of the first two rotations adds the same amount'),
  keyRequests: price('KMS', 0.03, 10_000, 'KMS request', 20_000),
  logs: price('CloudWatch', 0.5, 1, 'GB of log ingestion', 5),
  alarmMetrics: price('CloudWatch', 0.1, 1, 'alarm metric, per month', 10),
  /** Charged for the hours in which the metric has data. */
  customMetrics: price('CloudWatch', 0.3, 1, 'custom metric, per month', 10),
  dashboards: price('CloudWatch', 3, 1, 'dashboard, per month', 3),
  contributorRules: price('CloudWatch', 0.5, 1, 'Contributor Insights rule, per month', 1),
  contributorEvents: price('CloudWatch', 0.03, MILLION, 'event that a Contributor Insights rule of DynamoDB matches'),
  traces: price('X-Ray', 5, MILLION, 'trace recorded', 100_000),
  bytesOut: price('data transfer', 0.09, 1, 'GB out to the internet', 100),
} as const satisfies Record<string, Price>;

export type PriceName = keyof typeof prices;
