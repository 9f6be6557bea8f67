import { DEADLINE } from './deadline.ts';

/** Takes the place of the product's time limits of DynamoDB calls (`shared/store/dynamodb/time-limits.ts`) in tests. */
export const CONNECTION_MILLISECONDS = DEADLINE;
export const REQUEST_MILLISECONDS = DEADLINE;
export const READ_MILLISECONDS = DEADLINE;
export const RECORD_MILLISECONDS = DEADLINE;
