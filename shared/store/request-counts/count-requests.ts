import type { Database } from '../dynamodb/database.ts';
import { typeAndVersion } from '../dynamodb/item-schemas.ts';
import { requestCountKey } from '../dynamodb/keys.ts';
import type { Write } from '../dynamodb/requests.ts';

/** Requests of a token in a window of time, to add to the shared count (STORE-34). */
export interface RequestCount {
  /** SHA-256 of the token. */
  readonly digest: string;
  /** Number of the window since the epoch. */
  readonly window: number;
  readonly windowSeconds: number;
  readonly count: number;
}

/** Builds the write. It has no condition, so that instances never wait for each other. */
const countWrite = ({ digest, window, windowSeconds, count }: RequestCount): Write => {
  const { ty, v } = typeAndVersion('request-count');
  return {
    kind: 'update',
    key: requestCountKey(digest, window),
    UpdateExpression: 'SET #ty = :ty, #v = :v, #digest = :digest, #window = :window, #ttl = :ttl ADD #count :count',
    ExpressionAttributeNames: {
      '#ty': 'ty',
      '#v': 'v',
      '#digest': 'digest',
      '#window': 'window',
      '#ttl': 'ttl',
      '#count': 'count',
    },
    ExpressionAttributeValues: {
      ':ty': ty,
      ':v': v,
      ':digest': digest,
      ':window': window,
      ':ttl': (window + 2) * windowSeconds,
      ':count': count,
    },
  };
};

/**
 * Adds requests to the count that all instances share.
 * @param milliseconds time limit of the write.
 * @returns the requests of all instances in the window.
 * @throws NoResponse if the write failed or may have failed. It is not repeated.
 */
export const countRequests = async (
  database: Pick<Database, 'write'>,
  count: RequestCount,
  milliseconds: number,
): Promise<number> => Number((await database.write(countWrite(count), milliseconds))?.['count']);
