import type { IncomingMessage } from 'node:http';
import { getHeader, type IncomingRequest } from './messages.ts';

/** Address on which the emulations of AWS services listen. */
export const LOOPBACK = '127.0.0.1';

/** Names and addresses of this computer that another computer cannot have. */
const isLoopbackHost = (hostname: string): boolean => /^(127\.0\.0\.1|localhost|\[::1\])$/i.test(hostname);

/** Returns the name in a Host header, without the port. */
const withoutPort = (host: string): string => host.replace(/:\d+$/, '');

/**
 * Reports whether the request was sent on this computer, to this computer. After DNS rebinding, the Host header has the
 * name of the page.
 */
export const isOnLoopback = (request: Pick<IncomingRequest, 'rawHeaders' | 'sourceIp'>): boolean =>
  isLoopbackHost(withoutPort(getHeader(request, 'host') ?? '')) && /^(127\.|::1$)/.test(request.sourceIp);

/**
 * Reports whether a program on this computer sent the request, and not a web page. Browsers add the headers
 * `Sec-Fetch-Site` and `Origin`.
 */
export const isFromLocalProgram = (request: Pick<IncomingRequest, 'rawHeaders' | 'sourceIp'>): boolean =>
  getHeader(request, 'origin') === undefined &&
  getHeader(request, 'sec-fetch-site') === undefined &&
  isOnLoopback(request);

/**
 * Pages to which an identity provider or a command line sends the browser, which then shows the console. A request for a page does
 * nothing without the cookie of the browser, and the page that leads to it cannot read it.
 */
const reachedFromElsewhere = /^\/(app(\/.*)?|sign-in\/[^/]+\/callback|oauth2\/authorize)?$/;

/** Reports whether a browser requests one of these pages for a tab of its own, and not for a frame. */
const opensPage = ({ method, url = '', headers }: IncomingMessage): boolean =>
  method === 'GET' &&
  headers['sec-fetch-mode'] === 'navigate' &&
  headers['sec-fetch-dest'] === 'document' &&
  reachedFromElsewhere.test(url.replace(/\?.*$/s, ''));

interface PageGuardOptions {
  /** The address that the server listens on. */
  readonly host: string;
  /** Origin under which a proxy serves the API. */
  readonly publicOrigin?: string | undefined;
  /** Reports whether the CORS configuration allows an origin. */
  readonly allowsOrigin: (origin: string) => boolean;
}

/**
 * Creates a check of requests to the API. Programs may call it under any name of this computer. Web pages may
 * call it only from the origin of the API or an origin of the CORS configuration, even for reading. Some pages may be opened from
 * everywhere.
 */
export const createPageGuard = ({ host, publicOrigin, allowsOrigin }: PageGuardOptions) => {
  const publicHost = publicOrigin === undefined ? undefined : new URL(publicOrigin).host;
  return (request: IncomingMessage): boolean => {
    const { headers, socket } = request;
    const { origin, 'sec-fetch-site': site } = headers;
    if (headers.host !== undefined && headers.host !== publicHost) {
      const hostname = withoutPort(headers.host);
      const addressed = socket.localAddress?.replace(/^::ffff:/, '');
      if (!isLoopbackHost(hostname) && hostname !== host && hostname.replace(/^\[|\]$/g, '') !== addressed)
        return false;
    }
    if (origin !== undefined)
      return origin === `http://${headers.host}` || origin === publicOrigin || allowsOrigin(origin);
    return site === undefined || site === 'same-origin' || site === 'none' || opensPage(request);
  };
};
