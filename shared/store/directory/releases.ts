import { typeAndVersion } from '../dynamodb/item-schemas.ts';
import { keys } from '../dynamodb/keys.ts';
import { commit, type Table } from './records/commit.ts';

const COMMON = { '#ty': 'ty', '#v': 'v' };
const TYPE = typeAndVersion('releases');

/**
 * Notes that a release was published: it is added, unless an administrator took it out, whichever of the two is heard of
 * first.
 */
export const publishRelease = (table: Table, version: string): Promise<void> =>
  commit(table, async () => ({
    writes: [
      {
        write: {
          kind: 'update',
          key: keys.releases(),
          UpdateExpression: 'SET #ty = :ty, #v = :v ADD #added :versions',
          ExpressionAttributeNames: { ...COMMON, '#added': 'added' },
          ExpressionAttributeValues: { ':ty': TYPE.ty, ':v': TYPE.v, ':versions': new Set([version]) },
        },
      },
    ],
    result: undefined,
  }));

/**
 * Adds a release of the infrastructure tool to the list of releases, or takes it out. The item holds the difference from the
 * releases that come with the application, as two sets: adding to one leaves the other, so repeating changes nothing.
 */
export const changeReleases = (table: Table, change: 'add' | 'remove', version: string): Promise<void> => {
  const [into, outOf] = change === 'add' ? ['added', 'removed'] : ['removed', 'added'];
  return commit(table, async () => ({
    writes: [
      {
        write: {
          kind: 'update',
          key: keys.releases(),
          UpdateExpression: 'SET #ty = :ty, #v = :v ADD #into :versions DELETE #outOf :versions',
          ExpressionAttributeNames: { ...COMMON, '#into': into, '#outOf': outOf } as Record<string, string>,
          ExpressionAttributeValues: { ':ty': TYPE.ty, ':v': TYPE.v, ':versions': new Set([version]) },
        },
      },
    ],
    result: undefined,
  }));
};
