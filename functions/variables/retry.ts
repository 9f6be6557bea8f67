import { unavailable } from '../../shared/domain/errors.ts';
import { VariableChanged } from '../../shared/store/variables/variable-store.ts';

/** How often a change is decided on anew because others got ahead. */
const ATTEMPTS = 5;

/** Does something to a variable as it is now, and again from the start while others change it meanwhile. */
export const whileOthersGetAhead = async <T>(attempt: () => Promise<T>): Promise<T> => {
  for (let count = 0; count < ATTEMPTS; count++) {
    try {
      return await attempt();
    } catch (error) {
      if (!(error instanceof VariableChanged)) throw error;
    }
  }
  throw unavailable('The variable is busy. Try again shortly.');
};
