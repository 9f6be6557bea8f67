import type { TokenTtlLimits } from '../../domain/directory/transitions/token-ttl-policies.ts';
import { invalid } from '../../domain/errors.ts';
import type { RequestAttributes } from '../attribute-table.ts';
import type { attributes } from './attributes.ts';

/**
 * Maps the limits in a request to the domain.
 * @throws DomainError 422 for a type of tokens that is named twice.
 */
export const tokenTtlLimits = (given: readonly Required<RequestAttributes<typeof attributes>>[]): TokenTtlLimits => {
  const types = given.map((policy) => policy['token-type']);
  const repeated = types.findIndex((type, index) => types.indexOf(type) < index);
  if (repeated >= 0) {
    throw invalid(`token-ttl-policies.${repeated}.token-type`, 'Token type must not be given twice');
  }
  return Object.fromEntries(given.map((policy) => [policy['token-type'], policy['max-ttl-ms']]));
};
