import { appendFileSync, globSync, mkdirSync, readFileSync, rmSync } from 'node:fs';
import { basename, join } from 'node:path';
import type { Reporter, TestModule, TestSpecification, Vitest } from 'vitest/node';
import { type RouteId, routeIds } from '../../../shared/routes/index.ts';

/** Which routes were held to a budget while tests ran: one file for each test file, with a line for each route. */
const folder = join(import.meta.dirname, '../../../coverage/budgets');
const testFolder = join(import.meta.dirname, '../../endpoints');

const noteOf = (testFile: string): string => join(folder, basename(testFile));
const budgetTests = (): readonly string[] =>
  globSync('budgets/*.test.ts', { cwd: testFolder }).map((file) => join(testFolder, file));

/** Writes down that a request by this route stayed within its budget in the test file that is running. */
export const recordBudget = (route: RouteId | undefined, testFile: string): void => {
  if (route === undefined) return;
  mkdirSync(folder, { recursive: true });
  appendFileSync(noteOf(testFile), `${route}\n`);
};

/** Fails a run of all tests of budgets in which a route was held to none. */
export default class BudgetReporter implements Reporter {
  #isFiltered = false;

  onInit(vitest: Vitest): void {
    this.#isFiltered = vitest.config.testNamePattern !== undefined;
  }

  onTestRunStart(specifications: readonly TestSpecification[]): void {
    const tests = budgetTests();
    for (const { moduleId } of specifications) if (tests.includes(moduleId)) rmSync(noteOf(moduleId), { force: true });
  }

  onTestRunEnd(modules: readonly TestModule[]): void {
    const ran = new Set(modules.map(({ moduleId }) => moduleId));
    const tests = budgetTests();
    if (this.#isFiltered || !tests.every((file) => ran.has(file))) return;
    const held = new Set(tests.flatMap((file) => readFileSync(noteOf(file), 'utf8').split('\n')));
    const unheld = routeIds.filter((route) => !held.has(route));
    if (unheld.length === 0) return;
    console.error(`No test holds these routes to a budget: ${unheld.join(', ')}.`);
    process.exitCode = 1;
  }
}
