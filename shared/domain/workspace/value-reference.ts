import { invalid } from '../errors.ts';

/** Records whose owners allow value references by their prefixes (VAR-18). */
interface Allowing {
  readonly allowedValueReferences?: readonly string[];
}

/**
 * Returns whether a value reference is a prefix or is below it. A prefix ends at a separator: `ssm:/prod` allows
 * `ssm:/prod/db` and not `ssm:/production`. Both have one spelling only, so that texts can be compared.
 */
const isBelow = (prefix: string, reference: string): boolean =>
  reference === prefix || reference.startsWith(/[/:]$/.test(prefix) ? prefix : `${prefix}/`);

/**
 * Requires that the organization or the project allows a value reference (VAR-18).
 * @throws DomainError 422
 */
export const requireAllowedReference = (reference: string, ...allowing: readonly (Allowing | undefined)[]): void => {
  const prefixes = allowing.flatMap((record) => record?.allowedValueReferences ?? []);
  if (prefixes.some((prefix) => isBelow(prefix, reference))) return;
  throw invalid(
    'value-reference',
    'Value reference must begin with one of the allowed-value-references of the organization or the project',
  );
};
