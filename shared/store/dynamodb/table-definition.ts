/**
 * Definition of the table as data. The store builds its expressions from it, the infrastructure creates the table from
 * it, and tests compare both. The content of the keys is defined in `keys.ts`.
 */

/** Both keys of the table and of every index are strings. */
export const tableKeys = { partitionKey: 'pk', sortKey: 'sk' } as const;

/** Attribute with the time, in epoch seconds, after which DynamoDB may remove an item. */
export const ttlAttribute = 'ttl';

/** Content of a stream record. Events are created from the difference between the two images. */
export const streamView = 'NEW_AND_OLD_IMAGES';

/** Days for which a bulk job is stored after its creation (JOB-13). */
export const JOB_DAYS = 30;

/** Keys of the reports of first uses of tokens (AUTH-21): the prefix of their partition keys, and their sort key. */
export const tokenUses = { prefix: 'USED#', sortKey: 'USE' } as const;

/** Keys of the items with rejected requests of a minute (HIST-18): the prefixes of their partition and sort keys. */
export const rejections = { prefix: 'REFUSED#', sortKey: 'MINUTE#' } as const;

/** Filter of stream records in Lambda syntax. It selects the writes of items that have a change record. */
export const changeRecordFilter = {
  eventName: ['INSERT', 'MODIFY'],
  dynamodb: {
    NewImage: { chg: { M: { id: { S: [{ exists: true }] } } } },
  },
} as const;

/**
 * Filters of stream records for the history: change records, reports of first uses of tokens, rejected requests, and the
 * writes of items that store a part of a change, which are variables, the long text of workspaces, and chunks of remote
 * state consumers. A deletion counts, because its old image has the last value.
 */
export const historyFilters = [
  changeRecordFilter,
  { eventName: ['INSERT'], dynamodb: { Keys: { sk: { S: [tokenUses.sortKey] } } } },
  { eventName: ['INSERT', 'MODIFY'], dynamodb: { Keys: { sk: { S: [{ prefix: rejections.sortKey }] } } } },
  { dynamodb: { Keys: { sk: { S: [{ prefix: 'V#' }, { prefix: 'C#' }, 'W.TEXT'] } } } },
] as const;

interface IndexDefinition {
  readonly partitionKey: string;
  readonly sortKey: string;
  /** Attributes that are copied in addition to the keys. A change of a copied attribute costs a write of the index. */
  readonly projected: readonly string[];
}

export const indexes = {
  /** Rows of an organization in the order of their last projected change. List indexes are loaded from it. */
  list: {
    partitionKey: 'l',
    sortKey: 'lk',
    projected: [
      ...['id', 'name', 'prj', 'tags', 'acc', 'rs', 'ra', 'ca', 'la', 'x', 'hv', 'lock', 'ls'],
      ...['gone', 'pa', 'ty', 'defaults'],
    ],
  },
  /** Sparse index of the work due at a time: automatic destructions and unfinished deletions. */
  due: { partitionKey: 'd', sortKey: 'dk', projected: [] },
} as const satisfies Record<string, IndexDefinition>;

export type IndexName = keyof typeof indexes;
export const indexNames = Object.keys(indexes) as IndexName[];
