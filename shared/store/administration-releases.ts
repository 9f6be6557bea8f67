import { commit, type Table } from './administration-commit.ts';
import { keys } from './keys.ts';
import { SCHEMA_VERSION } from './schema-version.ts';

/**
 * Adds a release of the infrastructure tool to the catalogue, or takes it out. The item holds the difference from the
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
          ExpressionAttributeNames: { '#ty': 'ty', '#v': 'v', '#into': into, '#outOf': outOf } as Record<
            string,
            string
          >,
          ExpressionAttributeValues: { ':ty': 'releases', ':v': SCHEMA_VERSION, ':versions': new Set([version]) },
        },
      },
    ],
    result: undefined,
  }));
};
