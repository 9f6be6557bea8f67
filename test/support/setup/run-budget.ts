/**
 * How much the tests try that could try for ever: properties, simulations and races. `npm run test:thorough` sets
 * HOLDFAST_TEST_BUDGET to try many times as much.
 */
const budget = Number(process.env['HOLDFAST_TEST_BUDGET'] ?? 1);

/** Scales a number of runs by the budget; `runs` is what a usual run of the tests tries. */
export const scaled = (runs: number): number => Math.ceil(runs * budget);

/** Options of a property that is tried on so many values in a usual run. */
export const bounded = (runs: number): { readonly numRuns: number } => ({ numRuns: scaled(runs) });
