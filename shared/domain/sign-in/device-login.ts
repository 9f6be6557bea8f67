import { absent, all, type Change, type Condition, equals, unchanged } from '../changes/conditions.ts';
import { limits } from '../limits.ts';
import type { AllowedLogin } from './one-time-contents.ts';

/** Path of the page of the console where a person types the code that a device shows. It is short, because people type it. */
export const DEVICE_PAGE = '/app/device';

/** Letters of a user code: consonants, so that no word arises, without those that look like a digit (RFC 8628, 6.1). */
const LETTERS = 'BCDFGHJKLMNPQRSTVWXZ';
const LENGTH = 8;

/** Length of the secret of a device code: 251 random bits. */
const SECRET_LENGTH = 43;

/** Seconds that a machine waits between two polls at first. */
export const DEVICE_INTERVAL = 5;

/** Milliseconds by which each poll that comes too early lengthens the interval (RFC 8628, 3.5). */
const SLOWDOWN = 5_000;

/**
 * Creates a user code: eight letters, which are 35 random bits.
 * @param random returns a random whole number below its argument.
 */
export const newUserCode = (random: (limit: number) => number): string =>
  Array.from({ length: LENGTH }, () => LETTERS[random(LETTERS.length)]).join('');

/** Formats a user code for people: `WDJB-MJHT`. */
export const formatUserCode = (code: string): string => `${code.slice(0, LENGTH / 2)}-${code.slice(LENGTH / 2)}`;

/** Reads a user code as a person types it: in any case, with or without the hyphen. */
export const readUserCode = (text: string): string => text.toUpperCase().replaceAll(/[^A-Z]/g, '');

/**
 * Creates a device code. It contains the user code, by which its login is stored, and a secret that only the device has.
 * @param random returns so many random characters.
 */
export const newDeviceCode = (userCode: string, random: (length: number) => string): string =>
  `${userCode}.${random(SECRET_LENGTH)}`;

/** Returns the user code in a device code. */
export const userCodeIn = (deviceCode: string): string => deviceCode.split('.')[0] ?? '';

/** Login of a machine without a browser, as it is stored. Times are in milliseconds. */
export interface DeviceLogin {
  /** SHA-256 of the device code, in hexadecimal. */
  readonly device: string;
  /** Source address of the request that began the login. */
  readonly address: string;
  readonly requestedAt: number;
  readonly expiresAt: number;
  /** Time that the device has to wait between two polls. */
  readonly interval: number;
  readonly polledAt?: number;
  /** Set once a person has allowed the login. */
  readonly allowed?: AllowedLogin;
  /** Set once a person has denied the login. */
  readonly denied?: true;
  /** Poll that has taken the token. */
  readonly takenBy?: string;
}

/** Creates a login that waits for the decision of a person. */
export const newDeviceLogin = (device: string, address: string, now: number): DeviceLogin => ({
  device,
  address,
  requestedAt: now,
  expiresAt: now + limits.deviceSeconds * 1_000,
  interval: DEVICE_INTERVAL * 1_000,
});

/** Tells whether a login waits for the decision of a person. */
export const isWaiting = (login: DeviceLogin, now: number): boolean =>
  login.expiresAt > now && login.allowed === undefined && login.denied === undefined;

/** A poll of a device. */
export interface Poll {
  /** SHA-256 of the device code that it presents. */
  readonly device: string;
  readonly at: number;
  /** Name of this poll, so that its write can be repeated when the response was lost. */
  readonly id: string;
}

/** Response to a poll: the login that it may take, or an error of RFC 8628. */
export type PollOutcome =
  | AllowedLogin
  | 'authorization_pending'
  | 'slow_down'
  | 'access_denied'
  | 'expired_token'
  | 'invalid_grant';

/**
 * Plans a poll (LOGIN-8). An early poll lengthens the interval, and an allowed login is given at any poll.
 * @param login undefined if there is none with the code.
 * @returns the response, and the write on whose success it depends, if there is one.
 */
export const planPoll = (
  login: DeviceLogin | undefined,
  { device, at, id }: Poll,
): { readonly outcome: PollOutcome; readonly write?: { readonly change: Change; readonly condition: Condition } } => {
  if (login === undefined || login.device !== device) return { outcome: 'invalid_grant' };
  const { allowed, takenBy, polledAt } = login;
  if (takenBy !== undefined) return { outcome: takenBy === id && allowed !== undefined ? allowed : 'invalid_grant' };
  if (login.expiresAt <= at) return { outcome: 'expired_token' };
  if (login.denied) return { outcome: 'access_denied' };
  const same = equals('device', device);
  if (allowed !== undefined) {
    return { outcome: allowed, write: { change: { set: { takenBy: id } }, condition: all(same, absent('takenBy')) } };
  }
  // The write of this poll was applied, and its response was lost.
  if (polledAt === at) return { outcome: 'authorization_pending' };
  if (polledAt !== undefined && at < polledAt + login.interval) {
    const change = { set: { polledAt: at }, add: { interval: SLOWDOWN } };
    return { outcome: 'slow_down', write: { change, condition: same } };
  }
  const condition = all(same, unchanged('polledAt', polledAt));
  return { outcome: 'authorization_pending', write: { change: { set: { polledAt: at } }, condition } };
};
