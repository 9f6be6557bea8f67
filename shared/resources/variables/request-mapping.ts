import { type DomainError, invalid } from '../../domain/errors.ts';
import { limits } from '../../domain/limits.ts';
import type { NewVariableRequest, VariableRequest } from '../../domain/workspace/variable.ts';
import { mapRequest, type RequestMappings } from '../attribute-table.ts';
import { attributes as table, type VariableAttributes } from './attributes.ts';

type Given<A> = A extends { readonly key: string; readonly category: string } ? NewVariableRequest : VariableRequest;

const tooLong = (attribute: 'key' | 'value', most: number, unit: string): DomainError => {
  const name = attribute === 'key' ? 'Key' : 'Value';
  return invalid(attribute, `${name} is too long (maximum is ${most} ${unit})`);
};

const trimmedKey = (given: string): string => {
  const key = given.trim();
  if (key === '') throw invalid('key', "Key can't be blank");
  if ([...key].length > limits.variableKey) throw tooLong('key', limits.variableKey, 'characters');
  return key;
};

const boundedValue = (given: string): string => {
  if (Buffer.byteLength(given) > limits.variableValue) throw tooLong('value', limits.variableValue, 'bytes');
  return given;
};

const mappings: RequestMappings<typeof table, VariableRequest> = {
  key: (key) => ({ key: trimmedKey(key) }),
  category: (category) => ({ category: category === 'env' ? 'env' : 'infra' }),
  // Responses show the value of a sensitive variable as null. A client that sends it back must not overwrite the secret.
  value: (value) => (value === null ? {} : { value: boundedValue(value) }),
  'value-reference': (reference) => (reference === null ? {} : { reference }),
};

/**
 * Maps the attributes of a body to a variable request of the domain (VAR-2, VAR-5).
 * @throws DomainError 422 for a blank or too long key, or a too long value.
 */
export const variableRequest = <A extends VariableAttributes>(attributes: A): Given<A> =>
  mapRequest(table, attributes, mappings) as Given<A>;
