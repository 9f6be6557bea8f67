/**
 * How much the properties try, which could try for ever. `npm run test:thorough` sets HOLDFAST_TEST_BUDGET to try many
 * times as much.
 */
const budget = Number(process.env['HOLDFAST_TEST_BUDGET'] ?? 1);

/** Options of a property that is tried on so many values in a usual run. */
export const bounded = (runs: number): { readonly numRuns: number } => ({ numRuns: Math.ceil(runs * budget) });
