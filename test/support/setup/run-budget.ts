/** Factor for the number of runs of each property test. `npm run test:thorough` raises it with HOLDFAST_TEST_BUDGET. */
const budget = Number(process.env['HOLDFAST_TEST_BUDGET'] ?? 1);

/**
 * Scales a size with the run budget.
 *
 * @param size what a usual run takes, such as the calls of a race.
 */
export const scaled = (size: number): number => Math.ceil(size * budget);

/** Chooses between the bound of a usual run and the larger one of `npm run test:thorough`. */
export const usualOrThorough = <T>(usual: T, thorough: T): T => (budget > 1 ? thorough : usual);

/** Options of a property that is tried on so many values in a usual run. */
export const bounded = (runs: number): { readonly numRuns: number } => ({ numRuns: scaled(runs) });
