import { isDeepStrictEqual } from 'node:util';
import { DomainError } from '../../errors.ts';
import { checkCount, type Tags } from '../../tags/tag.ts';
import { isAlive } from '../../workspace/workspace-record.ts';
import { ALIVE, beingMoved, requireAlive, type Transition } from '../transition.ts';

/** Returns the keys of added, removed and changed tags. */
const differences = (before: Tags, after: Tags): string[] => {
  const [old, young] = [before, after].map((tags) => new Map(tags.map(({ key, value }) => [key, { value }])));
  return [...new Set([...before, ...after].map(({ key }) => key))].filter(
    (key) => !isDeepStrictEqual(old?.get(key), young?.get(key)),
  );
};

/** Tells whether a change leaves the tags as they are. A rejected change does not: `plan` explains the rejection. */
const isUnchanged = (change: (tags: Tags) => Tags, tags: Tags): boolean => {
  try {
    return isDeepStrictEqual(change(tags), tags);
  } catch (error) {
    if (error instanceof DomainError) return false;
    throw error;
  }
};

/**
 * Changes the tags and bindings of a workspace in one write (TAG-7). The write contains all tags. The store pins every
 * change of a listed attribute to its image (STORE-13), so tags of concurrent requests are not lost and the maximum
 * number is never exceeded. `plan` throws a 422 error if it would be.
 *
 * The transition counts as applied if it would change nothing. A write without a response may have been undone before
 * its retry, so `counter` makes the outcome unknown once another writer has incremented the sequence.
 * @param change returns the tags after the change; throws a `DomainError` if it rejects the change of these tags.
 * @param project the project for which the change was decided, if that matters. `plan` throws a 503 error for any other.
 */
export const changeTags = (change: (tags: Tags) => Tags, project?: string): Transition => ({
  type: 'workspace.tags-changed',
  plan: (read) => {
    const image = requireAlive(read);
    if (project !== undefined && image.project !== project) throw beingMoved();
    const tags = change(image.tags);
    checkCount('workspace', tags);
    return { condition: ALIVE, change: { set: { tags }, add: { revision: 1 } }, keys: differences(image.tags, tags) };
  },
  applied: (image) => isAlive(image) && isUnchanged(change, image.tags),
  isByState: true,
  counter: 'sequence',
});
