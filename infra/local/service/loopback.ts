import type { IncomingRequest } from '../gateway/http-event.ts';

/** The only address that what stands in for AWS listens on. */
export const LOOPBACK = '127.0.0.1';

type Sent = Pick<IncomingRequest, 'rawHeaders' | 'sourceIp'>;

/** A header's value, whatever its case. */
export const header = ({ rawHeaders }: Pick<Sent, 'rawHeaders'>, wanted: string): string | undefined => {
  const position = rawHeaders.findIndex((name, i) => i % 2 === 0 && name.toLowerCase() === wanted);
  return position < 0 ? undefined : rawHeaders[position + 1];
};

/**
 * Whether a program on this computer sent it, and not a page in a browser: that sends an Origin or, after DNS rebinding,
 * a Host that is not ours.
 */
export const isFromThisComputer = (request: Sent): boolean =>
  header(request, 'origin') === undefined &&
  /^(127\.0\.0\.1|localhost|\[::1\])(:\d+)?$/i.test(header(request, 'host') ?? '') &&
  /^(127\.|::1$)/.test(request.sourceIp);
