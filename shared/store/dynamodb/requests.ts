import type { QueryCommandInput, TransactWriteCommandInput } from '@aws-sdk/lib-dynamodb';
import type { Expressions } from './expressions.ts';
import type { Item, Key } from './keys.ts';
import { type IndexName, indexes, tableKeys } from './table-definition.ts';

/** One write, of its own or in a transaction. */
export interface Write extends Expressions {
  readonly kind: 'put' | 'update' | 'delete' | 'check';
  readonly key: Key;
  /** The whole item, for `put`. */
  readonly item?: Item;
}

export interface QueryOptions {
  readonly index?: IndexName;
  readonly partition: string;
  /** Only sort keys that begin with this. */
  readonly beginsWith?: string;
  /** Lowest sort key, inclusive. */
  readonly from?: string;
  /** Highest sort key, inclusive. */
  readonly until?: string;
  readonly consistent?: boolean;
  /** From the highest sort key down. */
  readonly descending?: boolean;
  /** The attributes to return: the same capacity units, and a shorter response. */
  readonly only?: readonly string[];
}

export interface PageOptions extends QueryOptions {
  /** Maximum number of items on a page. */
  readonly limit?: number;
}

/** Returns the one condition that a query may have on the sort key. */
const sortKeyCondition = (bounds: readonly string[]): string | undefined => {
  if (bounds.includes(':prefix')) return 'begins_with(#sk, :prefix)';
  if (bounds.length === 2) return '#sk BETWEEN :from AND :until';
  return { ':from': '#sk >= :from', ':until': '#sk <= :until' }[bounds[0] ?? ''];
};

/** Builds the input of a Query that reads one page, from the key after `start`. */
export const queryInput = (
  TableName: string,
  { index, partition, beginsWith, from, until, consistent = false, descending = false, only = [], limit }: PageOptions,
  start: Item | undefined,
): QueryCommandInput => {
  const { partitionKey, sortKey } = index === undefined ? tableKeys : indexes[index];
  const bounds = Object.entries({ ':prefix': beginsWith, ':from': from, ':until': until }).filter(
    ([, bound]) => bound !== undefined,
  );
  const range = sortKeyCondition(bounds.map(([name]) => name));
  return {
    TableName,
    ...(index !== undefined && { IndexName: index }),
    KeyConditionExpression: range === undefined ? '#pk = :pk' : `#pk = :pk AND ${range}`,
    ExpressionAttributeNames: {
      '#pk': partitionKey,
      ...(range !== undefined && { '#sk': sortKey }),
      ...Object.fromEntries(only.map((attribute, position) => [`#o${position}`, attribute])),
    },
    ...(only.length > 0 && { ProjectionExpression: only.map((_, position) => `#o${position}`).join() }),
    ExpressionAttributeValues: { ':pk': partition, ...Object.fromEntries(bounds) },
    ConsistentRead: consistent,
    ...(descending && { ScanIndexForward: false }),
    ...(limit !== undefined && { Limit: limit }),
    ...(start !== undefined && { ExclusiveStartKey: start }),
  };
};

/** Requests the image of the item if the write has a condition that may fail. */
export const imageOnFailure = ({ ConditionExpression }: Expressions) =>
  ConditionExpression === undefined ? {} : { ReturnValuesOnConditionCheckFailure: 'ALL_OLD' as const };

type TransactionItem = NonNullable<TransactWriteCommandInput['TransactItems']>[number];

/** Builds one entry of a TransactWriteItems request. */
export const transactionItem = (
  TableName: string,
  { kind, key: Key, item: Item, ...expressions }: Write,
): TransactionItem => {
  const common = { TableName, ...expressions, ...imageOnFailure(expressions) };
  switch (kind) {
    case 'put':
      return { Put: { ...common, Item } };
    case 'update':
      return { Update: { UpdateExpression: '', ...common, Key } };
    case 'delete':
      return { Delete: { ...common, Key } };
    case 'check':
      return { ConditionCheck: { ConditionExpression: '', ...common, Key } };
  }
};
