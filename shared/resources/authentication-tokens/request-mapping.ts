import { invalid } from '../../domain/errors.ts';
import { parseTimestamp } from '../../domain/timestamps.ts';
import { now } from '../../lib/clock.ts';
import { mapRequest, type RequestAttributes } from '../attribute-table.ts';
import { attributes } from './attributes.ts';

/** Attributes of a new token in a request. */
export interface TokenRequest {
  readonly description?: string | null;
  /** Milliseconds since the epoch; absent if the token never expires. */
  readonly expiresAt?: number;
}

const expiry = (text: string): number => {
  const time = parseTimestamp(text);
  if (time === undefined) throw invalid('expired-at', 'Expired at must be a timestamp such as 2027-01-31T08:00:00Z');
  if (time <= now()) throw invalid('expired-at', 'Expired at must be in the future');
  return time;
};

/**
 * Maps the attributes of a request to the attributes of a token. An omitted attribute is absent from the result.
 * @throws DomainError 422 for an expiry that is not a timestamp in the future.
 */
export const tokenRequest = (given: RequestAttributes<typeof attributes>): TokenRequest =>
  mapRequest<typeof attributes, TokenRequest>(attributes, given, {
    'expired-at': (text) => (text ? { expiresAt: expiry(text) } : {}),
  });
