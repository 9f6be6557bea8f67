import { type AsyncInvokeConfig, defaultAsyncInvokeConfig } from '../assembly/event-resources.ts';
import { functionArn } from '../common/arns.ts';
import { openPersistentQueue, type QueueEntry } from '../common/persistent-queue.ts';
import type { Queues } from '../sqs/queues.ts';
import type { Functions } from './functions.ts';
import type { FunctionError } from './worker-protocol.ts';

export type AsyncInvoker = ReturnType<typeof openAsyncInvoker>;

/** An accepted event in its form on disk. */
interface AcceptedEvent {
  readonly functionName: string;
  readonly event: string;
  readonly acceptedAt: number;
  readonly attempts: number;
}

interface AsyncInvokerOptions {
  readonly functions: Pick<Functions, 'names' | 'invoke'>;
  readonly configs: ReadonlyMap<string, AsyncInvokeConfig>;
  readonly queues: Pick<Queues, 'send'>;
  readonly folder: string;
  /** Largest number of events of one function in progress. */
  readonly concurrency: number;
}

/** Lambda waits for minutes before it retries. A developer should not have to. */
const retryMillis = (attempts: number): number => 500 * 2 ** Math.min(attempts - 1, 6);

/**
 * Opens the asynchronous invocations of Lambda, with the queue of accepted events in a folder. An accepted event is handled,
 * or it is sent to the failure destination of its function.
 */
export const openAsyncInvoker = (options: AsyncInvokerOptions) => {
  const { functions, configs, queues, folder, concurrency } = options;
  const accepted = openPersistentQueue<AcceptedEvent>(folder);
  const waiting = new Map<string, QueueEntry<AcceptedEvent>[]>();
  const inProgress = new Map<string, number>();
  const timers = new Set<NodeJS.Timeout>();
  let pending = 0;
  let isOpen = false;

  const enqueue = (entry: QueueEntry<AcceptedEvent>): void => {
    const { functionName } = entry.value;
    const entries = waiting.get(functionName) ?? [];
    waiting.set(functionName, entries);
    entries.push(entry);
    handleWaiting(functionName);
  };

  const handleWaiting = (functionName: string): void => {
    const entries = waiting.get(functionName) ?? [];
    while (isOpen && entries.length > 0 && (inProgress.get(functionName) ?? 0) < concurrency) {
      const next = entries.shift();
      if (next) void handle(next);
    }
  };

  const enqueueLater = (entry: QueueEntry<AcceptedEvent>, millis: number): void => {
    const timer = setTimeout(() => {
      timers.delete(timer);
      enqueue(entry);
    }, millis);
    timers.add(timer.unref());
  };

  const remove = ({ name }: QueueEntry<AcceptedEvent>): void => {
    accepted.remove(name);
    pending -= 1;
  };

  const handle = async (entry: QueueEntry<AcceptedEvent>): Promise<void> => {
    const { name, value } = entry;
    const { functionName, event, acceptedAt } = value;
    inProgress.set(functionName, (inProgress.get(functionName) ?? 0) + 1);
    const outcome = await functions.invoke(functionName, event);
    inProgress.set(functionName, (inProgress.get(functionName) ?? 1) - 1);
    if (!isOpen) return;
    const { retries, maxAgeMillis, failureQueue } = configs.get(functionName) ?? defaultAsyncInvokeConfig;
    const isTooOld = Date.now() - acceptedAt > maxAgeMillis;
    if (outcome.kind === 'succeeded') remove(entry);
    else if (outcome.kind === 'throttled' && !isTooOld) enqueueLater(entry, retryMillis(1));
    else {
      const failed = { ...value, attempts: value.attempts + 1 };
      if (failed.attempts <= retries && !isTooOld) {
        accepted.replace(name, failed);
        enqueueLater({ name, value: failed }, retryMillis(failed.attempts));
      } else {
        const error = outcome.kind === 'failed' ? outcome : undefined;
        if (failureQueue !== undefined) queues.send(failureQueue, failureRecord(failed, isTooOld, error));
        remove(entry);
      }
    }
    handleWaiting(functionName);
  };

  for (const entry of accepted.all()) {
    // Another version of the application may not have the function any more.
    if (!functions.names.includes(entry.value.functionName)) accepted.remove(entry.name);
    else {
      pending += 1;
      enqueue(entry);
    }
  }

  return {
    /** Accepts an event. The event is on disk when the call returns. */
    accept: (functionName: string, event: string): void => {
      pending += 1;
      enqueue(accepted.add({ functionName, event, acceptedAt: Date.now(), attempts: 0 }));
    },
    /** Starts to handle events, first those that an earlier process accepted. */
    start: (): void => {
      isOpen = true;
      for (const functionName of waiting.keys()) handleWaiting(functionName);
    },
    /** Counts the events that are waiting or in progress. */
    pending: (): number => pending,
    /** Stops handling events. The next process repeats the invocations in progress, because their results are lost. */
    close: (): void => {
      isOpen = false;
      for (const timer of timers) clearTimeout(timer);
    },
  };
};

/** Creates the record that Lambda sends to a failure destination. */
const failureRecord = (
  { functionName, event, attempts }: AcceptedEvent,
  isTooOld: boolean,
  error: FunctionError | undefined,
): string =>
  JSON.stringify({
    version: '1.0',
    timestamp: new Date().toISOString(),
    requestContext: {
      functionArn: `${functionArn(functionName)}:$LATEST`,
      condition: isTooOld ? 'EventAgeExceeded' : 'RetriesExhausted',
      approximateInvokeCount: attempts,
    },
    requestPayload: JSON.parse(event),
    ...(error && {
      responseContext: { statusCode: 200, executedVersion: '$LATEST', functionError: 'Unhandled' },
      responsePayload: { errorType: error.errorType, errorMessage: error.errorMessage, trace: error.trace },
    }),
  });
