import { EventBridgeClient, type EventBridgeClientConfig, PutEventsCommand } from '@aws-sdk/client-eventbridge';
import { isTransientError } from '../lib/transient-errors.ts';

/** An event as it goes on the bus. */
export interface Entry {
  readonly type: string;
  /** JSON. */
  readonly detail: string;
  /** When it happened, in milliseconds. */
  readonly time: number;
}

/**
 * Refused: the bus will never take this very event. Busy: it takes none now, or not so many. Failed: it did not take this
 * one, and does not say that it never will.
 */
export type Outcome =
  | { readonly kind: 'sent' }
  | { readonly kind: 'busy' | 'failed' | 'refused'; readonly reason: string };

export interface Bus {
  /** Sends some events in one call, as many as `packed` puts together; each has an outcome of its own. */
  readonly send: (entries: readonly Entry[]) => Promise<readonly Outcome[]>;
}

const SOURCE = 'holdfast';

/** Of one call: entries, and bytes in all. One event alone may have as many. */
const ENTRIES = 10;
const BYTES = 256 * 1024;
/** What EventBridge counts for the time of an event. */
const TIME_BYTES = 14;
const REQUEST_MILLISECONDS = 3_000;

const entrySize = ({ type, detail }: Entry): number =>
  TIME_BYTES + Buffer.byteLength(SOURCE) + Buffer.byteLength(type) + Buffer.byteLength(detail);

/** What one call takes, of what is to be sent, from the first on; the first is in it whatever its size. */
export const splitIntoCalls = <T>(all: readonly T[], entryOf: (one: T) => Entry): readonly (readonly T[])[] => {
  const calls: T[][] = [];
  let bytes = 0;
  for (const one of all) {
    const call = calls.at(-1);
    const size = entrySize(entryOf(one));
    if (call === undefined || call.length === ENTRIES || bytes + size > BYTES) {
      calls.push([one]);
      bytes = size;
    } else {
      call.push(one);
      bytes += size;
    }
  }
  return calls;
};

/** What EventBridge says where the event itself is at fault: it would say so again. */
const faults = new Set([
  'InvalidArgument',
  'MalformedDetail',
  'RedactionFailure',
  'ValidationException',
  'ValidationError',
]);

const classifyFailure = (code: string) =>
  faults.has(code) ? 'refused' : /Throttling|LimitExceeded/.test(code) ? 'busy' : 'failed';

const tooLarge: Outcome = { kind: 'refused', reason: `The event is larger than ${BYTES} bytes` };

export const openBus = (name: string, client: EventBridgeClientConfig = {}): Bus => {
  // The one who publishes waits and tries again by its own rules.
  const bridge = new EventBridgeClient({
    maxAttempts: 1,
    requestHandler: { connectionTimeout: 1_000, requestTimeout: REQUEST_MILLISECONDS, throwOnRequestTimeout: true },
    ...client,
  });

  const put = async (entries: readonly Entry[]): Promise<readonly Outcome[]> => {
    const output = await bridge.send(
      new PutEventsCommand({
        Entries: entries.map(({ type, detail, time }) => ({
          EventBusName: name,
          Source: SOURCE,
          DetailType: type,
          Detail: detail,
          Time: new Date(time),
        })),
      }),
      { abortSignal: AbortSignal.timeout(REQUEST_MILLISECONDS) },
    );
    return entries.map((_, index) => {
      const { EventId, ErrorCode, ErrorMessage } = output.Entries?.[index] ?? {};
      if (EventId !== undefined && ErrorCode === undefined) return { kind: 'sent' };
      const reason = `${ErrorCode ?? 'No outcome'}: ${ErrorMessage ?? 'the bus says nothing of this event'}`;
      return { kind: classifyFailure(ErrorCode ?? ''), reason };
    });
  };

  const send: Bus['send'] = async (entries) => {
    const [only] = entries;
    if (entries.length === 1 && only !== undefined && entrySize(only) > BYTES) return [tooLarge];
    try {
      return await put(entries);
    } catch (error) {
      const { name: code, message } = error as Error;
      const reason = `${code}: ${message}`;
      const isAtFault = !isTransientError(error) && faults.has(code);
      // One of them is at fault, and all are refused for it.
      if (isAtFault && entries.length > 1) return (await Promise.all(entries.map((entry) => send([entry])))).flat();
      return entries.map(() => ({ kind: isAtFault ? 'refused' : 'busy', reason }));
    }
  };
  return { send };
};
