import { createHash } from 'node:crypto';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { base58 } from '../../../shared/lib/random.ts';
import type { QueueDefinition } from '../assembly/assembly-events.ts';
import { LOCAL_ACCOUNT, queueArn, queueUrl } from '../assembly/template.ts';
import { openWaitingRoom, type Waiting } from '../lambda/waiting-room.ts';
import { type Input, type JsonService, jsonServiceFor, Refused } from '../service/aws-json.ts';

/** The queues of the assembly, kept in the data folder, behind SQS's protocol. */
export interface Queues {
  /** @throws RangeError when there is no such queue. */
  send(name: string, body: string): void;
  readonly service: JsonService;
}

interface Message {
  readonly id: string;
  readonly body: string;
  readonly attributes?: unknown;
  readonly sentAt: number;
}

/** What is known of a message while the service runs: after a restart every message is visible again. */
interface Held extends Waiting<Message> {
  visibleAt: number;
  receipt?: string;
  receivedAt?: number;
  receives: number;
}

const LARGEST_MESSAGE_BYTES = 1024 * 1024;
const MOST_AT_ONCE = 10;
const LONGEST_WAIT_SECONDS = 20;
const POLL_MILLIS = 50;

const md5 = (text: string): string => createHash('md5').update(text).digest('hex');

/** @param origin of the server that answers for them. */
export const openQueues = (definitions: readonly QueueDefinition[], folder: string, origin: string): Queues => {
  const queues = new Map(definitions.map((definition) => [definition.name, openQueue(definition, folder)]));

  const queueAt = (input: Input): ReturnType<typeof openQueue> => {
    const name =
      String(input['QueueUrl'] ?? input['QueueName'])
        .split('/')
        .at(-1) ?? '';
    const queue = queues.get(name);
    if (queue === undefined) {
      throw new Refused('AWS.SimpleQueueService.NonExistentQueue', 'The specified queue does not exist.');
    }
    return queue;
  };

  return {
    send: (name, body) => {
      const queue = queues.get(name);
      if (queue === undefined) throw new RangeError(`There is no queue ${name}`);
      queue.send(body);
    },
    service: jsonServiceFor('AmazonSQS', {
      ListQueues: () => ({ QueueUrls: [...queues.keys()].map((name) => queueUrl(name, origin)) }),
      GetQueueUrl: (input) => ({ QueueUrl: queueUrl(queueAt(input).name, origin) }),
      SendMessage: (input) => {
        const body = input['MessageBody'];
        if (typeof body !== 'string' || body === '')
          throw new Refused('MissingParameter', 'The request must contain the parameter MessageBody.');
        if (Buffer.byteLength(body) > LARGEST_MESSAGE_BYTES)
          throw new Refused(
            'InvalidParameterValue',
            `One or more parameters are invalid. Reason: Message must be shorter than ${LARGEST_MESSAGE_BYTES} bytes.`,
          );
        return { MessageId: queueAt(input).send(body, input['MessageAttributes']), MD5OfMessageBody: md5(body) };
      },
      ReceiveMessage: async (input) => {
        const queue = queueAt(input);
        const most = Math.min(Number(input['MaxNumberOfMessages'] ?? 1), MOST_AT_ONCE);
        const wait = Math.min(Number(input['WaitTimeSeconds'] ?? 0), LONGEST_WAIT_SECONDS) * 1_000;
        const hidden = input['VisibilityTimeout'];
        const deadline = Date.now() + wait;
        for (;;) {
          const messages = queue.receive(most, hidden === undefined ? undefined : Number(hidden));
          if (messages.length > 0) return { Messages: messages };
          if (Date.now() >= deadline) return {};
          await sleep(POLL_MILLIS);
        }
      },
      DeleteMessage: (input) => {
        queueAt(input).remove(String(input['ReceiptHandle']));
        return {};
      },
      ChangeMessageVisibility: (input) => {
        queueAt(input).hide(String(input['ReceiptHandle']), Number(input['VisibilityTimeout']));
        return {};
      },
      PurgeQueue: (input) => {
        queueAt(input).purge();
        return {};
      },
      GetQueueAttributes: (input) => {
        const all = queueAt(input).attributes();
        const wanted = (input['AttributeNames'] ?? []) as readonly string[];
        const chosen = Object.entries(all).filter(([name]) => wanted.includes('All') || wanted.includes(name));
        return chosen.length > 0 ? { Attributes: Object.fromEntries(chosen) } : {};
      },
    }),
  };
};

const openQueue = ({ name, retentionSeconds, visibilitySeconds }: QueueDefinition, folder: string) => {
  const room = openWaitingRoom<Message>(join(folder, name));
  const held = new Map<string, Held>(
    room.all().map((message) => [message.name, { ...message, visibleAt: 0, receives: 0 }]),
  );
  const forget = (message: Held): void => {
    room.remove(message.name);
    held.delete(message.name);
  };
  const forgetOld = (): void => {
    const oldest = Date.now() - retentionSeconds * 1_000;
    for (const message of held.values()) if (message.value.sentAt < oldest) forget(message);
  };
  const received = (receipt: string): Held | undefined => [...held.values()].find((each) => each.receipt === receipt);

  return {
    name,
    send: (body: string, attributes?: unknown): string => {
      const message = { id: base58(22), body, sentAt: Date.now(), ...(attributes !== undefined && { attributes }) };
      const waiting = room.add(message);
      held.set(waiting.name, { ...waiting, visibleAt: 0, receives: 0 });
      return message.id;
    },
    receive: (most: number, hiddenSeconds = visibilitySeconds): object[] => {
      forgetOld();
      const now = Date.now();
      const visible = [...held.values()].filter(({ visibleAt }) => visibleAt <= now).slice(0, most);
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
      const message = received(receipt);
      if (message) forget(message);
    },
    hide: (receipt: string, seconds: number): void => {
      const message = received(receipt);
      if (!message) throw new Refused('ReceiptHandleIsInvalid', 'The specified receipt handle is not valid.');
      message.visibleAt = Date.now() + seconds * 1_000;
    },
    purge: (): void => {
      for (const message of held.values()) forget(message);
    },
    attributes: (): Readonly<Record<string, string>> => {
      forgetOld();
      const now = Date.now();
      const hidden = [...held.values()].filter(({ visibleAt }) => visibleAt > now).length;
      return {
        QueueArn: queueArn(name),
        ApproximateNumberOfMessages: String(held.size - hidden),
        ApproximateNumberOfMessagesNotVisible: String(hidden),
        ApproximateNumberOfMessagesDelayed: '0',
        VisibilityTimeout: String(visibilitySeconds),
        MessageRetentionPeriod: String(retentionSeconds),
      };
    },
  };
};
