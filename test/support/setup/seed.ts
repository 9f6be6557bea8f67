import fc from 'fast-check';
import { bounded } from './run-budget.ts';

/**
 * Properties are tried on the same values in each run, so that a red run is red again; HOLDFAST_TEST_SEED chooses
 * others.
 */
fc.configureGlobal({ ...bounded(25), seed: Number(process.env['HOLDFAST_TEST_SEED'] ?? 20_261_121) });
