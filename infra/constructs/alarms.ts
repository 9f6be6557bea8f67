/** A kind of alarm: its meaning, and what the operator does. */
export interface AlarmKind {
  readonly means: string;
  readonly act: string;
}

/**
 * All kinds of alarms, by name without the prefix of the deployment. `<function>`, `<index>`, `<reader>` (a function that
 * reads the stream) and `<job>` (a function with a schedule) are placeholders. The descriptions of the alarms and docs/operate/alarms.md are created from
 * this table.
 */
export const alarmKinds = {
  '<function>-errors': {
    means:
      'The function crashed or timed out. If it serves requests of the API, a caller got a 500 or 503 from API Gateway.',
    act: 'Search the log group of the function for level ERROR and for "Task timed out". Then check table-system-errors.',
  },
  'functions-throttles': {
    means:
      'Lambda throttled functions of this account and region, perhaps those of another application: the concurrency of the account or a reserved concurrency is used up.',
    act: 'Find the function in the metric Throttles by FunctionName. Raise the account quota for concurrent executions or the setting reservedConcurrency, or lower throttling.',
  },
  'api-slow': {
    means: 'One response in a hundred takes more than 80 % of the timeout of a function.',
    act: 'Check table-throttles. Find slow routes by responseLatency in the access log, and what they called in the log of their function by requestId. The setting tracing shows each call.',
  },
  'api-server-errors': {
    means: 'More than 1 % of the responses are 5xx.',
    act: 'Group the access log by functionStatus and routeKey: 503 means that the table rejects requests. Without a functionStatus, the function crashed or timed out.',
  },
  'api-few-server-errors': {
    means: 'A response was 5xx in five minutes with fewer than 20 requests.',
    act: 'Find the request in the access log by its status, then the log of its function by requestId.',
  },
  'table-throttles': {
    means:
      'DynamoDB throttles requests: a hot key, a read or write limit that was reached, or load that grows faster than the table scales.',
    act: 'Find the key in Contributor Insights and its meaning in docs/operate/scale.md. Check the setting maxRequestUnits.',
  },
  'table-system-errors': {
    means: 'DynamoDB returns internal errors. The service retries, then responds with 503.',
    act: 'Check the AWS Health Dashboard, and that the KMS key of the table is enabled. No data is lost, because writes are conditional.',
  },
  'table-conflicts': {
    means:
      'Many transactions conflict on the same items. The service retries each three times, then responds with 503.',
    act: 'Find the workspace or project that many callers change at once in the logs, and slow those callers down.',
  },
  'index-<index>-throttles': {
    means: 'The index is throttled. That throttles the writers of the table and delays lists.',
    act: 'Check the setting maxRequestUnits, which limits each index too. For the index list, find the organization in Contributor Insights of the index and make its clients poll less often. Create new organizations with more shards if they need them.',
  },
  'dead-letters': {
    means: 'An event could not be handled and lies in the dead-letter queue. It is not retried automatically.',
    act: 'Read the message: it contains the event and the reason. Fix the cause, send the event again or replay the archive, then delete the message.',
  },
  'table-key-denied': {
    means:
      'DynamoDB rejects every request, because the KMS key of the table is disabled, pending deletion or denied, or because the role of a function is denied access to the table.',
    act: 'Describe the key in the parameter table-key-arn. Enable it, or cancel its deletion and enable it. If it is enabled, compare its policy and the role of cleanup with the templates: deploy again. After seven days without its key, DynamoDB archives the table.',
  },
  '<job>-not-run': {
    means:
      'The function has a schedule, and CloudWatch knows no invocation of it: for 15 minutes if it runs every minute, for 30 hours if it runs every day.',
    act: 'Check that its rule in EventBridge is enabled, and the metrics FailedInvocations of the rule and Throttles of the function.',
  },
  'break-glass-used': {
    means: 'Somebody invoked a break-glass command of the function admin, which gives or takes access of people.',
    act: 'Find the command in the log of admin by its message "Break-glass command invoked", and compare it with a known incident. CloudTrail names the caller if it records invocations of the function.',
  },
  '<reader>-behind': {
    means:
      'The function that reads the stream of the table is more than ten minutes behind. Events (publish) or entries of the history (record-history) are late.',
    act: 'Search its log for the record that it retries. After twelve hours it sends the record to the dead-letter queue.',
  },
} as const satisfies Record<string, AlarmKind>;

export type AlarmKindName = keyof typeof alarmKinds;
