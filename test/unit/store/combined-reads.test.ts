import { describe, expect, it, vi } from 'vitest';
import { createCombinedReads } from '../../../shared/store/dynamodb/combined-reads.ts';
import type { Item, Key } from '../../../shared/store/dynamodb/keys.ts';

const key = (name: string): Key => ({ pk: name, sk: '#' });
const item = (name: string): Item => ({ ...key(name), name });
const stored = new Map(['a', 'b', 'c'].map((name) => [name, item(name)]));

const openReads = () => {
  const getOne = vi.fn(async ({ pk }: Key, _consistent: boolean) => stored.get(pk));
  // The order of the items in a batch is not that of the keys.
  const getBatch = vi.fn(async (keys: readonly Key[], _consistent: boolean) =>
    keys
      .map(({ pk }) => stored.get(pk))
      .filter((found) => found !== undefined)
      .reverse(),
  );
  return { get: createCombinedReads({ getOne, getBatch }), getOne, getBatch };
};

describe('createCombinedReads', () => {
  it('sends a single read as GetItem', async () => {
    const { get, getOne, getBatch } = openReads();
    expect(await get(key('a'), true)).toEqual(item('a'));
    expect(getOne).toHaveBeenCalledExactlyOnceWith(key('a'), true);
    expect(getBatch).not.toHaveBeenCalled();
  });

  it('sends reads that start together as one batch, and returns to each read its item', async () => {
    const { get, getOne, getBatch } = openReads();
    const found = await Promise.all(['c', 'missing', 'a'].map((name) => get(key(name), false)));
    expect(found).toEqual([item('c'), undefined, item('a')]);
    expect(getBatch).toHaveBeenCalledExactlyOnceWith([key('c'), key('missing'), key('a')], false);
    expect(getOne).not.toHaveBeenCalled();
  });

  it('combines a read that starts after promises that are already settled', async () => {
    const { get, getBatch } = openReads();
    const late = async () => {
      for (let steps = 0; steps < 20; steps++) await undefined;
      return get(key('b'), true);
    };
    expect(await Promise.all([get(key('a'), true), late()])).toEqual([item('a'), item('b')]);
    expect(getBatch).toHaveBeenCalledOnce();
  });

  it('requests an item once that two reads of a batch ask for', async () => {
    const { get, getOne, getBatch } = openReads();
    expect(await Promise.all([get(key('a'), true), get(key('a'), true)])).toEqual([item('a'), item('a')]);
    expect(getOne).toHaveBeenCalledOnce();
    expect(getBatch).not.toHaveBeenCalled();
  });

  it('keeps strongly and eventually consistent reads apart', async () => {
    const { get, getOne } = openReads();
    await Promise.all([get(key('a'), true), get(key('a'), false)]);
    expect(getOne.mock.calls).toEqual([
      [key('a'), true],
      [key('a'), false],
    ]);
  });

  it('sends a read that starts while a batch is under way in a call of its own', async () => {
    const { get, getOne, getBatch } = openReads();
    await Promise.all([get(key('a'), true), get(key('b'), true)]);
    expect(await get(key('a'), true)).toEqual(item('a'));
    expect(getBatch).toHaveBeenCalledOnce();
    expect(getOne).toHaveBeenCalledOnce();
  });

  it('rejects each read of a batch that fails, and none of the next one', async () => {
    const { get, getBatch } = openReads();
    getBatch.mockRejectedValueOnce(new Error('busy'));
    const results = await Promise.allSettled([get(key('a'), true), get(key('b'), true)]);
    expect(results.map(({ status }) => status)).toEqual(['rejected', 'rejected']);
    expect(await Promise.all([get(key('a'), true), get(key('b'), true)])).toEqual([item('a'), item('b')]);
  });
});
