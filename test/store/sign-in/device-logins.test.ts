import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { Database } from '../../../shared/store/dynamodb/database.ts';
import { NoResponse } from '../../../shared/store/dynamodb/errors.ts';
import { openDeviceLogins } from '../../../shared/store/sign-in/device-logins.ts';
import { openDeviceTries } from '../../../shared/store/sign-in/device-tries.ts';
import { startEngine, type TestEngine } from '../../support/engine/engine.ts';
import { scanItems } from '../../support/engine/scan-items.ts';

const ADDRESS = '203.0.113.7';
const allowed = { user: 'user-1', name: 'ada', token: 'at-1', until: 5 };

let engine: TestEngine;
let time = Date.now();
const clock = () => time;
const open = (database = engine.database) => openDeviceLogins(database, clock);

/** A database that loses the response to the next write, which is applied. */
const losingOnce = (): Database => {
  let isLost = false;
  return {
    ...engine.database,
    write: async (...write) => {
      const written = await engine.database.write(...write);
      if (isLost) return written;
      isLost = true;
      throw new NoResponse('lost');
    },
  };
};

beforeAll(async () => {
  engine = await startEngine();
});
afterAll(() => engine.stop());

describe('the login of a machine without a browser', () => {
  it('begins, is decided and is taken once, also when the response of the database to each write was lost', async () => {
    const { userCode, deviceCode } = await open(losingOnce()).begin(ADDRESS);
    expect(await open().find(userCode)).toMatchObject({ address: ADDRESS, requestedAt: time });
    expect(await open(losingOnce()).poll(deviceCode)).toBe('authorization_pending');
    expect(await open(losingOnce()).decide(userCode, allowed)).toBe(true);
    expect(await open().find(userCode)).toBeUndefined();
    expect(await open(losingOnce()).poll(deviceCode)).toEqual(allowed);
    expect(await open().poll(deviceCode)).toBe('invalid_grant');
  });

  it('is denied, also when the response of the database was lost', async () => {
    const { userCode, deviceCode } = await open().begin(ADDRESS);
    expect(await open(losingOnce()).decide(userCode, 'denied')).toBe(true);
    expect(await open().decide(userCode, allowed)).toBe(false);
    expect(await open().poll(deviceCode)).toBe('access_denied');
  });

  it('is decided by one of many people at the same time, and taken by one of many polls', async () => {
    const { userCode, deviceCode } = await open().begin(ADDRESS);
    const users = Array.from({ length: 10 }, (_, number) => ({ ...allowed, token: `at-${number}` }));
    const decisions = await Promise.all(users.map((one) => open().decide(userCode, one)));
    expect(decisions.filter((isDecided) => isDecided)).toEqual([true]);
    const polls = await Promise.all(users.map(() => open().poll(deviceCode)));
    expect(polls.filter((outcome) => outcome !== 'invalid_grant')).toEqual([users[decisions.indexOf(true)]]);
  });

  it('cannot be decided once its time has passed, although the item is still in the table', async () => {
    const { userCode, deviceCode } = await open().begin(ADDRESS);
    time += 600_000;
    expect(await open().find(userCode)).toBeUndefined();
    expect(await open().decide(userCode, allowed)).toBe(false);
    expect(await open().decide('ZZZZZZZZ', 'denied')).toBe(false);
    expect(await open().poll(deviceCode)).toBe('expired_token');
  });

  it('is stored under the digests of its codes, with a time to live', async () => {
    const { userCode, deviceCode } = await open().begin(ADDRESS);
    for await (const item of scanItems(engine.database)) {
      for (const secret of [userCode, deviceCode, deviceCode.split('.')[1] ?? ''])
        expect(JSON.stringify(item)).not.toContain(secret);
      expect(Number(item['ttl'])).toBeGreaterThan(time / 1_000 - 86_400);
    }
  });
});

describe('the limit on wrong codes', () => {
  it('counts a wrong code once, and a right one not at all, also when the response of the database was lost', async () => {
    for (let count = 0; count < 4; count += 1) await openDeviceTries(losingOnce(), clock)('user-2');
    for (let count = 0; count < 9; count += 1) {
      const forget = await openDeviceTries(engine.database, clock)('user-2');
      await forget();
      await forget();
    }
    await openDeviceTries(engine.database, clock)('user-2');
    await expect(openDeviceTries(engine.database, clock)('user-2')).rejects.toMatchObject({ retryAfter: 600 });
  });
});
