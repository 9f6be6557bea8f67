import { defineConfig } from 'vitest/config';
import { DEADLINE } from './test/support/setup/deadline.ts';

export default defineConfig({
  test: {
    include: ['test/**/*.test.ts'],
    globalSetup: 'test/support/setup/global-setup.ts',
    setupFiles: ['test/support/setup/seed.ts'],
    // Processes, two at a time: each may run a database engine of its own, and module state is per file as it is per
    // Lambda worker. More would starve each other on the two cores that the tests are sized for.
    pool: 'forks',
    maxWorkers: 2,
    // A test that checks nothing must not pass.
    expect: { requireAssertions: true, poll: { timeout: DEADLINE } },
    testTimeout: DEADLINE,
    hookTimeout: DEADLINE,
    teardownTimeout: DEADLINE,
    reporters: ['default', './test/support/api/endpoint-reporter.ts', './test/support/budgets/budget-coverage.ts'],
    coverage: { provider: 'v8', include: ['functions/**/*.ts', 'shared/**/*.ts'] },
  },
});
