import { ApiError } from '../../../../shared/client/errors.ts';
import type { ApiRequest } from '../../../../shared/client/request.ts';
import { sendRequest } from '../../../../shared/client/send.ts';
import { createSessionToken, endBrowserSession, takeSignInLink } from '../../../../shared/client/sign-in.ts';
import { endSession, type RenewedToken, renewalTime, sessionToken, sessionUser, startSession } from './session.ts';

/** The session at an identity provider, whose secret is in a cookie that no script can read. */

/** Sends a request about the session. Only these requests carry the cookie. */
const sendWithCookie = <D>(request: ApiRequest<D>) =>
  sendRequest(request, {
    origin: '',
    token: null,
    fetch: (url, init) => fetch(url, { ...init, credentials: 'same-origin' }),
  });

/** A token of the session at an identity provider. It is renewed when half of its lifetime is over. */
interface BrowserToken extends RenewedToken {
  readonly token: string;
  readonly username: string;
}

/** Requests a token of the session. @returns undefined if the browser has no session, or it has ended. */
export const requestBrowserToken = async (): Promise<BrowserToken | undefined> => {
  try {
    const { document } = await sendWithCookie(createSessionToken());
    const { access_token: token, expires_in: seconds, user_id: user, username } = document;
    return { token, renewal: Date.now() + seconds * 500, user, username };
  } catch (error) {
    if (error instanceof ApiError && error.status === 401) return undefined;
    throw error;
  }
};

/**
 * Signs in with a link of an operator, whose session replaces that of the browser.
 * @param link the part of its address after the #.
 * @throws ApiError 400 for a link that is not valid any more.
 */
export const signInByLink = async (link: string): Promise<BrowserToken> => {
  await sendWithCookie(takeSignInLink(link));
  const session = await requestBrowserToken();
  if (session === undefined) throw new Error('The browser does not accept the cookie of the session.');
  return session;
};

let isActive = false;
const noteActivity = () => {
  isActive = true;
};

/** Notes what the user does: a session without a user ends, however many requests its pages repeat by themselves. */
export const watchActivity = (): void => {
  for (const event of ['pointerdown', 'keydown']) window.addEventListener(event, noteActivity, { capture: true });
};

let renewal: Promise<void> | undefined;

const renew = async (): Promise<void> => {
  const former = sessionToken();
  // The present token may still be valid. If it is not, the request that follows is rejected.
  const renewed = await requestBrowserToken().catch(() => undefined);
  if (renewed === undefined || sessionToken() !== former) return;
  isActive = false;
  // Another person has signed in in this browser, and must not continue this page unnoticed (CONSOLE-7).
  if (renewed.user !== sessionUser()) return endSession('rejected');
  startSession(renewed.token, renewed);
};

/** Renews the token of this tab when half of its lifetime is over, if the user has done something since the last time. */
export const renewWhenDue = async (): Promise<void> => {
  const time = renewalTime();
  if (time === undefined || Date.now() < time || !isActive) return;
  renewal ??= renew().finally(() => {
    renewal = undefined;
  });
  await renewal;
};

/**
 * Signs out. A session at an identity provider ends with all its tokens, and the browser goes on to the page of the identity
 * provider that ends the session there.
 * @throws NoResponse if the session may not have ended. The token of this tab is kept.
 */
export const signOut = async (): Promise<void> => {
  if (renewalTime() === undefined) return endSession('signed-out');
  const { document } = await sendWithCookie(endBrowserSession());
  endSession('signed-out');
  if (document.sign_out_url !== null) window.location.assign(document.sign_out_url);
};
