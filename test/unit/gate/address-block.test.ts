import { expect, it } from 'vitest';
import { addressBlock } from '../../../shared/gate/failure-limit.ts';

it.each([
  ['203.0.113.7', '203.0.113.7'],
  ['::ffff:203.0.113.7', '203.0.113.7'],
  ['2001:db8:1:2:3:4:5:6', '2001:db8:1:2'],
  ['2001:0DB8:0001:0002::9', '2001:db8:1:2'],
  ['2001:db8::1', '2001:db8:0:0'],
  ['::1', '0:0:0:0'],
  ['fe80::', 'fe80:0:0:0'],
  ['not an address', 'not an address'],
])('counts the address %s as %s', (address, block) => {
  expect(addressBlock(address)).toBe(block);
});
