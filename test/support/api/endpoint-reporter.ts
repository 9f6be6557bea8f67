import type { Reporter, TestModule, TestSpecification, Vitest } from 'vitest/node';
import { endpointTestFiles, forgetSuccesses, routesWithoutOwnSuccess } from './endpoint-tests.ts';

/** Fails a complete run of the endpoint tests in which a route did not succeed in a test of its own. */
export default class EndpointReporter implements Reporter {
  #isFiltered = false;

  onInit(vitest: Vitest): void {
    this.#isFiltered = vitest.config.testNamePattern !== undefined;
  }

  onTestRunStart(specifications: readonly TestSpecification[]): void {
    forgetSuccesses(specifications.map(({ moduleId }) => moduleId));
  }

  onTestRunEnd(modules: readonly TestModule[]): void {
    const ran = new Set(modules.map(({ moduleId }) => moduleId));
    if (this.#isFiltered || !endpointTestFiles().every((file) => ran.has(file))) return;
    const routes = routesWithoutOwnSuccess();
    if (routes.length === 0) return;
    console.error(`No test of its own had a success of these routes: ${routes.join(', ')}.`);
    process.exitCode = 1;
  }
}
