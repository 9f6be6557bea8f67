import { isDeepStrictEqual } from 'node:util';
import type { AttributeChange } from './history-entry.ts';

/** An attribute, or a member of one, with its value. */
export interface AttributeValue extends Pick<AttributeChange, 'attribute' | 'member'> {
  readonly value: unknown;
}

/** Lists the attributes in which two lists of values differ. A value that is absent or undefined counts as null. */
export const compareValues = (
  before: readonly AttributeValue[],
  after: readonly AttributeValue[],
): AttributeChange[] => {
  const identify = ({ attribute, member }: AttributeValue) => JSON.stringify([attribute, member]);
  const old = new Map(before.map((value) => [identify(value), value]));
  const current = new Map(after.map((value) => [identify(value), value]));
  return [...new Map([...old, ...current])].flatMap(([identity, { attribute, member }]) => {
    const change = { old: old.get(identity)?.value ?? null, new: current.get(identity)?.value ?? null };
    if (isDeepStrictEqual(change.old, change.new)) return [];
    return [{ attribute, ...(member !== undefined && { member }), ...change }];
  });
};
