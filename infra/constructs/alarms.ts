/** One kind of alarm: what it says about the service, and what to do when it sounds. */
interface AlarmKind {
  readonly means: string;
  readonly act: string;
}

/**
 * Every kind of alarm, by its name without the deployment's prefix; `<function>`, `<index>` and `<reader>`
 * (a function that follows the stream) stand for each of them.
 * The alarms take their descriptions from here, and so does the README.
 */
export const alarmKinds = {
  '<function>-errors': {
    means: 'The function crashed or ran out of time: a caller got a 500 or 503 from API Gateway in place of an answer.',
    act: 'Look for level ERROR and for "Task timed out" in the log group of the function, then at table-system-errors.',
  },
  'functions-throttles': {
    means:
      'Lambda refused to run functions: the concurrency of the account in this region, or a reserved one, is used up.',
    act: 'See which in the metric Throttles by function; raise the account quota for concurrent executions or the setting reservedConcurrency, or lower throttlingRate.',
  },
  'api-slow': {
    means: 'One answer in a hundred takes more than 80 % of the time after which a function is cut off.',
    act: 'Compare with table-throttles; look at the slow traces in X-Ray.',
  },
  'api-server-errors': {
    means: 'More than 1 % of the answers are 5xx.',
    act: 'Group the access log by integrationStatus: 500 and 502 are a function failing, 503 is the table refusing.',
  },
  'table-throttles': {
    means: 'DynamoDB turns requests away: a hot key, a cost fuse that blew, or growth faster than its doubling.',
    act: 'Find the key in Contributor Insights, and what it stands for in docs/operate/scale.md; check the settings maxReadRequestUnits and maxWriteRequestUnits.',
  },
  'table-system-errors': {
    means: 'DynamoDB answers with errors of its own. The service retries, then answers 503.',
    act: 'Check the AWS Health Dashboard and that the key of the table is enabled; nothing is lost, writes are conditional.',
  },
  'table-conflicts': {
    means: 'Many transactions meet on the same items. The service retries each three times, then answers 503.',
    act: 'Look in the logs for the workspace or project that many callers change at once, and slow those callers down.',
  },
  'index-<index>-throttles': {
    means: 'The index cannot follow. A throttled index throttles the writers of the table and delays lists.',
    act: 'Find the organization in Contributor Insights of the index: npm run admin -- reshard-organization gives it more shards.',
  },
  'dead-letters': {
    means: 'An event could not be handled and lies in the dead-letter queue: nobody will look at it again by itself.',
    act: 'Read it: it holds the event and the reason. Mend that, send the event again or replay the archive, then delete it.',
  },
  '<reader>-behind': {
    means: 'The function that follows the stream of the table is more than ten minutes behind: events are late.',
    act: 'Look in its log for what it tries again and again. After twelve hours it gives up and sends it to dead-letters.',
  },
} as const satisfies Record<string, AlarmKind>;

export type AlarmKindName = keyof typeof alarmKinds;
