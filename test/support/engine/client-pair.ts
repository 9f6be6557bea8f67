import type { DynamoDBClientConfig } from '@aws-sdk/client-dynamodb';
import type { DynamoDBDocumentClient } from '@aws-sdk/lib-dynamodb';
import { openLeanClient } from '../../../shared/store/dynamodb/lean-client/lean-client.ts';
import { openSdkClient } from '../../../shared/store/dynamodb/sdk-client.ts';

/** Clients that must behave alike, by name. */
export const clientKinds = ['lean', 'sdk'] as const;
export type ClientKind = (typeof clientKinds)[number];

/** Opens the lean client or the unmodified client of the SDK, as the store does. */
export const openDocumentClient = (kind: ClientKind, configuration: DynamoDBClientConfig): DynamoDBDocumentClient =>
  kind === 'lean' ? openLeanClient(configuration) : openSdkClient(configuration);

/** Result of a call: the output, or all that a caller can see of the error. Delays between attempts are random. */
export const outcomeOf = async (call: () => Promise<unknown>): Promise<unknown> => {
  try {
    return { output: await call() };
  } catch (error) {
    const { name, message, $response, $metadata, ...properties } = error as Error & {
      readonly $response?: { readonly statusCode: number };
      readonly $metadata?: object;
    };
    const metadata = $metadata && { ...$metadata, totalRetryDelay: undefined };
    return { class: (error as object).constructor, name, message, metadata, status: $response?.statusCode, properties };
  }
};
