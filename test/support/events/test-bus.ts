import { createHash } from 'node:crypto';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';

/** What becomes of a call to the bus. */
export type Treatment =
  | 'taken'
  /** Refused as a whole, before anything of it is taken: for now, or for what is in it. */
  | 'throttled'
  | 'invalid'
  | 'broken'
  /** Taken, and nobody hears of it. */
  | 'lost'
  /** As many of its entries as that are refused for now, and the others taken. */
  | { readonly failing: (place: number) => string | undefined };

export interface Received {
  readonly source: string;
  readonly type: string;
  // biome-ignore lint/suspicious/noExplicitAny: tests look into events of every type.
  readonly detail: any;
}

interface PutEvents {
  readonly Entries: readonly {
    readonly EventBusName: string;
    readonly Source: string;
    readonly DetailType: string;
    readonly Detail: string;
  }[];
}

const TOTAL = 256 * 1024;

/** An EventBridge and an SQS of a test's own, by the protocols of their SDKs, that do to calls what the test says. */
export const startTestBus = async (treat: (events: readonly Received[]) => Treatment = () => 'taken') => {
  const received: Received[] = [];
  const letters: unknown[] = [];
  let isQueueClosed = false;
  let calls = 0;
  const server = createServer(async (incoming, outgoing) => {
    const body = JSON.parse(Buffer.concat(await incoming.toArray()).toString());
    const answer = (status: number, content: object) =>
      outgoing.writeHead(status, { 'content-type': 'application/x-amz-json-1.1' }).end(JSON.stringify(content));
    if (String(incoming.headers['x-amz-target']).endsWith('.SendMessage')) {
      if (isQueueClosed) return answer(400, { __type: 'com.amazonaws.sqs#QueueDoesNotExist', message: 'closed' });
      letters.push(JSON.parse(body.MessageBody));
      const digest = createHash('md5').update(body.MessageBody).digest('hex');
      return answer(200, { MessageId: String(letters.length), MD5OfMessageBody: digest });
    }
    calls += 1;
    const { Entries } = body as PutEvents;
    const refuse = (message: string) => answer(400, { __type: 'ValidationException', message });
    if (Entries.length > 10) return refuse('too many entries');
    const bytes = Entries.reduce((sum, { Detail }) => sum + Buffer.byteLength(Detail), 0);
    if (bytes > TOTAL) return refuse('Total size of the entries in the request is over the limit.');
    const events = Entries.map(({ Source, DetailType, Detail }) => ({
      source: Source,
      type: DetailType,
      detail: JSON.parse(Detail),
    }));
    const treatment = treat(events);
    if (treatment === 'invalid') return refuse('one of the entries is not valid');
    if (treatment === 'throttled') return answer(400, { __type: 'ThrottlingException', message: 'Rate exceeded' });
    if (treatment === 'broken') return answer(500, { __type: 'InternalException', message: 'broken' });
    const codes = events.map((_, place) => (typeof treatment === 'object' ? treatment.failing(place) : undefined));
    received.push(...events.filter((_, place) => codes[place] === undefined));
    if (treatment === 'lost') return outgoing.destroy();
    const results = codes.map((ErrorCode, place) =>
      ErrorCode === undefined ? { EventId: `${calls}-${place}` } : { ErrorCode, ErrorMessage: 'as the test wants it' },
    );
    return answer(200, { FailedEntryCount: codes.filter((code) => code !== undefined).length, Entries: results });
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const endpoint = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
  const credentials = { accessKeyId: 'local', secretAccessKey: 'local' };
  return {
    /** For the SDK's clients. */
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
