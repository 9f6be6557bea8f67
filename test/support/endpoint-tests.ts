import { appendFileSync, globSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { basename, join } from 'node:path';
import { type RouteId, routeIds } from '../../shared/routes.ts';

/**
 * Which test has had a route answer with success, written down while tests run: one file for each test file, with a
 * line for each route. The README names one of them for each endpoint, and a whole run proves what it names.
 */
const folder = join(import.meta.dirname, '../../coverage/endpoints');
const testFolder = join(import.meta.dirname, '../endpoints');

/** The test files of the endpoints. */
export const endpointTestFiles = (): readonly string[] =>
  globSync('*.test.ts', { cwd: testFolder }).map((file) => join(testFolder, file));

/** These ask every route; a route needs a test that is about it as well. */
const isAboutAll = (test: string): boolean =>
  /^(bad-input|budgets|editions|foreign-ids|permissions|races|rights)/.test(test);

const written = new Set<RouteId>();

const nameOf = (testFile: string): string => basename(testFile).replace(/\.test\.ts$/, '');

/** Writes down that a route succeeded in the test file that is running. */
export const recordSuccess = (route: RouteId, testFile: string): void => {
  if (written.has(route)) return;
  written.add(route);
  mkdirSync(folder, { recursive: true });
  appendFileSync(join(folder, nameOf(testFile)), `${route}\n`);
};

/** A test file is about to run: what it did the last time says nothing about this one. */
export const forgetSuccesses = (testFile: string): void => {
  if (!endpointTestFiles().includes(testFile)) return;
  mkdirSync(folder, { recursive: true });
  writeFileSync(join(folder, nameOf(testFile)), '');
};

/** The tests that have run. */
export const testsThatRan = (): readonly string[] => globSync('*', { cwd: folder });

/** The tests in which each route succeeded, when they last ran. */
export const readSuccesses = (): ReadonlyMap<RouteId, readonly string[]> => {
  const routesOf = new Map(testsThatRan().map((test) => [test, readFileSync(join(folder, test), 'utf8').split('\n')]));
  return new Map(
    routeIds.map((route) => [
      route,
      [...routesOf].flatMap(([test, routes]) => (routes.includes(route) && !isAboutAll(test) ? [test] : [])).sort(),
    ]),
  );
};
