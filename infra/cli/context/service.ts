import { Failure, usageError } from '../failure.ts';

/** The service to which requests go, and the token of the caller. */
export interface Service {
  /** Scheme and host. */
  readonly origin: string;
  /** Place of the address, such as `HOLDFAST_URL`. */
  readonly source: string;
  readonly token: string;
  /** Place of the token, such as `TF_TOKEN_holdfast_example_com`. */
  readonly tokenSource: string;
}

const LOOPBACK = /^(localhost|127(\.\d{1,3}){3}|\[::1\])$/;

/** Returns whether an address is one of this computer, to which a token may be sent without encryption. */
const isLoopback = ({ hostname }: URL): boolean => LOOPBACK.test(hostname);

/**
 * Reads the address of a service: an origin, a host name, or the base URL of the API.
 * @param source names the place of the value in errors, such as `HOLDFAST_URL`.
 * @returns the origin.
 * @throws Failure `usage` for an address that is no URL, has a path other than `/api/v2`, or is not encrypted.
 */
export const readOrigin = (address: string, source: string): string => {
  let url: URL;
  try {
    url = new URL(/^https?:\/\//i.test(address) ? address : `https://${address}`);
  } catch {
    throw usageError(`${source} "${address}" is not a URL.`, 'Write it like https://holdfast.example.com.');
  }
  if (!/^\/(api\/v2\/?)?$/.test(url.pathname) || url.search !== '' || url.hash !== '' || url.username !== '') {
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

/** Creates the error for a missing token. */
export const missingToken = (origin: string): Failure =>
  new Failure('notAuthenticated', `There is no token for ${new URL(origin).host}.`, {
    hint: `Run "holdfast login ${new URL(origin).host}", or set HOLDFAST_TOKEN.`,
  });
