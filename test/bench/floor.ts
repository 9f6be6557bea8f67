/**
 * Lower bound of the duration of an operation: only the calls to DynamoDB that the operation cannot avoid. Runs in its own
 * process, like a function.
 */
import { BatchGetCommand, GetCommand, QueryCommand, TransactWriteCommand, UpdateCommand } from '@aws-sdk/lib-dynamodb';
import { openLeanClient } from '../../shared/store/dynamodb/lean-client/lean-client.ts';
import { openSdkClient } from '../../shared/store/dynamodb/sdk-client.ts';

/** One call to DynamoDB: its command and the input of the command. */
export interface BareCall {
  readonly command: keyof typeof commands;
  readonly input: object;
}
/** Calls that run in parallel. */
export type Round = readonly BareCall[];

/** Task of the process: make calls, or serialize a document a number of times. */
export type FloorEvent = { readonly rounds: readonly Round[] } | { readonly text: string; readonly times: number };

const { AWS_ENDPOINT_URL_DYNAMODB: endpoint = '', FLOOR_CLIENT } = process.env;
// The same client as that of the functions, so that the difference is what their own code takes.
const client = FLOOR_CLIENT === 'sdk' ? openSdkClient({ endpoint }) : openLeanClient({ endpoint });

const commands = {
  get: GetCommand,
  query: QueryCommand,
  'batch-get': BatchGetCommand,
  update: UpdateCommand,
  transact: TransactWriteCommand,
};
const send = ({ command, input }: BareCall): Promise<unknown> =>
  // Every call of the store requests its consumption. The commands have no common type that `send` takes.
  client.send(new commands[command]({ ...input, ReturnConsumedCapacity: 'TOTAL' } as never) as never);

/** Makes the calls of all rounds. @returns the number of responses in the last round, so that no call is optimized away. */
export const call = async (rounds: readonly Round[]): Promise<number> => {
  let answers: unknown[] = [];
  for (const round of rounds) answers = await Promise.all(round.map(send));
  return answers.length;
};

let read: { readonly text: string; readonly document: unknown } | undefined;

export const handler = async (event: FloorEvent): Promise<{ statusCode: number }> => {
  if ('rounds' in event) await call(event.rounds);
  else {
    if (read?.text !== event.text) read = { text: event.text, document: JSON.parse(event.text) };
    for (let time = 0; time < event.times; time++) JSON.stringify(read.document);
  }
  return { statusCode: 200 };
};
