import { DynamoDBClient, type DynamoDBClientConfig } from '@aws-sdk/client-dynamodb';
import { DynamoDBDocumentClient } from '@aws-sdk/lib-dynamodb';
import { marshallOptions } from './lean-client/marshall-options.ts';

/**
 * Opens the unmodified document client of the SDK. The runner library uses it, because it takes credentials from profiles
 * and roles, and tests compare the lean client with it (docs/decisions/0045).
 */
export const openSdkClient = (configuration: DynamoDBClientConfig): DynamoDBDocumentClient =>
  DynamoDBDocumentClient.from(new DynamoDBClient(configuration), { marshallOptions });
