import { invalid } from './errors.ts';

/**
 * An attribute that goes by two names: either is taken, or both with the same value.
 * @throws DomainError 422.
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
