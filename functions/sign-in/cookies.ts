import { isLoopbackUrl } from '../../shared/domain/loopback-url.ts';

/** A cookie of the sign-in, which scripts cannot read (SIGNIN-5). */
export interface SignInCookie {
  readonly read: (cookies: readonly string[]) => string | undefined;
  /** Returns the value of `Set-Cookie`. @param seconds lifetime; 0 deletes the cookie. */
  readonly write: (value: string, seconds: number) => string;
}

/**
 * Opens the cookies of the sign-in. Browsers accept a name with `__Host-` from the host itself alone, so that no other host of the
 * domain can sign people in as somebody else.
 * @param origin of the deployment. Without encryption, which only a service on this machine has, browsers reject `Secure`.
 */
export const openCookies = (origin: string) => {
  const isPlain = isLoopbackUrl(new URL(origin));
  const prefix = isPlain ? '' : '__Host-';
  // The prefix requires this path. Elsewhere, services at other ports get no cookie of other paths.
  const scope = isPlain ? 'Path=/sign-in' : 'Path=/; Secure';
  const open = (shortName: string): SignInCookie => {
    const name = prefix + shortName;
    return {
      read: (cookies) => cookies.find((cookie) => cookie.startsWith(`${name}=`))?.slice(name.length + 1),
      write: (value, seconds) => `${name}=${value}; Max-Age=${seconds}; ${scope}; HttpOnly; SameSite=Lax`,
    };
  };
  return {
    /** Binds a sign-in to the browser that started it. Sign-ins in several tabs share it. */
    flow: open('hf-flow'),
    /** Has the secret of a session. */
    session: open('hf-session'),
  };
};
