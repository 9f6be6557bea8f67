import type { DynamoDBClientConfig } from '@aws-sdk/client-dynamodb';
import { GetCommand, PutCommand, QueryCommand, UpdateCommand } from '@aws-sdk/lib-dynamodb';
import { applyEvent, type HubEvent, type HubRow, type Member } from '../../domain/hub/hub-row.ts';
import type { Clock } from '../../lib/clock.ts';
import { tryAgain } from '../../lib/retry.ts';
import { openClient } from '../dynamodb/client.ts';
import { conditionHolds } from '../dynamodb/errors.ts';
import type { Item } from '../dynamodb/keys.ts';
import { persist } from '../dynamodb/retry-writes.ts';
import {
  itemFromRow,
  LOCKS,
  MEMBERS,
  memberFromItem,
  memberItemKey,
  memberKey,
  type Position,
  rowFromItem,
  rowKey,
  type StoredMember,
  type StoredRow,
} from './hub-items.ts';
import { type HubIndexName, hubIndexes } from './hub-table.ts';

/**
 * Time in seconds that the tombstone of a deleted workspace is stored (HUB-4): longer than an event can be late, with all
 * retries of EventBridge and Lambda and two weeks in each of two dead-letter queues.
 */
const TOMBSTONE_SECONDS = 45 * 24 * 60 * 60;

/** One page of rows. `next` is the position that the next page starts after, undefined after the last page. */
export interface RowPage {
  readonly rows: readonly StoredRow[];
  readonly next: Position | undefined;
}

/** Condition that the item does not exist. */
const ABSENT = { ConditionExpression: 'attribute_not_exists(pk)' };
/** Condition that the item is as it was read. */
const hasRevision = (revision: number) => ({
  ConditionExpression: 'revision = :revision',
  ExpressionAttributeValues: { ':revision': revision },
});

type Client = ReturnType<typeof openClient>;

/** Lists all members of the hub. */
const listMembers = async (TableName: string, read: Client['read']): Promise<StoredMember[]> => {
  const members: StoredMember[] = [];
  let start: Item | undefined;
  do {
    const output = await read(
      new QueryCommand({
        TableName,
        KeyConditionExpression: 'pk = :pk',
        ExpressionAttributeValues: { ':pk': MEMBERS },
        ...(start && { ExclusiveStartKey: start }),
      }),
    );
    members.push(...(output.Items ?? []).map(memberFromItem));
    start = output.LastEvaluatedKey;
  } while (start !== undefined);
  return members;
};

/** Opens the table of the hub. */
export const openHubStore = (
  { tableName: TableName, client }: { readonly tableName: string; readonly client?: DynamoDBClientConfig },
  clock: Clock,
) => {
  const { read, write } = openClient({ client });
  const known = new Set<string>();

  const getItem = async (Key: object, ConsistentRead: boolean): Promise<Item | undefined> =>
    (await read(new GetCommand({ TableName, Key, ConsistentRead }))).Item;

  /** Lists a member. It is listed before its first row is written, so that a crash between the two hides no row. */
  const listMember = async (member: Member): Promise<void> => {
    if (known.has(memberKey(member))) return;
    const put = new PutCommand({
      TableName,
      Item: { ...memberItemKey(member), snapshots: {} },
      ...ABSENT,
    });
    await persist('hub', clock, (_, remaining) => conditionHolds(write(put, remaining())));
    known.add(memberKey(member));
  };

  const queryRows = async (index: HubIndexName, partition: string, start: Position | undefined): Promise<RowPage> => {
    const output = await read(
      new QueryCommand({
        TableName,
        IndexName: index,
        KeyConditionExpression: '#pk = :pk',
        ExpressionAttributeNames: { '#pk': hubIndexes[index].partitionKey },
        ExpressionAttributeValues: { ':pk': partition },
        ...(start && { ExclusiveStartKey: start }),
      }),
    );
    return { rows: (output.Items ?? []).map(rowFromItem), next: output.LastEvaluatedKey };
  };

  return {
    /** Applies an event to the row of its workspace. @returns the row before and after; `after` is undefined if unchanged. */
    apply: async (member: Member, event: HubEvent) => {
      await listMember(member);
      return persist<{ before: HubRow | undefined; after: HubRow | undefined }>(
        'hub',
        clock,
        async (now, remaining) => {
          const item = await getItem(rowKey(member, event.id), true);
          const before = item && rowFromItem(item);
          const after = applyEvent(before, event);
          if (after === undefined) return { before, after };
          const revision = Number(item?.['revision'] ?? 0);
          const ttl = Math.ceil(now / 1_000) + TOMBSTONE_SECONDS;
          const put = new PutCommand({
            TableName,
            Item: itemFromRow(member, after, revision + 1, ttl),
            ...(item === undefined ? ABSENT : hasRevision(revision)),
          });
          return (await conditionHolds(write(put, remaining()))) ? { before, after } : tryAgain;
        },
      );
    },

    /** Records that a snapshot of a deployment is complete. An earlier one than the newest is ignored. */
    completeSnapshot: async (member: Member, deployment: string, startedAt: number): Promise<void> => {
      await listMember(member);
      const update = new UpdateCommand({
        TableName,
        Key: memberItemKey(member),
        UpdateExpression: 'SET snapshots.#deployment = :startedAt',
        ConditionExpression: 'attribute_not_exists(snapshots.#deployment) OR snapshots.#deployment < :startedAt',
        ExpressionAttributeNames: { '#deployment': deployment },
        ExpressionAttributeValues: { ':startedAt': startedAt },
      });
      await persist('hub', clock, (_, remaining) => conditionHolds(write(update, remaining())));
    },

    /** Reads all members, by account and region. */
    findMembers: (): Promise<readonly StoredMember[]> => listMembers(TableName, read),

    findRow: async (member: Member, id: string): Promise<StoredRow | undefined> => {
      const item = await getItem(rowKey(member, id), false);
      return item && rowFromItem(item);
    },

    /** Reads workspaces of a member by organization and name, after the position `start`. */
    findByName: (member: Member, start: Position | undefined) => queryRows('names', memberKey(member), start),
    /** Reads locked workspaces of all members, the oldest lock first, after the position `start`. */
    findLocked: (start: Position | undefined) => queryRows('locks', LOCKS, start),
  };
};

export type HubStore = ReturnType<typeof openHubStore>;
