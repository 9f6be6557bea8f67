import { RUNNER } from '../../../shared/events/sources.ts';
import { type Database, openDatabase } from '../../../shared/store/dynamodb/database.ts';

/** What a test does with a whole service beside asking it over HTTP. */

/** Its table, past the service and any proxy before the engine. */
export const databaseOf = (endpoint: string, tableName = ''): Database =>
  openDatabase({
    tableName,
    client: {
      endpoint,
      region: 'eu-central-1',
      credentials: { accessKeyId: 'local', secretAccessKey: 'local' },
    },
  });

/** Puts an event of a runner on its bus. */
export const tellOf =
  (origin: string) =>
  async (type: string, detail: object): Promise<void> => {
    const entry = { EventBusName: 'holdfast', Source: RUNNER, DetailType: type, Detail: JSON.stringify(detail) };
    const answer = await fetch(origin, {
      method: 'POST',
      headers: { 'x-amz-target': 'AWSEvents.PutEvents', 'content-type': 'application/x-amz-json-1.1' },
      body: JSON.stringify({ Entries: [entry] }),
    });
    if (!answer.ok) throw new Error(`PutEvents answered ${answer.status}: ${await answer.text()}`);
    await answer.arrayBuffer();
  };

/** How often each answer was given, by action and status. */
export const answersOf = (
  calls: readonly { readonly action: string; readonly status?: number | undefined }[],
): Record<string, number> => {
  const counts: Record<string, number> = {};
  for (const { action, status } of calls) {
    const answer = `${action} ${status ?? 'unanswered'}`;
    counts[answer] = (counts[answer] ?? 0) + 1;
  }
  return Object.fromEntries(Object.entries(counts).sort());
};
