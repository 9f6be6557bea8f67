import { getHeader, type IncomingRequest } from './request.ts';

/** Address on which the emulations of AWS services listen. */
export const LOOPBACK = '127.0.0.1';

/**
 * Reports whether a program on this computer sent the request. The request of a web page in a browser has an Origin header
 * or, after DNS rebinding, a foreign Host header.
 */
export const isFromLocalProgram = (request: Pick<IncomingRequest, 'rawHeaders' | 'sourceIp'>): boolean =>
  getHeader(request, 'origin') === undefined &&
  /^(127\.0\.0\.1|localhost|\[::1\])(:\d+)?$/i.test(getHeader(request, 'host') ?? '') &&
  /^(127\.|::1$)/.test(request.sourceIp);
