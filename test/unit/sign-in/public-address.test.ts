import { describe, expect, test } from 'vitest';
import { isPublicAddress } from '../../../functions/sign-in/get-text.ts';

describe('an address of an issuer', () => {
  test.each([
    ...['10.1.2.3', '127.0.0.1', '169.254.169.254', '172.31.0.1', '192.168.0.1', '100.64.0.1', '0.0.0.0', '224.0.0.1'],
    ...['255.255.255.255', '198.18.0.1'],
  ])('%s is private', (address) => {
    expect(isPublicAddress({ address, family: 4 })).toBe(false);
    expect(isPublicAddress({ address: `::ffff:${address}`, family: 6 })).toBe(false);
  });

  test.each(['::1', '::', 'fe80::1', 'fd00:ec2::254', 'ff02::1', '64:ff9b::a00:1', '2002:a00:1::', '2001:db8::1'])(
    '%s is private',
    (address) => {
      expect(isPublicAddress({ address, family: 6 })).toBe(false);
    },
  );

  test.each([
    ['140.82.112.3', 4],
    ['172.32.0.1', 4],
    ['2606:50c0:8000::153', 6],
  ])('%s is public', (address, family) => {
    expect(isPublicAddress({ address, family: family as 4 | 6 })).toBe(true);
  });
});
