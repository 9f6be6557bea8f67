import { readText, writeText } from '../lib/browser-storage.ts';

/**
 * The token of this tab. It is in the session storage, which ends with the tab. `/docs` reads the same key.
 * Another way to sign in, such as an identity provider, has to end in `startSession` only.
 */
const KEY = 'holdfast.token';

/** Reason for the end of a session: the user has signed out, or the service has rejected the token. */
export type EndReason = 'signed-out' | 'rejected';

const listeners = new Set<(reason: EndReason) => void>();

/** Returns the token of this tab. */
export const sessionToken = (): string | null => readText('sessionStorage', KEY);

/** Starts a session with a token that the service has accepted. */
export const startSession = (token: string): void => writeText('sessionStorage', KEY, token);

/** Ends the session and removes the token. */
export const endSession = (reason: EndReason): void => {
  if (sessionToken() === null) return;
  writeText('sessionStorage', KEY, null);
  for (const listener of listeners) listener(reason);
};

/** Calls a listener when the session ends. */
export const onSessionEnd = (listener: (reason: EndReason) => void): void => {
  listeners.add(listener);
};
