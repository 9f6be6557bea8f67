import { SendMessageCommand, SQSClient } from '@aws-sdk/client-sqs';

/** An event that nothing could be done with, whole, and why. */
export interface DeadLetter {
  readonly reason: string;
  readonly event: unknown;
}

export type DeadLetters = (letter: DeadLetter) => Promise<void>;

/** One try, in milliseconds, so that a lost connection leaves time for another. */
const REQUEST_MILLISECONDS = 3_000;

/** The queue where somebody looks into what came to nothing. */
export const openDeadLetters = (url: string): DeadLetters => {
  const client = new SQSClient({
    maxAttempts: 3,
    requestHandler: { connectionTimeout: 500, requestTimeout: REQUEST_MILLISECONDS, throwOnRequestTimeout: true },
  });
  return async (letter) => {
    await client.send(new SendMessageCommand({ QueueUrl: url, MessageBody: JSON.stringify(letter) }));
  };
};
