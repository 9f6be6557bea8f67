import type { DynamoDBClientConfig } from '@aws-sdk/client-dynamodb';
import type { DynamoDBDocumentClient } from '@aws-sdk/lib-dynamodb';
import { unavailable } from '../../domain/errors.ts';
import { startTimeLimit } from '../../lib/clock.ts';
import { isTransientError } from '../../lib/transient-errors.ts';
import { writeErrorFrom } from './errors.ts';
import { openLeanClient } from './lean-client/lean-client.ts';
import { CONNECTION_MILLISECONDS, READ_MILLISECONDS, REQUEST_MILLISECONDS } from './time-limits.ts';

/** One call to DynamoDB: the round that it belongs to, and the capacity units that it consumed. */
export interface Usage {
  /** Calls of one round run in parallel; a call of round 2 waited for one of round 1. */
  readonly round: number;
  readonly readUnits: number;
  readonly writeUnits: number;
}

interface Consumed {
  readonly CapacityUnits?: number | undefined;
}

/** Time limit of a write, in milliseconds. A write that carries an older time is never applied. */
export const DEADLINE = 8_000;

export type CreateClient = (configuration: DynamoDBClientConfig) => DynamoDBDocumentClient;

interface ClientOptions {
  readonly client: DynamoDBClientConfig | undefined;
  /** Creates the document client: the lean client unless a program needs the SDK client (docs/decisions/0045). */
  readonly createClient?: CreateClient | undefined;
  /** Called with the usage of every call, when it has ended. */
  readonly onCall?: ((usage: Usage) => void) | undefined;
}

/** Opens the connection to DynamoDB. */
export const openClient = ({ client, createClient = openLeanClient, onCall }: ClientOptions) => {
  const configuration: DynamoDBClientConfig = {
    requestHandler: {
      connectionTimeout: CONNECTION_MILLISECONDS,
      requestTimeout: REQUEST_MILLISECONDS,
      throwOnRequestTimeout: true,
    },
    ...client,
  };
  const reader = createClient({ maxAttempts: 3, ...configuration });
  // Every try of a write carries a new time, so the SDK must not repeat it.
  const writer = createClient({ maxAttempts: 1, ...configuration });

  let endedRounds = 0;
  /** Sends a command and reports its usage. `kind` is a parameter because minifying renames the command classes. */
  const send = async (
    kind: 'read' | 'write',
    // biome-ignore lint/suspicious/noExplicitAny: the SDK's commands have no common type that `send` takes.
    command: any,
    milliseconds: number,
    // biome-ignore lint/suspicious/noExplicitAny: nor have their outputs.
  ): Promise<any> => {
    const round = endedRounds + 1;
    command.input.ReturnConsumedCapacity = 'TOTAL';
    // `AbortSignal.timeout` would run its timer to the end, long after the response.
    const abort = new AbortController();
    const endLimit = startTimeLimit(Math.max(1, milliseconds), () => abort.abort());
    let units = 0;
    try {
      // biome-ignore lint/suspicious/noExplicitAny: as above.
      const output: any = await (kind === 'read' ? reader : writer).send(command, { abortSignal: abort.signal });
      units = [output.ConsumedCapacity ?? []]
        .flat()
        .reduce((sum: number, { CapacityUnits = 0 }: Consumed) => sum + CapacityUnits, 0);
      return output;
    } finally {
      endLimit();
      endedRounds = Math.max(endedRounds, round);
      onCall?.({ round, readUnits: kind === 'read' ? units : 0, writeUnits: kind === 'write' ? units : 0 });
    }
  };

  return {
    /** @throws DomainError `unavailable` when DynamoDB does not respond in time. */
    read: async (command: unknown) => {
      try {
        return await send('read', command, READ_MILLISECONDS);
      } catch (error) {
        throw isTransientError(error) ? unavailable('The service is busy. Try again shortly.', error) : error;
      }
    },
    /** @throws ConditionFailed, NoResponse */
    write: async (command: unknown, remaining = DEADLINE) => {
      try {
        return await send('write', command, Math.min(remaining, DEADLINE));
      } catch (error) {
        throw writeErrorFrom(error);
      }
    },
  };
};
