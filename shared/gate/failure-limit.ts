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

/** Limit on the failed attempts of each client, counted in the memory of this instance only. */
export interface FailureLimit {
  /** Counts a failed attempt. @param time start of the request, in milliseconds. */
  readonly count: (client: string, time: number) => void;
  /** Returns the seconds until the client may fail again; 0 if it may now. @param time the present time. */
  readonly wait: (client: string, time: number) => number;
}

/** Failed authentications of an address in a minute (HTTP-44). */
export const MAX_FAILURES = 30;
const MAX_CLIENTS = 10_000;

/**
 * Creates the limit: a client may fail so many times at once, and again evenly over the next minute.
 * @param most number of failures.
 */
export const createFailureLimit = (most: number): FailureLimit => {
  const buckets = createBoundedMap<TokenBucket>(MAX_CLIENTS);
  return {
    count: (client, time) => {
      const bucket = buckets.get(client);
      bucket?.take(time);
      buckets.set(client, bucket ?? createTokenBucket({ rate: most / 60, burst: most }, time));
    },
    wait: (client, time) => buckets.get(client)?.wait(time) ?? 0,
  };
};
