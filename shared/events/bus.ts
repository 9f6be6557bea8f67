import { EventBridgeClient, type EventBridgeClientConfig, PutEventsCommand } from '@aws-sdk/client-eventbridge';
import { isTransientError } from '../lib/transient-errors.ts';

/** An entry for EventBridge. */
export interface Entry {
  readonly type: string;
  /** Event as JSON. */
  readonly detail: string;
  /** Time of the change, in milliseconds since the epoch. */
  readonly time: number;
  /** EventBridge source; by default the source of changes. */
  readonly source?: string;
}

/**
 * Outcome for one entry. `refused`: the bus never accepts this event. `busy`: the bus accepts no events at the moment, or
 * fewer. `failed`: the bus did not accept this event; a repetition may succeed.
 */
export type Outcome =
  | { readonly kind: 'sent' }
  | { readonly kind: 'busy' | 'failed' | 'rejected'; readonly reason: string };

/** The event bus. */
export interface Bus {
  /** Sends a call from `splitIntoCalls`. Each entry has its own outcome. */
  readonly send: (entries: readonly Entry[]) => Promise<readonly Outcome[]>;
}

/** EventBridge source of changes. */
const CHANGES = 'holdfast';

/** Maximum number of entries and bytes of one call. A single event may have as many bytes. */
export const ENTRIES = 10;
const BYTES = 256 * 1024;
/** Bytes that EventBridge counts for the time of an entry. */
const TIME_BYTES = 14;
const REQUEST_MILLISECONDS = 3_000;

/** Longest name of a deployment, which is a resource of each entry. */
const RESOURCE_BYTES = 30;

const entrySize = ({ type, detail, source = CHANGES }: Entry): number =>
  TIME_BYTES + RESOURCE_BYTES + [source, type, detail].reduce((sum, text) => sum + Buffer.byteLength(text), 0);

/**
 * Splits elements into calls within the limits of EventBridge, in order. An entry that is too large gets a call of its own.
 * @param entryOf returns the entry of an element.
 */
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

/** Error codes of EventBridge for an invalid event. A repetition would fail again. */
const faults = new Set([
  'InvalidArgument',
  'MalformedDetail',
  'RedactionFailure',
  'ValidationException',
  'ValidationError',
]);

const classifyFailure = (code: string) =>
  faults.has(code) ? 'rejected' : /Throttling|LimitExceeded/.test(code) ? 'busy' : 'failed';

const tooLarge: Outcome = { kind: 'rejected', reason: `The event is larger than ${BYTES} bytes` };

/** Opens the event bus of the deployment with this name. */
export const openBus = (name: string, client: EventBridgeClientConfig = {}): Bus => {
  // The publisher has a retry policy of its own.
  const bridge = new EventBridgeClient({
    maxAttempts: 1,
    requestHandler: { connectionTimeout: 1_000, requestTimeout: REQUEST_MILLISECONDS, throwOnRequestTimeout: true },
    ...client,
  });

  const put = async (entries: readonly Entry[]): Promise<readonly Outcome[]> => {
    const output = await bridge.send(
      new PutEventsCommand({
        Entries: entries.map(({ type, detail, time, source = CHANGES }) => ({
          EventBusName: name,
          Source: source,
          // The hub tells the deployments of one account and region apart by it (EVENT-19).
          Resources: [name],
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
      const reason = `${ErrorCode ?? 'No outcome'}: ${ErrorMessage ?? 'the bus returned no result for this event'}`;
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
      // One invalid entry makes EventBridge reject the whole call.
      if (isAtFault && entries.length > 1) return (await Promise.all(entries.map((entry) => send([entry])))).flat();
      return entries.map(() => ({ kind: isAtFault ? 'rejected' : 'busy', reason }));
    }
  };
  return { send };
};
