import { Logger } from '@aws-lambda-powertools/logger';

/** Every line that a function logs, by name: a runbook can be searched with it. None carries a token or a value. */
export const messages = {
  REQUEST_ANSWERED: 'Request answered',
  REQUEST_REFUSED: 'Request refused',
  REQUEST_FAILED: 'Request failed by a fault of ours',
  DATABASE_BUSY: 'The database gave no answer in time',
  CLEANUP_DONE: 'Deletions finished, and destroy runs asked for',
  CLEANUP_FAILED: 'A deletion could not be finished, or a destroy run not asked for',
  EVENT_REFUSED: 'An event of a runner went to the dead letters',
  EVENTS_PUBLISHED: 'Events published',
  EVENT_DELAYED: 'An event could not be sent now',
  EVENT_UNDELIVERABLE: 'An event can never be sent',
  DEAD_LETTER_LOST: 'The dead-letter queue took nothing',
  STATE_LOOKED_FOR: 'The content of a state version was looked for',
  RETENTION_DONE: 'Data retention policies applied to state versions',
  RETENTION_FAILED: 'A state version could not be deleted',
  SNAPSHOT_TAKEN: 'A snapshot of a list index was taken',
  SNAPSHOT_NOT_READ: 'A snapshot of a list index could not be read: its rows are read from the index',
  SNAPSHOT_NOT_ASKED_FOR: 'A snapshot of a list index could not be asked for',
  COMMAND_DONE: 'Administration command done',
  AUTOMATION_ANSWERED: 'Command of automation answered',
  AUTOMATION_REFUSED: 'Command of automation refused',
} as const;

export const createLogger = (serviceName: string): Logger => new Logger({ serviceName });
export type { Logger };
