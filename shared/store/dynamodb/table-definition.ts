/**
 * The shape of the one table, as pure data: the store spells its expressions with it, the infrastructure creates it
 * from it, the tests compare both. What the keys hold is the business of `keys.ts` alone.
 */

/** Both keys of the table and of every index are strings. */
export const tableKeys = { partitionKey: 'pk', sortKey: 'sk' } as const;

/** Attribute with the time, in epoch seconds, after which DynamoDB may remove an item. */
export const ttlAttribute = 'ttl';

/** What a stream record carries: events are made from the difference between the two images. */
export const streamView = 'NEW_AND_OLD_IMAGES';

/** Filter of the stream's records, in Lambda's syntax: writes of a workspace's own item that carry a change record. */
export const changeRecordFilter = {
  eventName: ['INSERT', 'MODIFY'],
  dynamodb: {
    Keys: { sk: { S: ['W'] } },
    NewImage: { chg: { M: { id: { S: [{ exists: true }] } } } },
  },
} as const;

interface IndexDefinition {
  readonly partitionKey: string;
  readonly sortKey: string;
  /** The attributes copied beside the keys; empty: keys only. Every copied attribute costs index writes when it changes. */
  readonly projected: readonly string[];
}

export const indexes = {
  /** An organization's rows in the order of their last projected change: the source of the list index behind lists. */
  list: {
    partitionKey: 'l',
    sortKey: 'lk',
    projected: ['id', 'name', 'prj', 'tags', 'acc', 'rs', 'ra', 'ca', 'la', 'x', 'hv', 'gone', 'ty', 'defaults'],
  },
  /** What is due at a time: automatic destructions, and deletions to be finished. Sparse. */
  due: { partitionKey: 'd', sortKey: 'dk', projected: [] },
} as const satisfies Record<string, IndexDefinition>;

export type IndexName = keyof typeof indexes;
export const indexNames = Object.keys(indexes) as IndexName[];
