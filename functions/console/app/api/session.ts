import { readText, writeText } from '../lib/browser-storage.ts';

/**
 * The token of this tab. It is in the session storage, which ends with the tab. `/docs` reads the same key.
 * Each way to sign in ends in `startSession`. `api/other-tabs.ts` shares it with the other tabs.
 */
const KEY = 'holdfast.token';

/** Time from which the token is renewed, in milliseconds since the epoch. Only tokens of identity providers are. */
const RENEWAL_KEY = 'holdfast.renewal';

/** Id of the user of a token of an identity provider. It outlasts a rejected token: the page was opened for this user. */
const USER_KEY = 'holdfast.user';

/** Set from the end of a session until the next sign-in: only a tab that had no session gets that of another tab. */
const ENDED_KEY = 'holdfast.ended';

/** User and time of renewal of a token of an identity provider. */
export interface RenewedToken {
  /** Time from which it is renewed, in milliseconds since the epoch. */
  readonly renewal: number;
  /** Id of its user. */
  readonly user: string;
}

/** Session of a tab. */
export interface Session {
  readonly token: string;
  /** Undefined for a token that a user has entered. */
  readonly renewed: RenewedToken | undefined;
}

/** Reason for the end of a session: the user has signed out, here or in another tab, or the service has rejected the token. */
export type EndReason = 'signed-out' | 'signed-out-elsewhere' | 'rejected';

type EndListener = (reason: EndReason, ended: Session) => void;

const listeners = new Set<EndListener>();

/** Returns the token of this tab. */
export const sessionToken = (): string | null => readText('sessionStorage', KEY);

/** Returns the time from which the token is renewed, in milliseconds since the epoch; undefined for one that is not renewed. */
export const renewalTime = (): number | undefined => {
  const time = readText('sessionStorage', RENEWAL_KEY);
  return time === null ? undefined : Number(time);
};

/** Returns the id of the user of this tab; null if the token does not come from an identity provider. */
export const sessionUser = (): string | null => readText('sessionStorage', USER_KEY);

/** Returns the session of this tab; undefined if nobody is signed in. */
export const presentSession = (): Session | undefined => {
  const [token, renewal, user] = [sessionToken(), renewalTime(), sessionUser()];
  if (token === null) return undefined;
  return { token, renewed: renewal === undefined || user === null ? undefined : { renewal, user } };
};

/** Returns whether the session of this tab has ended, and nobody has signed in since. */
export const hasEnded = (): boolean => readText('sessionStorage', ENDED_KEY) !== null;

/**
 * Starts a session with a token that the service has accepted, or continues it.
 * @param renewed for a token of an identity provider.
 */
export const startSession = (token: string, renewed?: RenewedToken): void => {
  writeText('sessionStorage', KEY, token);
  writeText('sessionStorage', RENEWAL_KEY, renewed === undefined ? null : String(renewed.renewal));
  writeText('sessionStorage', USER_KEY, renewed?.user ?? null);
  writeText('sessionStorage', ENDED_KEY, null);
};

/** Ends the session and removes the token. */
export const endSession = (reason: EndReason): void => {
  const ended = presentSession();
  if (ended === undefined) return;
  writeText('sessionStorage', KEY, null);
  writeText('sessionStorage', RENEWAL_KEY, null);
  writeText('sessionStorage', ENDED_KEY, 'true');
  if (reason !== 'rejected') writeText('sessionStorage', USER_KEY, null);
  for (const listener of listeners) listener(reason, ended);
};

/** Calls a listener when the session ends. */
export const onSessionEnd = (listener: EndListener): void => {
  listeners.add(listener);
};
