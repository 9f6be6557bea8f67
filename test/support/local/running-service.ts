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
export const createRunnerEventSender =
  (origin: string) =>
  async (type: string, detail: object): Promise<void> => {
    const entry = { EventBusName: 'holdfast', Source: RUNNER, DetailType: type, Detail: JSON.stringify(detail) };
    const response = await fetch(origin, {
      method: 'POST',
      headers: { 'x-amz-target': 'AWSEvents.PutEvents', 'content-type': 'application/x-amz-json-1.1' },
      body: JSON.stringify({ Entries: [entry] }),
    });
    if (!response.ok) throw new Error(`PutEvents returned ${response.status}: ${await response.text()}`);
    await response.arrayBuffer();
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
