import type { TestProject } from 'vitest/node';
import { findBrowser } from '../browser/find-browser.ts';
import { type ConsoleTestbed, startTestbed } from './testbed.ts';

declare module 'vitest' {
  interface ProvidedContext {
    /** The service and the browser that all tests of the web console share. Absent where there is no browser. */
    readonly testbed?: ConsoleTestbed;
  }
}

/** Starts one service and one browser for all files, if there is a browser. */
export default async (project: TestProject): Promise<(() => Promise<void>) | undefined> => {
  const executable = findBrowser();
  if (executable === undefined) {
    console.log(
      'Skipped: the web console in a browser. There is no Chromium here (apt-get install chromium-headless-shell).',
    );
    return undefined;
  }
  const { testbed, stop } = await startTestbed(executable);
  project.provide('testbed', testbed);
  return stop;
};
