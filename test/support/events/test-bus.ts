import { createHash } from 'node:crypto';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';

/** Behavior of the test bus for a call. */
export type Treatment =
  | 'taken'
  /** The whole call is rejected: with a transient error, as invalid, or with an internal error. */
  | 'throttled'
  | 'invalid'
  | 'broken'
  /** The events are accepted, and the response is lost. */
  | 'lost'
  /** Single entries are rejected with an error code, and the others are accepted. */
  | { readonly failing: (place: number) => string | undefined };

/** An event that the test bus accepted. */
export interface Received {
  readonly source: string;
  readonly type: string;
  readonly resources: readonly string[];
  // biome-ignore lint/suspicious/noExplicitAny: tests look into events of every type.
  readonly detail: any;
}

interface PutEvents {
  readonly Entries: readonly {
    readonly EventBusName: string;
    readonly Source: string;
    readonly DetailType: string;
    readonly Detail: string;
    readonly Resources?: readonly string[];
  }[];
}

const MAX_REQUEST_BYTES = 256 * 1024;

/** Starts emulations of EventBridge and SQS for one test, whose behavior the test controls. */
export const startTestBus = async (treat: (events: readonly Received[]) => Treatment = () => 'taken') => {
  const received: Received[] = [];
  const letters: unknown[] = [];
  let isQueueClosed = false;
  let calls = 0;
  const server = createServer(async (incoming, outgoing) => {
    const body = JSON.parse(Buffer.concat(await incoming.toArray()).toString());
    const respond = (status: number, content: object) =>
      outgoing.writeHead(status, { 'content-type': 'application/x-amz-json-1.1' }).end(JSON.stringify(content));
    if (String(incoming.headers['x-amz-target']).endsWith('.SendMessage')) {
      if (isQueueClosed) return respond(400, { __type: 'com.amazonaws.sqs#QueueDoesNotExist', message: 'closed' });
      letters.push(JSON.parse(body.MessageBody));
      const digest = createHash('md5').update(body.MessageBody).digest('hex');
      return respond(200, { MessageId: String(letters.length), MD5OfMessageBody: digest });
    }
    calls += 1;
    const { Entries } = body as PutEvents;
    const reject = (message: string) => respond(400, { __type: 'ValidationException', message });
    if (Entries.length > 10) return reject('too many entries');
    const bytes = Entries.reduce((sum, { Detail }) => sum + Buffer.byteLength(Detail), 0);
    if (bytes > MAX_REQUEST_BYTES) return reject('Total size of the entries in the request is over the limit.');
    const events = Entries.map(({ Source, DetailType, Detail, Resources = [] }) => ({
      source: Source,
      resources: Resources,
      type: DetailType,
      detail: JSON.parse(Detail),
    }));
    const treatment = treat(events);
    if (treatment === 'invalid') return reject('one of the entries is not valid');
    if (treatment === 'throttled') return respond(400, { __type: 'ThrottlingException', message: 'Rate exceeded' });
    if (treatment === 'broken') return respond(500, { __type: 'InternalException', message: 'broken' });
    const codes = events.map((_, place) => (typeof treatment === 'object' ? treatment.failing(place) : undefined));
    received.push(...events.filter((_, place) => codes[place] === undefined));
    if (treatment === 'lost') return outgoing.destroy();
    const results = codes.map((ErrorCode, place) =>
      ErrorCode === undefined ? { EventId: `${calls}-${place}` } : { ErrorCode, ErrorMessage: 'requested by the test' },
    );
    return respond(200, { FailedEntryCount: codes.filter((code) => code !== undefined).length, Entries: results });
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const endpoint = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
  const credentials = { accessKeyId: 'local', secretAccessKey: 'local' };
  return {
    /** Configuration of SDK clients. */
    client: { endpoint, region: 'eu-central-1', credentials },
    queueUrl: `${endpoint}/000000000000/dead-letters`,
    received,
    letters,
    calls: () => calls,
    closeQueue: (isClosed: boolean) => {
      isQueueClosed = isClosed;
    },
    stop: async () => {
      server.closeAllConnections();
      await new Promise((resolve) => server.close(resolve));
    },
  };
};

export type TestBus = Awaited<ReturnType<typeof startTestBus>>;
