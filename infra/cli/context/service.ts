import { Failure, usageError } from '../failure.ts';

/** Place of a service. */
export interface Address {
  /** Name under which terraform knows the service, with a port unless it is that of HTTPS. Tokens belong to it. */
  readonly host: string;
  /** Scheme and host to which requests go. */
  readonly origin: string;
  /** Place of the address, such as `HOLDFAST_URL`. */
  readonly source: string;
}

/** The service to which requests go, and the token of the caller. */
export interface Service extends Address {
  readonly token: string;
  /** Place of the token, such as `TF_TOKEN_holdfast_example_com`. */
  readonly tokenSource: string;
}

const LOOPBACK = /^(localhost|127(\.\d{1,3}){3}|\[::1\])$/;

/** Returns whether an address is one of this computer, to which a token may be sent without encryption. */
export const isLoopback = ({ hostname }: URL): boolean => LOOPBACK.test(hostname);

/** Returns whether an address has a scheme, and is not only the name of a host. */
export const hasScheme = (address: string): boolean => /^https?:\/\//i.test(address);

/**
 * Reads the address of a service: an origin, a host name, or the base URL of the API.
 * @param source names the place of the value in errors, such as `HOLDFAST_URL`.
 * @returns the origin.
 * @throws Failure `usage` for an address that is no URL, has a path other than `/api/v2`, or is not encrypted.
 */
export const readOrigin = (address: string, source: string): string => {
  let url: URL;
  try {
    url = new URL(hasScheme(address) ? address : `https://${address}`);
  } catch {
    throw usageError(`${source} "${address}" is not a URL.`, 'Write it like https://holdfast.example.com.');
  }
  if (url.username !== '' || url.password !== '') {
    // The message does not repeat a password.
    throw usageError(`${source} has a user name or a password.`, 'Write it like https://holdfast.example.com.');
  }
  if (!/^\/(api\/v2\/?)?$/.test(url.pathname) || url.search !== '' || url.hash !== '') {
    throw usageError(
      `${source} "${address}" is not the address of a service.`,
      'Write it like https://holdfast.example.com.',
    );
  }
  if (url.protocol === 'http:' && !isLoopback(url)) {
    throw usageError(`${source} "${address}" is not encrypted. A token is only sent over HTTPS.`);
  }
  return url.origin;
};

/**
 * Brings the name of a host into the form in which names are compared: in lower case and ASCII, without the port of HTTPS.
 * @returns undefined for a text that is no name of a host.
 */
export const normalizeHost = (name: string): string | undefined => {
  if (!/^[^\s/?#@\\]+$/.test(name) || !URL.canParse(`https://${name}`)) return undefined;
  return new URL(`https://${name}`).host;
};

/**
 * Removes the blanks around a token.
 * @param source names the place of the token in errors.
 * @throws Failure `usage` for a text that no request can carry. The text is not in the message.
 */
export const readToken = (text: string, source: string): string => {
  const token = text.trim();
  if (!/^[\x21-\x7e]+$/.test(token)) {
    throw usageError(`${source} is not a token: it is empty, or contains blanks or other characters.`);
  }
  return token;
};

/** Creates the error for a missing token. @param hint says why a token that is there is not used. */
export const missingToken = ({ host, source }: Address, hint?: string): Failure =>
  new Failure('notAuthenticated', `There is no token for ${host}, which ${source} names.`, {
    hint: hint ?? `Run "holdfast login ${host}", or set HOLDFAST_TOKEN.`,
  });
