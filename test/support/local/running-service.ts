import { EventBridgeClient, PutEventsCommand } from '@aws-sdk/client-eventbridge';
import type { Service } from '../../../infra/local/service/service.ts';
import { RUNNER } from '../../../shared/events/sources.ts';
import { type Database, openDatabase } from '../../../shared/store/dynamodb/database.ts';

/** Opens the table of a service without its proxies. */
export const openServiceTable = (endpoint: string, tableName = ''): Database =>
  openDatabase({
    tableName,
    client: {
      endpoint,
      region: 'eu-central-1',
      credentials: { accessKeyId: 'local', secretAccessKey: 'local' },
    },
  });

/** Creates a function that sends events of a runner to the bus of a service. */
export const createRunnerEventSender = ({ origin, credentials }: Pick<Service, 'origin' | 'credentials'>) => {
  const client = new EventBridgeClient({ endpoint: origin, region: 'us-east-1', credentials, maxAttempts: 1 });
  return async (type: string, detail: object): Promise<void> => {
    const entry = { EventBusName: 'holdfast', Source: RUNNER, DetailType: type, Detail: JSON.stringify(detail) };
    await client.send(new PutEventsCommand({ Entries: [entry] }));
  };
};

/** Counts responses by action and status. */
export const countResponses = (
  calls: readonly { readonly action: string; readonly status?: number | undefined }[],
): Record<string, number> => {
  const counts: Record<string, number> = {};
  for (const { action, status } of calls) {
    const key = `${action} ${status ?? 'no response'}`;
    counts[key] = (counts[key] ?? 0) + 1;
  }
  return Object.fromEntries(Object.entries(counts).sort());
};
