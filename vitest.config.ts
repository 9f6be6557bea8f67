import { defineConfig } from 'vitest/config';
import { DEADLINE, POLL_DEADLINE } from './test/support/setup/deadline.ts';

/** A suite of its own: `vitest run --project <name>`. */
const suite = (name: string, folders: readonly string[], options: object = {}) => ({
  extends: true as const,
  test: { name, include: folders.map((folder) => `test/${folder}/**/*.test.ts`), ...options },
});

/**
 * One process for many files, which share the modules, the database engine and the functions' code: a file must leave
 * the clock and the environment as it found them, and its data is in a table of its own.
 */
const sharedProcess = { isolate: false };

export default defineConfig({
  resolve: {
    alias: [
      { find: /.*\/time-limits\.ts$/, replacement: `${import.meta.dirname}/test/support/setup/patient-time-limits.ts` },
    ],
  },
  test: {
    projects: [
      suite('unit', ['unit'], sharedProcess),
      suite('store', ['store', 'encryption', 'events', 'list-index-snapshots', 'state-content'], sharedProcess),
      suite('endpoints', ['endpoints'], sharedProcess),
      suite('infra', ['infra'], sharedProcess),
      suite('cli', ['cli'], sharedProcess),
      suite('local', ['local', 'clients']),
      suite('migration', ['migration']),
      // All files share one service and one browser.
      suite('console', ['console'], { ...sharedProcess, globalSetup: 'test/support/console/global-setup.ts' }),
      suite('proofs', ['proofs']),
    ],
    globalSetup: 'test/support/setup/global-setup.ts',
    setupFiles: ['test/support/setup/seed.ts'],
    // Two processes: more would starve each other on the two cores that the tests are sized for.
    pool: 'forks',
    maxWorkers: 2,
    // A test that checks nothing must not pass.
    expect: { requireAssertions: true, poll: { timeout: POLL_DEADLINE } },
    testTimeout: DEADLINE,
    hookTimeout: DEADLINE,
    teardownTimeout: DEADLINE,
    reporters: ['default', './test/support/api/endpoint-reporter.ts', './test/support/budgets/budget-coverage.ts'],
    coverage: { provider: 'v8', include: ['functions/**/*.ts', 'shared/**/*.ts'] },
  },
});
