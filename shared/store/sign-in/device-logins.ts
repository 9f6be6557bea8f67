import { hash } from 'node:crypto';
import { absent, all, any, atLeast, type Condition, equals } from '../../domain/changes/conditions.ts';
import { unavailable } from '../../domain/errors.ts';
import {
  type DeviceLogin,
  isWaiting,
  newDeviceCode,
  newDeviceLogin,
  newUserCode,
  type PollOutcome,
  planPoll,
  userCodeIn,
} from '../../domain/sign-in/device-login.ts';
import type { AllowedLogin } from '../../domain/sign-in/one-time-contents.ts';
import type { Clock } from '../../lib/clock.ts';
import { base58, newEventId, randomNumber } from '../../lib/random.ts';
import { tryAgain } from '../../lib/retry.ts';
import type { Database } from '../dynamodb/database.ts';
import { ConditionFailed } from '../dynamodb/errors.ts';
import { type Item, keys } from '../dynamodb/keys.ts';
import { persist, persistWrite } from '../dynamodb/retry-writes.ts';
import { itemWrite, update } from '../items/item-write.ts';

/** Time for which an item is kept after it has expired, in seconds: so long, a device learns that its code has expired. */
const KEPT_SECONDS = 600;

/** Number of user codes that are tried. There are 25 billion, so that even the second one is hardly ever needed. */
const ATTEMPTS = 3;

/** Logins of machines without a browser (RFC 8628). Both codes are stored and found by their SHA-256 only. */
export interface DeviceLogins {
  /** Begins a login. @param address source address of the request. */
  readonly begin: (address: string) => Promise<{ readonly userCode: string; readonly deviceCode: string }>;
  /** Finds a login that waits for a decision. @returns undefined if it is unknown, decided or expired. */
  readonly find: (userCode: string) => Promise<DeviceLogin | undefined>;
  /** Stores the decision of a person. @returns false if the login does not wait for one any more. */
  readonly decide: (userCode: string, decision: AllowedLogin | 'denied') => Promise<boolean>;
  /** Polls for the decision. Of several polls, also at the same time, one gets an allowed login. */
  readonly poll: (deviceCode: string) => Promise<PollOutcome>;
}

const digestOf = (code: string): string => hash('sha256', code, 'hex');

const loginIn = (item: Item | undefined) => item as DeviceLogin | undefined;

/** Opens the logins of machines without a browser. */
export const openDeviceLogins = (database: Database, clock: Clock): DeviceLogins => {
  const keyOf = (userCode: string) => keys.deviceLogin(digestOf(userCode));
  const table = { database, clock };

  /** @returns whether the condition of the write holds. */
  const succeeds = async (write: Promise<unknown>): Promise<boolean> => {
    try {
      await write;
      return true;
    } catch (error) {
      if (error instanceof ConditionFailed) return false;
      throw error;
    }
  };

  return {
    begin: async (address) => {
      for (let attempt = 0; attempt < ATTEMPTS; attempt += 1) {
        const userCode = newUserCode((limit) => randomNumber(0, limit));
        const deviceCode = newDeviceCode(userCode, base58);
        const login = newDeviceLogin(digestOf(deviceCode), address, clock());
        const ttl = Math.ceil(login.expiresAt / 1_000) + KEPT_SECONDS;
        const ownOrNone = any(absent('pk'), equals('device', login.device));
        const write = itemWrite('device-login', { ...login, userCode: digestOf(userCode), ttl }, ownOrNone);
        if (await succeeds(persistWrite('login', table, write))) return { userCode, deviceCode };
      }
      throw unavailable('No code is free. Try again shortly.');
    },

    find: async (userCode) => {
      const login = loginIn(await database.get(keyOf(userCode), true));
      return login !== undefined && isWaiting(login, clock()) ? login : undefined;
    },

    decide: (userCode, decision) => {
      const isDenied = decision === 'denied';
      // The write can be repeated when its response was lost.
      const isUndecided: Condition = isDenied
        ? absent('allowed')
        : all(absent('denied'), any(absent('allowed'), equals('allowed.token', decision.token)));
      const change = { set: isDenied ? { denied: true } : { allowed: decision } };
      const condition = all(atLeast('expiresAt', clock() + 1), isUndecided);
      return succeeds(persistWrite('login', table, update(keyOf(userCode), change, condition)));
    },

    poll: (deviceCode) => {
      const key = keyOf(userCodeIn(deviceCode));
      const poll = { device: digestOf(deviceCode), at: clock(), id: newEventId() };
      return persist<PollOutcome>('login', clock, async (_, remaining) => {
        const { outcome, write } = planPoll(loginIn(await database.get(key, true)), poll);
        if (write === undefined) return outcome;
        const isWritten = await succeeds(database.write(update(key, write.change, write.condition), remaining()));
        return isWritten ? outcome : tryAgain;
      });
    },
  };
};
