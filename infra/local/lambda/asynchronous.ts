import type { AsynchronousDefinition } from '../assembly/assembly-events.ts';
import { usualAsynchronous } from '../assembly/assembly-events.ts';
import { functionArn } from '../assembly/template.ts';
import type { Queues } from '../events/queues.ts';
import type { Functions } from './functions.ts';
import { openWaitingRoom, type Waiting } from './waiting-room.ts';

/** Lambda's asynchronous invocations: an event that was taken is handled, or ends where failures go. */
export interface Asynchronous {
  /** The event is on disk when this returns. */
  accept(functionName: string, event: string): void;
  /** Begins, with what an earlier run left behind. */
  start(): void;
  /** Events that wait or are being handled. */
  pending(): number;
  /** Begins no more; what is under way is begun again by the next run, as its end is not seen. */
  close(): void;
}

interface Invocation {
  readonly functionName: string;
  readonly event: string;
  readonly acceptedAt: number;
  readonly attempts: number;
}

interface AsynchronousOptions {
  readonly functions: Pick<Functions, 'names' | 'invoke'>;
  readonly definitions: ReadonlyMap<string, AsynchronousDefinition>;
  readonly queues: Pick<Queues, 'send'>;
  readonly folder: string;
  /** Events of one function that are handled at once. */
  readonly concurrency: number;
  /** How long after the nth attempt the next one comes; Lambda waits for minutes. */
  readonly retryMillis?: (attempts: number) => number;
}

/** Nobody at a laptop wants to wait for minutes. */
const soon = (attempts: number): number => 500 * 2 ** Math.min(attempts - 1, 6);

export const openAsynchronous = (options: AsynchronousOptions): Asynchronous => {
  const { functions, definitions, queues, folder, concurrency, retryMillis = soon } = options;
  const room = openWaitingRoom<Invocation>(folder);
  const lines = new Map<string, Waiting<Invocation>[]>();
  const busy = new Map<string, number>();
  const timers = new Set<NodeJS.Timeout>();
  let pending = 0;
  let isOpen = false;

  const enqueue = (waiting: Waiting<Invocation>): void => {
    const { functionName } = waiting.value;
    const line = lines.get(functionName) ?? [];
    lines.set(functionName, line);
    line.push(waiting);
    advance(functionName);
  };

  const advance = (functionName: string): void => {
    const line = lines.get(functionName) ?? [];
    while (isOpen && line.length > 0 && (busy.get(functionName) ?? 0) < concurrency) {
      const next = line.shift();
      if (next) void handle(next);
    }
  };

  const later = (waiting: Waiting<Invocation>, millis: number): void => {
    const timer = setTimeout(() => {
      timers.delete(timer);
      enqueue(waiting);
    }, millis);
    timers.add(timer.unref());
  };

  const settle = ({ name }: Waiting<Invocation>): void => {
    room.remove(name);
    pending -= 1;
  };

  const handle = async (waiting: Waiting<Invocation>): Promise<void> => {
    const { name, value } = waiting;
    const { functionName, event, acceptedAt } = value;
    busy.set(functionName, (busy.get(functionName) ?? 0) + 1);
    const outcome = await functions.invoke(functionName, event);
    busy.set(functionName, (busy.get(functionName) ?? 1) - 1);
    if (!isOpen) return;
    const { retries, patienceMillis, failures } = definitions.get(functionName) ?? usualAsynchronous;
    const isOld = Date.now() - acceptedAt > patienceMillis;
    if (outcome.kind === 'answered') settle(waiting);
    else if (outcome.kind === 'throttled' && !isOld) later(waiting, retryMillis(1));
    else {
      const failed = { ...value, attempts: value.attempts + 1 };
      if (failed.attempts <= retries && !isOld) {
        room.replace(name, failed);
        later({ name, value: failed }, retryMillis(failed.attempts));
      } else {
        const why = outcome.kind === 'failed' ? outcome : undefined;
        if (failures !== undefined) queues.send(failures, letterOf(failed, isOld, why));
        settle(waiting);
      }
    }
    advance(functionName);
  };

  // What an earlier run left behind.
  for (const waiting of room.all()) {
    // A function that an earlier version had, and this one has not, can never take its events.
    if (!functions.names.includes(waiting.value.functionName)) room.remove(waiting.name);
    else {
      pending += 1;
      enqueue(waiting);
    }
  }

  return {
    accept: (functionName, event) => {
      pending += 1;
      enqueue(room.add({ functionName, event, acceptedAt: Date.now(), attempts: 0 }));
    },
    start: () => {
      isOpen = true;
      for (const functionName of lines.keys()) advance(functionName);
    },
    pending: () => pending,
    close: () => {
      isOpen = false;
      for (const timer of timers) clearTimeout(timer);
    },
  };
};

/** What Lambda sends to the destination of failures. */
const letterOf = (
  { functionName, event, attempts }: Invocation,
  isOld: boolean,
  failure: { readonly errorType: string; readonly errorMessage: string; readonly trace: readonly string[] } | undefined,
): string =>
  JSON.stringify({
    version: '1.0',
    timestamp: new Date().toISOString(),
    requestContext: {
      functionArn: `${functionArn(functionName)}:$LATEST`,
      condition: isOld ? 'EventAgeExceeded' : 'RetriesExhausted',
      approximateInvokeCount: attempts,
    },
    requestPayload: JSON.parse(event),
    ...(failure && {
      responseContext: { statusCode: 200, executedVersion: '$LATEST', functionError: 'Unhandled' },
      responsePayload: {
        errorType: failure.errorType,
        errorMessage: failure.errorMessage,
        trace: failure.trace,
      },
    }),
  });
