import type { Attempt, Effect } from '../../../../shared/domain/directory/transitions/plan.ts';
import { DomainError } from '../../../../shared/domain/errors.ts';

/** Time of the attempts of these tests. */
const AT = 1_000;

/** Builds an attempt of a transition of the directory. */
export const attempt = <T>(given: Partial<Attempt<T>> = {}): Attempt<T> => ({
  request: { id: 'request-1', principal: { kind: 'service', id: 'test', name: 'test' } },
  at: AT,
  isInDoubt: false,
  isFirst: true,
  newChangeId: () => 'evt-1',
  ...given,
});

/** Lists the kinds of effects, in order. */
export const kindsOf = (effects: readonly Effect[]): string[] => effects.map(({ kind }) => kind);

/** Returns the code and the detail of the error that a function throws or creates; undefined if there is none. */
export const rejectionOf = (plan: (() => unknown) | undefined): readonly [string, string | undefined] | undefined => {
  try {
    const result = plan?.();
    if (result instanceof DomainError) return [result.code, result.detail];
  } catch (error) {
    if (!(error instanceof DomainError)) throw error;
    return [error.code, error.detail];
  }
  return undefined;
};
