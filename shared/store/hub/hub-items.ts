import type { HubContent, HubRow, Member } from '../../domain/hub/hub-row.ts';
import { type Item, type Key, sortableTime } from '../dynamodb/keys.ts';
import type { HubIndexName } from './hub-table.ts';

/** Partition of the items that list the members. Partitions of rows begin with the number of an account. */
export const MEMBERS = 'MEMBERS';

/** Partition of the index of locks. */
export const LOCKS = 'LOCKS';

/** A row with the account and region that its events came from. */
export interface StoredRow extends HubRow {
  readonly member: Member;
}

/** A row of a workspace that exists. */
export type LiveRow = StoredRow & { readonly content: HubContent };

/** Builds the name of a member in keys. */
export const memberKey = ({ account, region }: Member): string => `${account}#${region}`;

/** Builds the key of the item of a member. */
export const memberItemKey = (member: Member): Key => ({ pk: MEMBERS, sk: memberKey(member) });

/** Builds the key of a row. */
export const rowKey = (member: Member, id: string): Key => ({ pk: memberKey(member), sk: id });

const memberFrom = (key: unknown): Member => {
  const [account = '', region = ''] = String(key).split('#');
  return { account, region };
};

/** Builds the keys of a row in the indexes, which only workspaces that exist have. */
const indexKeys = (member: Member, { id, content }: HubRow): Item => {
  if (content === null) return {};
  const { organization, name, lock } = content;
  return {
    ...{ n: memberKey(member), nk: `${organization}#${name}#${id}` },
    ...(lock && { k: LOCKS, kk: `${sortableTime(lock.since)}#${memberKey(member)}#${id}` }),
  };
};

/** A place in the order of an index, after which a page starts. */
export type Position = Item;

/** Texts of positions, which clients send back. */
const positions = {
  names: {
    of: ({ n, nk }: Item) => `${n}#${nk}`,
    form: /^(?<pk>\d{12}#[a-z0-9-]+)#(?<sortKey>.+#(?<sk>ws-\w{16}))$/s,
  },
  locks: {
    of: ({ kk }: Item) => String(kk),
    form: /^(?<sortKey>\d{13}#(?<pk>\d{12}#[a-z0-9-]+)#(?<sk>ws-\w{16}))$/,
  },
} as const;

/** Builds the cursor of the page that starts after a row. */
export const cursorAfter = (index: HubIndexName, row: StoredRow): string =>
  Buffer.from(positions[index].of(indexKeys(row.member, row))).toString('base64url');

/** Returns the name of the member that a position is in, as `memberKey` builds it. */
export const memberKeyIn = ({ pk }: Position): string => String(pk);

/** Reads a cursor. @returns the position to start after; undefined if the cursor is not one of this index. */
export const positionFrom = (index: HubIndexName, cursor: string): Position | undefined => {
  const { pk, sk, sortKey } = positions[index].form.exec(Buffer.from(cursor, 'base64url').toString())?.groups ?? {};
  if (pk === undefined) return undefined;
  return { pk, sk, ...(index === 'names' ? { n: pk, nk: sortKey } : { k: LOCKS, kk: sortKey }) };
};

/**
 * Converts a row to its item.
 * @param revision counter of the writes of the item.
 * @param ttl epoch seconds after which a tombstone is removed.
 */
export const itemFromRow = (member: Member, row: HubRow, revision: number, ttl: number): Item => {
  const { id, ...attributes } = row;
  return {
    ...rowKey(member, id),
    ...indexKeys(member, row),
    ...attributes,
    revision,
    ...(row.content === null && { ttl }),
  };
};

/** Converts an item to its row. */
export const rowFromItem = (item: Item): StoredRow => {
  const { pk, sk, deployment, sequence, changedAt, confirmedAt, missing, content } = item as Item & HubRow;
  const member = memberFrom(pk);
  return { member, id: String(sk), deployment, sequence, changedAt, confirmedAt, missing, content };
};

/** A member with its deployments: start of their newest complete snapshot, in milliseconds since the epoch. */
export interface StoredMember extends Member {
  readonly snapshots: Readonly<Record<string, number>>;
}

/** Converts the item of a member. */
export const memberFromItem = ({ sk, snapshots }: Item): StoredMember => ({
  ...memberFrom(sk),
  snapshots: (snapshots ?? {}) as StoredMember['snapshots'],
});
