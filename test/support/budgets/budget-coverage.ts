import { appendFileSync, existsSync, globSync, mkdirSync, readFileSync, rmSync } from 'node:fs';
import { basename, join } from 'node:path';
import type { Reporter, TestModule, TestSpecification, Vitest } from 'vitest/node';
import { type RouteId, routeIds } from '../../../shared/routes/index.ts';

/** Folder of the routes that tests checked against a budget: a file for each test file, with a line for each route. */
const folder = join(import.meta.dirname, '../../../coverage/budgets');
const testFolder = join(import.meta.dirname, '../../endpoints');

const recordFile = (testFile: string): string => join(folder, basename(testFile));
const budgetTests = (): readonly string[] =>
  globSync('budgets/*.test.ts', { cwd: testFolder }).map((file) => join(testFolder, file));

/** Records that the running test file checked a request to the route against a budget. */
export const recordBudget = (route: RouteId | undefined, testFile: string): void => {
  if (route === undefined) return;
  mkdirSync(folder, { recursive: true });
  appendFileSync(recordFile(testFile), `${route}\n`);
};

/** Reporter that fails a run of all budget tests if a route has no budget. */
export default class BudgetReporter implements Reporter {
  #isFiltered = false;

  onInit(vitest: Vitest): void {
    this.#isFiltered = vitest.config.testNamePattern !== undefined;
  }

  onTestRunStart(specifications: readonly TestSpecification[]): void {
    const tests = budgetTests();
    for (const { moduleId } of specifications)
      if (tests.includes(moduleId)) rmSync(recordFile(moduleId), { force: true });
  }

  onTestRunEnd(modules: readonly TestModule[]): void {
    const ran = new Set(modules.map(({ moduleId }) => moduleId));
    const tests = budgetTests();
    if (this.#isFiltered || !tests.every((file) => ran.has(file))) return;
    const records = tests.map(recordFile).filter((file) => existsSync(file));
    const covered = new Set(records.flatMap((file) => readFileSync(file, 'utf8').split('\n')));
    const missing = routeIds.filter((route) => !covered.has(route));
    if (missing.length === 0) return;
    console.error(`No budget test covers these routes: ${missing.join(', ')}.`);
    process.exitCode = 1;
  }
}
