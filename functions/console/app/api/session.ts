import { readText, writeText } from '../lib/browser-storage.ts';

/**
 * The token of this tab. It is in the session storage, which ends with the tab. `/docs` reads the same key.
 * Each way to sign in ends in `startSession`.
 */
const KEY = 'holdfast.token';

/** Time from which the token is renewed, in milliseconds since the epoch. Only tokens of identity providers are. */
const RENEWAL_KEY = 'holdfast.renewal';

/** Reason for the end of a session: the user has signed out, or the service has rejected the token. */
export type EndReason = 'signed-out' | 'rejected';

const listeners = new Set<(reason: EndReason) => void>();

/** Returns the token of this tab. */
export const sessionToken = (): string | null => readText('sessionStorage', KEY);

/** Returns the time from which the token is renewed, in milliseconds since the epoch; undefined for one that is not renewed. */
export const renewalTime = (): number | undefined => {
  const time = readText('sessionStorage', RENEWAL_KEY);
  return time === null ? undefined : Number(time);
};

/**
 * Starts a session with a token that the service has accepted, or continues it.
 * @param renewal time from which the token is renewed, in milliseconds since the epoch.
 */
export const startSession = (token: string, renewal?: number): void => {
  writeText('sessionStorage', KEY, token);
  writeText('sessionStorage', RENEWAL_KEY, renewal === undefined ? null : String(renewal));
};

/** Ends the session and removes the token. */
export const endSession = (reason: EndReason): void => {
  if (sessionToken() === null) return;
  writeText('sessionStorage', KEY, null);
  writeText('sessionStorage', RENEWAL_KEY, null);
  for (const listener of listeners) listener(reason);
};

/** Calls a listener when the session ends. */
export const onSessionEnd = (listener: (reason: EndReason) => void): void => {
  listeners.add(listener);
};
