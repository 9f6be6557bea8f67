import { SendMessageCommand, SQSClient, type SQSClientConfig } from '@aws-sdk/client-sqs';

/** An event that could not be processed, with the reason. An operator can inspect and resend it. */
export interface DeadLetter {
  readonly reason: string;
  readonly event: unknown;
}

/** Stores a dead letter in the queue. A repeated call stores it twice. */
export type DeadLetters = (letter: DeadLetter) => Promise<void>;

/** Timeout of one attempt in milliseconds, so that a lost connection leaves time for another attempt. */
const REQUEST_MILLISECONDS = 3_000;
/** Maximum bytes of a letter; SQS accepts messages of up to 256 KB. */
const LONGEST = 250_000;

/** Characters that JSON allows but SQS rejects. */
const UNSENDABLE = /[\uFFFE\uFFFF]/g;

const serializeLetter = (letter: DeadLetter): string => {
  const text = JSON.stringify(letter).replaceAll(
    UNSENDABLE,
    (character) => `\\u${character.charCodeAt(0).toString(16)}`,
  );
  if (Buffer.byteLength(text) <= LONGEST) return text;
  const cut = JSON.stringify(letter.event).slice(0, LONGEST / 10);
  return JSON.stringify({ reason: `${letter.reason} (truncated: the event is too large for the queue)`, event: cut });
};

/** Opens the dead-letter queue with this URL. */
export const openDeadLetters = (url: string, client: SQSClientConfig = {}): DeadLetters => {
  const queue = new SQSClient({
    maxAttempts: 3,
    requestHandler: { connectionTimeout: 500, requestTimeout: REQUEST_MILLISECONDS, throwOnRequestTimeout: true },
    ...client,
  });
  return async (letter) => {
    await queue.send(new SendMessageCommand({ QueueUrl: url, MessageBody: serializeLetter(letter) }));
  };
};
