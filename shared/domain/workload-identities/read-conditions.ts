import type { ClaimCondition } from '../directory/records.ts';
import { DomainError } from '../errors.ts';
import { isClaimPointer, isSelective } from './conditions.ts';

/** A condition as a request has it. */
interface GivenCondition {
  readonly claim: string;
  readonly equals?: readonly string[] | undefined;
  readonly matches?: string | undefined;
}

const invalidCondition = (index: number, detail: string): DomainError =>
  new DomainError('invalid-attribute', `Conditions ${detail}`, {
    source: { pointer: `/data/attributes/conditions/${index}` },
  });

/**
 * Reads the conditions of a request (WI-4).
 * @throws DomainError 422 without a condition, and for one that is malformed or that every token meets.
 */
export const readConditions = (given: readonly GivenCondition[]): readonly ClaimCondition[] => {
  if (given.length === 0) {
    throw new DomainError('invalid-attribute', 'Conditions must have at least one condition', {
      source: { pointer: '/data/attributes/conditions' },
    });
  }
  return given.map(({ claim, equals, matches }, index) => {
    if (!isClaimPointer(claim)) throw invalidCondition(index, 'must name a claim by a JSON pointer such as /sub');
    if ((equals === undefined) === (matches === undefined)) {
      throw invalidCondition(index, 'must have either equals or matches');
    }
    if (matches === undefined) return { claim, equals: [...new Set(equals)] };
    if (!isSelective(matches)) throw invalidCondition(index, 'must not match every value');
    return { claim, matches };
  });
};
