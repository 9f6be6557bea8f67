import { DynamoDBClient } from '@aws-sdk/client-dynamodb';
import { BatchWriteCommand, DynamoDBDocumentClient } from '@aws-sdk/lib-dynamodb';
import type { Workspace } from '../../../shared/domain/workspace/workspace-record.ts';
import type { Item } from '../../../shared/store/dynamodb/keys.ts';
import { creationWrites } from '../../../shared/store/items/workspace-writes.ts';
import type { TestEngine } from '../engine/engine.ts';
import { newWorkspace } from './new-workspace.ts';

/** DynamoDB limits the items of one call. `LANES` is the number of concurrent calls. */
const BATCH = 25;
const LANES = 4;

/** Fields of a workspace. The others get the values of a new workspace. */
export type Seed = Partial<Workspace> & Pick<Workspace, 'organization' | 'project' | 'name'>;

interface SeedOptions {
  /** Number of shards of the organization. */
  readonly shards?: number;
  /** Whether to write the items that reserve the names. Lists do not read them. */
  readonly named?: boolean;
}

/**
 * Writes workspaces to the table directly, in concurrent batches.
 * @returns the workspaces, in order
 */
export const seedWorkspaces = async (
  { client, tableName }: Pick<TestEngine, 'client' | 'tableName'>,
  seeds: Iterable<Seed>,
  { shards = 4, named = true }: SeedOptions = {},
): Promise<Workspace[]> => {
  const sender = DynamoDBDocumentClient.from(new DynamoDBClient(client), {
    marshallOptions: { removeUndefinedValues: true },
  });
  const workspaces: Workspace[] = [];
  const left = items();
  await Promise.all(Array.from({ length: LANES }, sendBatches));
  sender.destroy();
  return workspaces;

  function* items(): Generator<Item> {
    for (const seed of seeds) {
      const { organization, project, name } = seed;
      const workspace = { ...newWorkspace({ organization, project }, { name }), ...seed };
      workspaces.push(workspace);
      for (const { item } of creationWrites(workspace, shards)) {
        if (item !== undefined && (named || item['ty'] !== 'workspace-name')) yield item;
      }
    }
  }

  function nextBatch(): Item[] {
    const batch: Item[] = [];
    while (batch.length < BATCH) {
      const { value, done } = left.next();
      if (done) break;
      batch.push(value);
    }
    return batch;
  }

  async function sendBatches(): Promise<void> {
    for (let batch = nextBatch(); batch.length > 0; batch = nextBatch()) {
      const RequestItems = { [tableName]: batch.map((Item) => ({ PutRequest: { Item } })) };
      const { UnprocessedItems = {} } = await sender.send(new BatchWriteCommand({ RequestItems }));
      if (Object.keys(UnprocessedItems).length > 0) throw new Error('The engine did not take a whole batch');
    }
  }
};
