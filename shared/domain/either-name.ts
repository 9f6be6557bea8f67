import { invalid } from './errors.ts';

/**
 * Reads an attribute that has two names.
 * @throws DomainError 422 if both are given with different values.
 */
export const eitherName = <T>(
  attribute: string,
  value: T | undefined,
  other: string,
  otherValue: T | undefined,
): T | undefined => {
  if (value !== undefined && otherValue !== undefined && value !== otherValue) {
    throw invalid(attribute, `${attribute} and ${other} are names of one attribute, and their values differ`);
  }
  return value ?? otherValue;
};
