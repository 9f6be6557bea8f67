import { typeAndVersion } from '../dynamodb/item-schemas.ts';
import { keys } from '../dynamodb/keys.ts';
import { persistWrite, type Table } from '../dynamodb/retry-writes.ts';

/**
 * Changes the list of releases of the infrastructure tool, or notes that a release was published. The item holds the difference
 * from the releases that come with the application, as two sets, so repeating a change changes nothing.
 * @param change `publish` adds the release unless an administrator took it out, whichever of the two is heard of first.
 */
export const changeReleases = async (
  table: Table,
  change: 'add' | 'remove' | 'publish',
  version: string,
): Promise<void> => {
  const { ty, v } = typeAndVersion('releases');
  const [into, outOf] = change === 'remove' ? (['removed', 'added'] as const) : (['added', 'removed'] as const);
  const isPublished = change === 'publish';
  await persistWrite('directory', table, {
    kind: 'update',
    key: keys.releases(),
    UpdateExpression: `SET #ty = :ty, #v = :v ADD #into :versions${isPublished ? '' : ' DELETE #outOf :versions'}`,
    ExpressionAttributeNames: { '#ty': 'ty', '#v': 'v', '#into': into, ...(!isPublished && { '#outOf': outOf }) },
    ExpressionAttributeValues: { ':ty': ty, ':v': v, ':versions': new Set([version]) },
  });
};
