import { isIPv6 } from 'node:net';

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
