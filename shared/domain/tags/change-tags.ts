import { isDeepStrictEqual } from 'node:util';
import { ALIVE, type Transition } from '../changes/transitions.ts';
import { notFound } from '../errors.ts';
import { isAlive } from '../workspace/workspace-record.ts';
import { checkCount, type Tags } from './tag.ts';

/** The keys that are not the same before and after. */
const differences = (before: Tags, after: Tags): string[] => {
  const [old, young] = [before, after].map((tags) => new Map(tags.map(({ key, value }) => [key, { value }])));
  return [...new Set([...before, ...after].map(({ key }) => key))].filter(
    (key) => !isDeepStrictEqual(old?.get(key), young?.get(key)),
  );
};

/**
 * Changes tags and bindings in one write, whatever their number (TAG-7). All of them are written as
 * they are afterwards: the store pins every change of what lists show to the image that it was planned from, so nobody
 * else's tags are lost, and a workspace never has more than it may. The plan is refused with 422 where it would have.
 *
 * It is applied where it would change nothing. A change without an answer may have been undone by the time it is made
 * again, so it raises the workspace's sequence and nothing is claimed once others have raised it too.
 */
export const changeTags = (change: (tags: Tags) => Tags): Transition => ({
  type: 'workspace.tags-changed',
  plan: (image) => {
    if (!isAlive(image)) throw notFound();
    const tags = change(image.tags);
    checkCount('workspace', tags);
    return { condition: ALIVE, change: { set: { tags } }, keys: differences(image.tags, tags) };
  },
  applied: (image) => isAlive(image) && isDeepStrictEqual(change(image.tags), image.tags),
  counter: 'sequence',
});
