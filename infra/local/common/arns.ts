/** Region of every emulated resource. */
export const LOCAL_REGION = 'us-east-1';
/** Account id of every emulated resource. */
export const LOCAL_ACCOUNT = '000000000000';

/** Builds an ARN in the local region and account. */
export const localArn = (service: string, resource: string): string =>
  `arn:aws:${service}:${LOCAL_REGION}:${LOCAL_ACCOUNT}:${resource}`;

/** Builds the ARN of a Lambda function. */
export const functionArn = (name: string): string => localArn('lambda', `function:${name}`);
/** Builds the ARN of an EventBridge archive. */
export const archiveArn = (name: string): string => localArn('events', `archive/${name}`);
/** Builds the ARN of an EventBridge replay. */
export const replayArn = (name: string): string => localArn('events', `replay/${name}`);
/** Builds the ARN of an event bus. */
export const busArn = (name: string): string => localArn('events', `event-bus/${name}`);
/** Builds the ARN of an SQS queue. */
export const queueArn = (name: string): string => localArn('sqs', name);
/** Builds the ARN of a bucket. */
export const bucketArn = (name: string): string => `arn:aws:s3:::${name}`;
/** Builds the ARN of the stream of a table. A table has one stream here, and its name does not change. */
export const streamArn = (table: string): string => localArn('dynamodb', `table/${table}/stream/local`);

/** Placeholder for the origin of the SQS emulation, whose port is not known when an assembly is read. */
const QUEUE_ORIGIN_PLACEHOLDER = 'http://queues.invalid';

/** Builds the URL of an SQS queue, by default with a placeholder in place of its origin. */
export const queueUrl = (name: string, origin = QUEUE_ORIGIN_PLACEHOLDER): string =>
  `${origin}/${LOCAL_ACCOUNT}/${name}`;

/**
 * Replaces the placeholder in a queue URL by the origin of the SQS emulation; returns any other text unchanged. SQS
 * clients call the URL of a queue itself and ignore the endpoint in their environment.
 */
export const withQueueOrigin = (origin: string, text: string): string =>
  text.startsWith(`${QUEUE_ORIGIN_PLACEHOLDER}/`) ? origin + text.slice(QUEUE_ORIGIN_PLACEHOLDER.length) : text;
