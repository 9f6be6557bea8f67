import type { Item, Key } from './keys.ts';

/** One item that a caller waits for. */
interface Request {
  readonly key: Key;
  readonly resolve: (item: Item | undefined) => void;
  readonly reject: (error: unknown) => void;
}

interface Calls {
  /** Sends GetItem. */
  readonly getOne: (key: Key, consistent: boolean) => Promise<Item | undefined>;
  /** Sends BatchGetItem for keys without duplicates. Returns the items that exist, in no particular order. */
  readonly getBatch: (keys: readonly Key[], consistent: boolean) => Promise<readonly Item[]>;
}

const nameOf = ({ pk, sk }: Item | Key): string => `${pk}\n${sk}`;

/**
 * Combines reads of single items: those that start together, with the same consistency, travel in one BatchGetItem. It
 * consumes the same capacity units as one GetItem for each, and less CPU time (docs/decisions/0043). A single read stays a
 * GetItem.
 *
 * Reads start together if none of them waits for input or output that another one does not wait for: all promises that
 * are already settled are followed first.
 */
export const createCombinedReads = ({ getOne, getBatch }: Calls) => {
  const open = new Map<boolean, Request[]>();

  const send = async (consistent: boolean): Promise<void> => {
    const requests = open.get(consistent) ?? [];
    open.delete(consistent);
    const keys = [...new Map(requests.map(({ key }) => [nameOf(key), key])).values()];
    try {
      const [only, ...others] = keys;
      const items = others.length > 0 || !only ? await getBatch(keys, consistent) : [await getOne(only, consistent)];
      const found = new Map(items.flatMap((item) => (item ? [[nameOf(item), item]] : [])));
      for (const { key, resolve } of requests) resolve(found.get(nameOf(key)));
    } catch (error) {
      for (const { reject } of requests) reject(error);
    }
  };

  return (key: Key, consistent: boolean): Promise<Item | undefined> =>
    new Promise((resolve, reject) => {
      const requests = open.get(consistent);
      if (requests) return void requests.push({ key, resolve, reject });
      open.set(consistent, [{ key, resolve, reject }]);
      // A tick that is requested by a promise job runs when no promise job is left.
      void Promise.resolve().then(() => process.nextTick(send, consistent));
    });
};
