/**
 * The floor under an operation: the bare SDK making the calls that the operation cannot avoid, and nothing else. Runs as
 * a function does, in a process of its own.
 */
import { DynamoDBClient } from '@aws-sdk/client-dynamodb';
import {
  BatchGetCommand,
  DynamoDBDocumentClient,
  GetCommand,
  QueryCommand,
  TransactWriteCommand,
  UpdateCommand,
} from '@aws-sdk/lib-dynamodb';

/** One call, by its command and what it asks for; the table is added. */
export interface BareCall {
  readonly command: 'get' | 'query' | 'batch-get' | 'update' | 'transact';
  readonly input: Readonly<Record<string, unknown>>;
}
/** Calls that are made side by side. */
export type Round = readonly BareCall[];

/** What the process is asked to do: to call, or to write a document out as often as told. */
export type FloorEvent =
  | { readonly rounds: readonly Round[]; readonly tableName: string }
  | { readonly text: string; readonly times: number };

const { AWS_ENDPOINT_URL_DYNAMODB: endpoint = '' } = process.env;
const client = DynamoDBDocumentClient.from(new DynamoDBClient({ endpoint }), {
  marshallOptions: { removeUndefinedValues: true },
});

// biome-ignore lint/suspicious/noExplicitAny: the SDK's commands have no common type that `send` takes.
const commands: Readonly<Record<BareCall['command'], (TableName: string, input: any) => any>> = {
  get: (TableName, input) => new GetCommand({ TableName, ...input }),
  query: (TableName, input) => new QueryCommand({ TableName, ...input }),
  'batch-get': (TableName, Keys) => new BatchGetCommand({ RequestItems: { [TableName]: Keys } }),
  update: (TableName, input) => new UpdateCommand({ TableName, ReturnValues: 'ALL_NEW', ...input }),
  transact: (TableName, { writes }) =>
    new TransactWriteCommand({
      TransactItems: writes.map((write: Record<string, object>) =>
        Object.fromEntries(Object.entries(write).map(([kind, input]) => [kind, { TableName, ...input }])),
      ),
    }),
};

/** @returns how long the answers of the last round are, so that nothing can be left out. */
export const call = async (rounds: readonly Round[], tableName: string): Promise<number> => {
  let answers: unknown[] = [];
  for (const round of rounds)
    answers = await Promise.all(round.map(({ command, input }) => client.send(commands[command](tableName, input))));
  return answers.length;
};

let read: { readonly text: string; readonly document: unknown } | undefined;

export const handler = async (event: FloorEvent): Promise<{ statusCode: number }> => {
  if ('rounds' in event) await call(event.rounds, event.tableName);
  else {
    if (read?.text !== event.text) read = { text: event.text, document: JSON.parse(event.text) };
    for (let time = 0; time < event.times; time++) JSON.stringify(read.document);
  }
  return { statusCode: 200 };
};
