import { isIPv6 } from 'node:net';
import { createTokenBucket, type TokenBucket } from './token-bucket.ts';

/** Creates a map that forgets its oldest entries, for state that callers create. */
export const createBoundedMap = <V>(most: number) => {
  const entries = new Map<string, V>();
  return {
    get: (key: string): V | undefined => entries.get(key),
    set: (key: string, value: V): void => {
      entries.delete(key);
      entries.set(key, value);
      const [oldest] = entries.keys();
      if (entries.size > most && oldest !== undefined) entries.delete(oldest);
    },
    delete: (key: string): void => void entries.delete(key),
  };
};

const GROUPS = 8;

/** Expands the groups of an IPv6 address that `::` stands for. */
const groupsOf = (address: string): readonly string[] => {
  const [head = '', tail] = address.split('::');
  const before = head === '' ? [] : head.split(':');
  const after = tail === undefined || tail === '' ? [] : tail.split(':');
  return [...before, ...Array<string>(GROUPS - before.length - after.length).fill('0'), ...after];
};

/**
 * Returns the addresses that count as one client: an IPv4 address, or the first 64 bits of an IPv6 address, because a
 * network assigns at least as many addresses to each of its clients.
 * @example
 * addressBlock('2001:db8::1'); // '2001:db8:0:0'
 */
export const addressBlock = (address: string): string => {
  const [, mapped] = /^::ffff:(\d+(?:\.\d+){3})$/i.exec(address) ?? [];
  if (mapped !== undefined) return mapped;
  if (!isIPv6(address)) return address;
  return groupsOf(address)
    .slice(0, GROUPS / 2)
    .map((group) => Number.parseInt(group, 16).toString(16))
    .join(':');
};

/** Limit on the failed authentications of each client address, counted in the memory of this instance only. */
export interface FailureLimit {
  /** Counts a failed authentication. @param time start of the request, in milliseconds. */
  readonly count: (address: string, time: number) => void;
  /** Returns the seconds until the address may fail again; 0 if it may now. @param time the present time. */
  readonly wait: (address: string, time: number) => number;
}

/** Failed authentications of an address in a minute (HTTP-44). */
export const MAX_FAILURES = 30;
const MAX_ADDRESSES = 10_000;

/** Creates the limit: an address may fail so many times at once, and again evenly over the next minute. */
export const createFailureLimit = (): FailureLimit => {
  const buckets = createBoundedMap<TokenBucket>(MAX_ADDRESSES);
  return {
    count: (address, time) => {
      const block = addressBlock(address);
      const bucket = buckets.get(block);
      bucket?.take(time);
      buckets.set(block, bucket ?? createTokenBucket({ rate: MAX_FAILURES / 60, burst: MAX_FAILURES }, time));
    },
    wait: (address, time) => buckets.get(addressBlock(address))?.wait(time) ?? 0,
  };
};
