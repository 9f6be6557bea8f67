import { SendMessageCommand, SQSClient, type SQSClientConfig } from '@aws-sdk/client-sqs';

/** An event that nothing could be done with, whole, and why: for people to read, and to send again. */
export interface DeadLetter {
  readonly reason: string;
  readonly event: unknown;
}

/** Keeps a letter; resolves once it is kept. Repeating it keeps it twice. */
export type DeadLetters = (letter: DeadLetter) => Promise<void>;

/** One try, in milliseconds, so that a lost connection leaves time for another. */
const REQUEST_MILLISECONDS = 3_000;
/** SQS takes messages of up to 256 KB. */
const LONGEST = 250_000;

/** Two characters that JSON allows in a text, and SQS in no message. */
const UNSENDABLE = /[\uFFFE\uFFFF]/g;

const serializeLetter = (letter: DeadLetter): string => {
  const text = JSON.stringify(letter).replaceAll(
    UNSENDABLE,
    (character) => `\\u${character.charCodeAt(0).toString(16)}`,
  );
  if (Buffer.byteLength(text) <= LONGEST) return text;
  const cut = JSON.stringify(letter.event).slice(0, LONGEST / 10);
  return JSON.stringify({ reason: `${letter.reason} (too large to be kept: this is its beginning)`, event: cut });
};

/** The queue where somebody looks into what came to nothing. */
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
