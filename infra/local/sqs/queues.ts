import { createHash } from 'node:crypto';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { base58 } from '../../../shared/lib/random.ts';
import type { QueueDefinition } from '../assembly/event-resources.ts';
import { LOCAL_ACCOUNT, queueUrl } from '../common/arns.ts';
import { openPersistentQueue, type QueueEntry } from '../common/persistent-queue.ts';
import { AwsError, createJsonService, type Input } from '../http/aws-service.ts';

export type Queues = ReturnType<typeof openQueues>;

interface Message {
  readonly id: string;
  readonly body: string;
  readonly attributes?: unknown;
  readonly sentAt: number;
}

/** A message with its state in memory. After a restart, every message is visible again. */
interface StoredMessage extends QueueEntry<Message> {
  visibleAt: number;
  receipt?: string;
  receivedAt?: number;
  receives: number;
}

const MAX_MESSAGE_BYTES = 1024 * 1024;
const MAX_MESSAGES = 10;
const MAX_WAIT_SECONDS = 20;
const POLL_MILLIS = 50;

const md5 = (text: string): string => createHash('md5').update(text).digest('hex');

/**
 * Opens the queues of the assembly.
 * @param folder the folder of the messages.
 * @param origin the origin of the URLs of the queues.
 */
export const openQueues = (definitions: readonly QueueDefinition[], folder: string, origin: string) => {
  const queues = new Map(definitions.map((definition) => [definition.name, openQueue(definition, folder)]));

  const findQueue = (input: Input): ReturnType<typeof openQueue> => {
    const queue = queues.get(/[^/]*$/.exec(String(input['QueueUrl'] ?? input['QueueName']))?.[0] ?? '');
    if (queue) return queue;
    throw new AwsError('AWS.SimpleQueueService.NonExistentQueue', 'The specified queue does not exist.');
  };

  return {
    /** Sends a message. @throws RangeError when there is no queue of this name. */
    send: (name: string, body: string): void => {
      const queue = queues.get(name);
      if (queue === undefined) throw new RangeError(`The queue ${name} does not exist`);
      queue.send(body);
    },
    service: createJsonService('AmazonSQS', {
      ListQueues: () => ({ QueueUrls: [...queues.keys()].map((name) => queueUrl(name, origin)) }),
      GetQueueUrl: (input) => ({ QueueUrl: queueUrl(findQueue(input).name, origin) }),
      SendMessage: (input) => {
        const body = input['MessageBody'];
        if (typeof body !== 'string' || body === '')
          throw new AwsError('MissingParameter', 'The request must contain the parameter MessageBody.');
        if (Buffer.byteLength(body) > MAX_MESSAGE_BYTES)
          throw new AwsError(
            'InvalidParameterValue',
            `One or more parameters are invalid. Reason: Message must be shorter than ${MAX_MESSAGE_BYTES} bytes.`,
          );
        return { MessageId: findQueue(input).send(body, input['MessageAttributes']), MD5OfMessageBody: md5(body) };
      },
      ReceiveMessage: async (input) => {
        const queue = findQueue(input);
        const limit = Math.min(Number(input['MaxNumberOfMessages'] ?? 1), MAX_MESSAGES);
        const waitMillis = Math.min(Number(input['WaitTimeSeconds'] ?? 0), MAX_WAIT_SECONDS) * 1_000;
        const visibilityTimeout = input['VisibilityTimeout'] as number | undefined;
        const deadline = Date.now() + waitMillis;
        for (;;) {
          const messages = queue.receive(limit, visibilityTimeout);
          if (messages.length > 0) return { Messages: messages };
          if (Date.now() >= deadline) return {};
          await sleep(POLL_MILLIS);
        }
      },
      DeleteMessage: (input) => {
        findQueue(input).remove(String(input['ReceiptHandle']));
        return {};
      },
    }),
  };
};

const openQueue = ({ name, retentionSeconds, visibilitySeconds }: QueueDefinition, folder: string) => {
  const stored = openPersistentQueue<Message>(join(folder, name));
  const messages = new Map<string, StoredMessage>(
    stored.all().map((message) => [message.name, { ...message, visibleAt: 0, receives: 0 }]),
  );
  const remove = (message: StoredMessage): void => {
    stored.remove(message.name);
    messages.delete(message.name);
  };
  return {
    name,
    send: (body: string, attributes?: unknown): string => {
      const message = { id: base58(22), body, sentAt: Date.now(), ...(attributes !== undefined && { attributes }) };
      const entry = stored.add(message);
      messages.set(entry.name, { ...entry, visibleAt: 0, receives: 0 });
      return message.id;
    },
    receive: (limit: number, hiddenSeconds = visibilitySeconds): object[] => {
      const now = Date.now();
      for (const message of messages.values())
        if (message.value.sentAt < now - retentionSeconds * 1_000) remove(message);
      const visible = [...messages.values()].filter(({ visibleAt }) => visibleAt <= now).slice(0, limit);
      return visible.map((message) => {
        message.visibleAt = now + hiddenSeconds * 1_000;
        message.receipt = base58(22);
        message.receivedAt ??= now;
        message.receives += 1;
        const { id, body, sentAt, attributes } = message.value;
        return {
          MessageId: id,
          ReceiptHandle: message.receipt,
          Body: body,
          MD5OfBody: md5(body),
          Attributes: {
            SentTimestamp: String(sentAt),
            ApproximateReceiveCount: String(message.receives),
            ApproximateFirstReceiveTimestamp: String(message.receivedAt),
            SenderId: LOCAL_ACCOUNT,
          },
          ...(attributes !== undefined && { MessageAttributes: attributes }),
        };
      });
    },
    remove: (receipt: string): void => {
      const message = [...messages.values()].find((each) => each.receipt === receipt);
      if (message) remove(message);
    },
  };
};
