import { Logger } from '@aws-lambda-powertools/logger';

/** Log messages of all functions, by name. None contains a token or the value of a variable. */
export const messages = {
  REQUEST_COMPLETED: 'Request completed',
  REQUEST_REJECTED: 'Request rejected with a client error',
  REQUEST_FAILED: 'Request failed with an internal error',
  DATABASE_UNAVAILABLE: 'Request failed because DynamoDB did not respond in time',
  UNKNOWN_ITEM_VERSION: 'Request failed because a stored item has a schema version that this release does not read',
  FIRST_USE_UNREPORTED: 'First use of a token could not be reported and will be reported by a later request',
  REJECTION_UNRECORDED: 'Rejected request could not be recorded in the audit trail',
  SIGN_IN_REFUSED: 'Sign-in of a person at an identity provider refused',
  BREAK_GLASS_USED: 'Break-glass command invoked',
  CLEANUP_DONE: 'Cleanup run completed: deletions finished and destroy runs requested',
  CLEANUP_FAILED:
    'Cleanup of one item failed and will be retried: its deletion was not finished or its destroy run not requested',
  EVENT_REJECTED: 'Runner event rejected and sent to the dead-letter queue',
  EVENTS_PUBLISHED: 'Events published to EventBridge',
  EVENT_DELAYED: 'Event could not be published and will be retried',
  EVENT_UNDELIVERABLE: 'Event cannot be published and is sent to the dead-letter queue',
  HUB_EVENT_REJECTED: 'Event of a member rejected and sent to the dead-letter queue',
  HUB_GAP: 'Events of a workspace have not arrived although later ones have',
  HUB_SNAPSHOT_SENT: 'Part of a snapshot sent to the bus',
  HISTORY_RECORDED: 'Entries of the history written',
  HISTORY_DELAYED: 'Entry of the history could not be written and will be retried',
  HISTORY_UNRECORDED: 'Entry of the history cannot be written and is sent to the dead-letter queue',
  DEAD_LETTER_FAILED: 'Sending an event to the dead-letter queue failed',
  STATE_CONTENT_CHECKED: 'Uploaded content of a state version checked',
  RETENTION_DONE: 'Data retention run completed: expired state versions deleted',
  RETENTION_FAILED: 'Deleting the expired state versions of a workspace failed',
  SNAPSHOT_CREATED: 'Snapshot of a list index created',
  SNAPSHOT_UNUSABLE: 'Snapshot of a list index could not be read; its rows are read from DynamoDB',
  SNAPSHOT_REQUEST_FAILED: 'Requesting a snapshot of a list index failed',
  JOB_START_FAILED: 'Starting the worker of a bulk job failed; the cleanup starts it',
  JOB_STEP: 'Bulk job advanced',
  JOB_ENDED: 'Bulk job ended',
  JOB_FAILED: 'Bulk job failed',
  AUTOMATION_COMPLETED: 'Automation command completed',
  AUTOMATION_REJECTED: 'Automation command rejected with a client error',
} as const;

/** Creates the logger of a function. @param serviceName name of the function, logged as `service`. */
export const createLogger = (serviceName: string): Logger => new Logger({ serviceName });
export type { Logger };

/** Namespace of the metrics in CloudWatch. */
const NAMESPACE = 'Holdfast';

/**
 * Creates the builder of the members of a log line from which CloudWatch counts one event, in the embedded metric format. The
 * metric has one dimension, so a deployment pays for one metric, and only in hours with events.
 */
const counter =
  <N extends string>(name: N) =>
  (deployment: string, at: number) => ({
    _aws: {
      Timestamp: at,
      CloudWatchMetrics: [
        { Namespace: NAMESPACE, Dimensions: [['Deployment']], Metrics: [{ Name: name, Unit: 'Count' }] },
      ],
    },
    Deployment: deployment,
    [name]: 1,
  });

/**
 * Builds the members of a log line that counts one rejected attempt (HIST-17).
 * @param at time of the rejection, in milliseconds.
 */
export const rejectionMetric = counter('RefusedAttempts');

/**
 * Builds the members of a log line that counts one use of a break-glass command (ADMIN-5).
 * @param at time of the use, in milliseconds.
 */
export const breakGlassMetric = counter('BreakGlassUses');
