import { readText, writeText } from '../lib/browser-storage.ts';

/**
 * The token of this tab. It is in the session storage, which ends with the tab. `/docs` reads the same key.
 * Each way to sign in ends in `startSession`.
 */
const KEY = 'holdfast.token';

/** Time from which the token is renewed, in milliseconds since the epoch. Only tokens of identity providers are. */
const RENEWAL_KEY = 'holdfast.renewal';

/** Id of the user of a token of an identity provider. It outlasts a rejected token: the page was opened for this user. */
const USER_KEY = 'holdfast.user';

/** User and time of renewal of a token of an identity provider. */
export interface RenewedToken {
  /** Time from which it is renewed, in milliseconds since the epoch. */
  readonly renewal: number;
  /** Id of its user. */
  readonly user: string;
}

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

/** Returns the id of the user of this tab; null if the token does not come from an identity provider. */
export const sessionUser = (): string | null => readText('sessionStorage', USER_KEY);

/**
 * Starts a session with a token that the service has accepted, or continues it.
 * @param renewed for a token of an identity provider.
 */
export const startSession = (token: string, renewed?: RenewedToken): void => {
  writeText('sessionStorage', KEY, token);
  writeText('sessionStorage', RENEWAL_KEY, renewed === undefined ? null : String(renewed.renewal));
  writeText('sessionStorage', USER_KEY, renewed?.user ?? null);
};

/** Ends the session and removes the token. */
export const endSession = (reason: EndReason): void => {
  if (sessionToken() === null) return;
  writeText('sessionStorage', KEY, null);
  writeText('sessionStorage', RENEWAL_KEY, null);
  if (reason === 'signed-out') writeText('sessionStorage', USER_KEY, null);
  for (const listener of listeners) listener(reason);
};

/** Calls a listener when the session ends. */
export const onSessionEnd = (listener: (reason: EndReason) => void): void => {
  listeners.add(listener);
};
