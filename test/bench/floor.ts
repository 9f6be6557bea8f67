/**
 * Lower bound of the duration of an operation: only the SDK calls that the operation cannot avoid. Runs in its own
 * process, like a function.
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
import { openLeanClient } from '../../shared/store/dynamodb/lean-client/lean-client.ts';
import { marshallOptions } from '../../shared/store/dynamodb/lean-client/marshall-options.ts';

/** One SDK call: its command and its input without the table name. */
export interface BareCall {
  readonly command: 'get' | 'query' | 'batch-get' | 'update' | 'transact';
  readonly input: Readonly<Record<string, unknown>>;
}
/** Calls that run in parallel. */
export type Round = readonly BareCall[];

/** Task of the process: make calls, or serialize a document a number of times. */
export type FloorEvent =
  | { readonly rounds: readonly Round[]; readonly tableName: string }
  | { readonly text: string; readonly times: number };

const { AWS_ENDPOINT_URL_DYNAMODB: endpoint = '', TABLE_CLIENT } = process.env;
// The same client as that of the functions, so that the difference is what their own code takes.
const client =
  TABLE_CLIENT === 'sdk'
    ? DynamoDBDocumentClient.from(new DynamoDBClient({ endpoint }), { marshallOptions })
    : openLeanClient({ endpoint });

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

/** Makes the calls of all rounds. @returns the number of responses in the last round, so that no call is optimized away. */
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
