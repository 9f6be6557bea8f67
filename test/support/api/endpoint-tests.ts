import { appendFileSync, globSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { dirname, join, relative } from 'node:path';
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

/** Records that a route succeeded in the running test file. */
export const recordSuccess = (route: RouteId, testFile: string): void => {
  const line = `${testFile} ${route}`;
  if (recorded.has(line)) return;
  recorded.add(line);
  mkdirSync(join(folder, dirname(nameOf(testFile))), { recursive: true });
  appendFileSync(join(folder, nameOf(testFile)), `${route}\n`);
};

/** Deletes the records of a test file that is about to run again. */
export const forgetSuccesses = (testFile: string): void => {
  if (!endpointTestFiles().includes(testFile)) return;
  mkdirSync(join(folder, dirname(nameOf(testFile))), { recursive: true });
  writeFileSync(join(folder, nameOf(testFile)), '');
};

/** The routes that have no recorded success in a test of their own. */
export const routesWithoutOwnSuccess = (): readonly RouteId[] => {
  const succeeded = new Set(
    globSync('*/*', { cwd: folder })
      .filter((test) => !coversAllRoutes(test))
      .flatMap((test) => readFileSync(join(folder, test), 'utf8').split('\n')),
  );
  return routeIds.filter((route) => !succeeded.has(route));
};
