import { parseIdempotencyKey } from '../idempotency/idempotency-key.ts';
import type { HttpMiddleware, HttpRequest } from '../request.ts';

/** Reads the header `Idempotency-Key` of requests that change something (HTTP-37). It is ignored on `GET`. */
export const readIdempotencyKey = (): HttpMiddleware => {
  const readIdempotencyKeyBefore = ({ event, internal }: HttpRequest): void => {
    const header = event.headers['idempotency-key'];
    if (header === undefined || internal.route?.method === 'GET') return;
    internal.idempotencyKey = parseIdempotencyKey(header);
  };
  return { before: readIdempotencyKeyBefore };
};
