/** Name in place of an identity provider for sessions that a sign-in link started (SIGNIN-13). No provider can have it. */
export const SIGN_IN_LINK = 'link';

/** Time for which a sign-in link is valid, in milliseconds. */
export const LINK_MILLISECONDS = 600_000;

/** Lifetime of a session that a sign-in link started, in hours. */
export const LINK_SESSION_HOURS = 1;

/** Number of characters of the secret of a sign-in link: 251 random bits. */
const SECRET = 43;

/**
 * Creates the text of a sign-in link. It names the user, so that the page that takes it can, and another name makes another
 * text, which is not valid.
 * @param random returns so many random characters.
 */
export const newLink = (username: string, random: (length: number) => string): string =>
  `${username}.${random(SECRET)}`;

/** Builds the address of a sign-in link. The text is in the fragment, which browsers never send. */
export const linkUrl = (origin: string, link: string): string => `${origin}/app/sign-in/link#${link}`;
