import type { Reporter, TestModule, TestSpecification, Vitest } from 'vitest/node';
import { routeIds } from '../../shared/routes.ts';
import { endpointTestFiles, forgetSuccesses, readSuccesses } from './endpoint-tests.ts';
import { readReadme, testsInReadme } from './readme.ts';

/** Fails a run of all endpoint tests in which a route did not succeed in the test that the README names. */
export default class EndpointReporter implements Reporter {
  #isFiltered = false;

  onInit(vitest: Vitest): void {
    this.#isFiltered = vitest.config.testNamePattern !== undefined;
  }

  onTestRunStart(specifications: readonly TestSpecification[]): void {
    for (const { moduleId } of specifications) forgetSuccesses(moduleId);
  }

  onTestRunEnd(modules: readonly TestModule[]): void {
    const ran = new Set(modules.map(({ moduleId }) => moduleId));
    if (this.#isFiltered || !endpointTestFiles().every((file) => ran.has(file))) return;
    const successes = readSuccesses();
    const named = testsInReadme(readReadme());
    const unproven = routeIds.filter((route) => {
      const tests = successes.get(route) ?? [];
      return !tests.some((test) => named.get(route)?.includes(test));
    });
    if (unproven.length === 0) return;
    console.error(`These did not succeed in the test that the README names: ${unproven.join(', ')}.`);
    console.error('`node test/support/readme.ts` writes its table anew.');
    process.exitCode = 1;
  }
}
