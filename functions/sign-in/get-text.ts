import { type LookupAddress, lookup } from 'node:dns';
import { type ClientRequest, request as httpRequest, type IncomingMessage } from 'node:http';
import { request as httpsRequest } from 'node:https';
import { BlockList, type LookupFunction } from 'node:net';

/** Maximum size of a response, in bytes. The keys of the largest issuers take a tenth of it. */
const MOST_BYTES = 256 * 1024;

/** Addresses that are not part of the public internet, by family. */
const privateNetworks = {
  ipv4: [
    ...['0.0.0.0/8', '10.0.0.0/8', '100.64.0.0/10', '127.0.0.0/8', '169.254.0.0/16', '172.16.0.0/12', '192.0.0.0/24'],
    ...['192.0.2.0/24', '192.88.99.0/24', '192.168.0.0/16', '198.18.0.0/15', '198.51.100.0/24', '203.0.113.0/24'],
    ...['224.0.0.0/4', '240.0.0.0/4'],
  ],
  // Also the ranges that contain IPv4 addresses: translated, 6to4 and Teredo. Mapped ones are checked as IPv4 addresses.
  ipv6: [
    ...['::/96', '64:ff9b::/96', '64:ff9b:1::/48', '100::/64', '2001::/23', '2001:db8::/32'],
    ...['2002::/16', 'fc00::/7', 'fe80::/10', 'fec0::/10', 'ff00::/8'],
  ],
} as const;

const blocked = new BlockList();
for (const family of ['ipv4', 'ipv6'] as const) {
  for (const network of privateNetworks[family]) {
    const [address = '', prefix] = network.split('/');
    blocked.addSubnet(address, Number(prefix), family);
  }
}

/** Tells whether an address is one of the public internet. */
export const isPublicAddress = ({ address, family }: LookupAddress): boolean =>
  !blocked.check(address, family === 6 ? 'ipv6' : 'ipv4');

/** An error of a request to an issuer. Its message is shown to the people who manage the workload identity. */
export class IssuerError extends Error {
  override readonly name = 'IssuerError';
}

/**
 * Resolves a host name, and rejects it if one of its addresses is private. The connection is made to the addresses that it
 * returns, so a name cannot resolve to another address meanwhile.
 */
const lookupPublic: LookupFunction = (hostname, options, callback) => {
  lookup(hostname, { ...options, all: true }, (error, addresses) => {
    const [first] = addresses ?? [];
    if (error !== null || first === undefined) {
      return callback(error ?? new IssuerError(`${hostname} has no address`), '', 0);
    }
    if (!addresses.every(isPublicAddress)) {
      return callback(new IssuerError(`${hostname} has an address of a private network`), '', 0);
    }
    if (options.all) return callback(null, addresses);
    return callback(null, first.address, first.family);
  });
};

const bodyOf = async (response: IncomingMessage): Promise<string> => {
  const chunks: Buffer[] = [];
  let bytes = 0;
  for await (const chunk of response as AsyncIterable<Buffer>) {
    bytes += chunk.length;
    if (bytes > MOST_BYTES) throw new IssuerError(`The response is larger than ${MOST_BYTES} bytes`);
    chunks.push(chunk);
  }
  return Buffer.concat(chunks).toString('utf8');
};

const responseTo = (request: ClientRequest, body: string | undefined): Promise<IncomingMessage> =>
  new Promise((resolve, reject) => {
    request.once('response', resolve).once('error', reject).end(body);
  });

/** A request to an issuer or an identity provider. */
export interface OutgoingRequest {
  readonly method?: string;
  readonly headers?: Readonly<Record<string, string>>;
  readonly body?: string;
  /** Ends the request. */
  readonly signal: AbortSignal;
  /** Set if the address comes from the settings of the deployment. It may then be one of a private network. */
  readonly isTrusted?: true;
}

/**
 * Sends a request over HTTPS. It follows no redirect, connects to public addresses only unless the address is trusted, and
 * limits the size of the response.
 * @param url checked before; `http` is for this machine only.
 * @throws IssuerError, and what the connection throws.
 */
export const send = async (
  url: URL,
  { method = 'GET', headers, body, signal, isTrusted }: OutgoingRequest,
): Promise<{ readonly status: number; readonly mediaType: string; readonly text: string }> => {
  const options = { method, headers: { accept: 'application/json', ...headers, 'user-agent': 'Holdfast' }, signal };
  // A connection that a trusted request has left open is not used for another one: no address is looked up for it.
  const limited = isTrusted ? {} : { lookup: lookupPublic, agent: false };
  const request = url.protocol === 'http:' ? httpRequest(url, options) : httpsRequest(url, { ...options, ...limited });
  try {
    const response = await responseTo(request, body);
    const { statusCode: status = 0, headers: received } = response;
    return { status, mediaType: received['content-type'] ?? '', text: await bodyOf(response) };
  } finally {
    request.destroy();
  }
};

/** Gets a document with the limits of `send`. @throws IssuerError, and what the connection throws. */
export const getText = async (url: URL, signal: AbortSignal, isTrusted?: true): Promise<string> => {
  const { status, text } = await send(url, { signal, ...(isTrusted && { isTrusted }) });
  if (status !== 200) throw new IssuerError(`${url.host} responds with status ${status}`);
  return text;
};
