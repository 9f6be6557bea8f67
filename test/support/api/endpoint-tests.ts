import { appendFileSync, globSync, mkdirSync, readdirSync, readFileSync, rmSync } from 'node:fs';
import { join, relative } from 'node:path';
import { type RouteId, routeIds } from '../../../shared/routes/index.ts';

/**
 * Records which test files had a successful response of each route: one file for each test file, one line for each
 * route. A complete run of the endpoint tests fails if a route has no success in a test of its own.
 */
const folder = join(import.meta.dirname, '../../../coverage/endpoints');
const testFolder = join(import.meta.dirname, '../../endpoints');

/** The test files of the endpoints. */
export const endpointTestFiles = (): readonly string[] =>
  globSync('**/*.test.ts', { cwd: testFolder }).map((file) => join(testFolder, file));

/** Whether a test requests every route; each route needs a test of its own as well. */
const coversAllRoutes = (test: string): boolean =>
  /^(bad-input|budgets|permissions|workspaces\/(editions|races)$)/.test(test);

const recorded = new Set<string>();

/** The path below `test/endpoints` without its ending, such as `tags/tag-bindings`. */
const nameOf = (testFile: string): string => relative(testFolder, testFile).replace(/\.test\.ts$/, '');

/** The file with the records of a test file; all are in one folder. */
const recordOf = (testFile: string): string => join(folder, encodeURIComponent(nameOf(testFile)));

/** Records that a route succeeded in the running test file. */
export const recordSuccess = (route: RouteId, testFile: string): void => {
  const line = `${testFile} ${route}`;
  // Other suites request routes as well, but their success is not that of an endpoint test.
  if (recorded.has(line) || nameOf(testFile).startsWith('..')) return;
  recorded.add(line);
  mkdirSync(folder, { recursive: true });
  appendFileSync(recordOf(testFile), `${route}\n`);
};

/**
 * Deletes the records of the test files that are about to run. Before a complete run it deletes the whole folder, in
 * which an earlier layout of the tests may have left files and folders of the same names.
 */
export const forgetSuccesses = (testFiles: readonly string[]): void => {
  const all = endpointTestFiles();
  const isComplete = all.every((file) => testFiles.includes(file));
  if (isComplete) rmSync(folder, { recursive: true, force: true });
  else for (const file of testFiles) if (all.includes(file)) rmSync(recordOf(file), { force: true });
};

/** The routes that have no recorded success in a test of their own. */
export const routesWithoutOwnSuccess = (): readonly RouteId[] => {
  const succeeded = new Set(
    readdirSync(folder)
      .filter((record) => !coversAllRoutes(decodeURIComponent(record)))
      .flatMap((record) => readFileSync(join(folder, record), 'utf8').split('\n')),
  );
  return routeIds.filter((route) => !succeeded.has(route));
};
