import { type FoundToken, findToken } from '../../context/credentials.ts';
import { isLoopback, readOrigin, readToken } from '../../context/service.ts';
import { Failure, usageError } from '../../failure.ts';
import type { Io } from '../../io.ts';

/** An organization of a server, and the token with which it is read. */
export interface TfeAddress {
  /** Scheme and host to which requests go. */
  readonly origin: string;
  /** Name of the host, with a port unless it is that of HTTPS. */
  readonly host: string;
  readonly organization: string;
  readonly token: FoundToken;
}

const VARIABLE = 'HOLDFAST_SOURCE_TOKEN';
const EXAMPLE = 'Write it like tfe://app.terraform.io/ORGANIZATION.';

/**
 * Reads the address of a source, such as `tfe://app.terraform.io/acme`, and finds its token: in `HOLDFAST_SOURCE_TOKEN`, or where
 * terraform looks for that of the host. An address of this computer is one of HTTP.
 * @throws Failure `usage` for another address, and `notAuthenticated` without a token.
 */
export const resolveTfeAddress = async (io: Io, address: string): Promise<TfeAddress> => {
  const [, host, name] = /^tfe:\/\/([^/]+)\/([^/?#]+)\/?$/.exec(address) ?? [];
  if (host === undefined || name === undefined) {
    throw usageError('The address of the source does not name a host and an organization.', EXAMPLE);
  }
  // A password must not be repeated in a message.
  if (host.includes('@')) throw usageError('The address of the source has a user name or a password.', EXAMPLE);
  const isLocal = URL.canParse(`http://${host}`) && isLoopback(new URL(`http://${host}`));
  const origin = readOrigin(`${isLocal ? 'http' : 'https'}://${host}`, 'The host of the source');
  const place = { origin, host: new URL(origin).host, organization: name };
  const given = io.env[VARIABLE];
  if (given) return { ...place, token: { token: readToken(given, VARIABLE), source: VARIABLE } };
  const token = await findToken(io, place.host);
  if (token === undefined) {
    throw new Failure('notAuthenticated', `There is no token for ${place.host}.`, {
      hint: `Set ${VARIABLE}, or run "terraform login ${place.host}".`,
    });
  }
  return { ...place, token };
};
