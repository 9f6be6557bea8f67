import { unavailable } from '../../shared/domain/errors.ts';
import { VariableChanged } from '../../shared/domain/workspace/variable.ts';
import { retry } from '../../shared/lib/retry.ts';

/** Number of attempts to change a variable that other requests change at the same time. */
const ATTEMPTS = 5;

/**
 * Repeats a change of a variable, including its read, while other requests change the variable.
 * @throws DomainError `unavailable` once the attempts are used up.
 */
export const retryChangedVariable = <T>(attempt: () => Promise<T>): Promise<T> =>
  retry(attempt, {
    attempts: ATTEMPTS,
    retryOn: (error) => error instanceof VariableChanged,
    onExhausted: () => {
      throw unavailable('The variable is busy. Try again shortly.');
    },
  });
