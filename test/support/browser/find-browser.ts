import { accessSync, constants } from 'node:fs';
import { delimiter, join } from 'node:path';
import { chromium } from 'playwright-core';

const isExecutable = (file: string): boolean => {
  try {
    accessSync(file, constants.X_OK);
    return true;
  } catch {
    return false;
  }
};

/**
 * Finds Debian's Chromium, another browser with one of its names, or the one that playwright installed; undefined if there is
 * none. The headless shell comes first: it opens a page with a third of the processor time (docs/develop/tests.md).
 * @throws if there is none although HOLDFAST_BROWSER is `required`.
 */
export const findBrowser = (): string | undefined => {
  const found = ['chromium-headless-shell', 'chromium', 'chromium-browser', 'google-chrome']
    .flatMap((name) => (process.env['PATH'] ?? '').split(delimiter).map((folder) => join(folder, name)))
    .concat(chromium.executablePath())
    .find(isExecutable);
  if (found === undefined && process.env['HOLDFAST_BROWSER'] === 'required')
    throw new Error('There is no Chromium here: apt-get install chromium-headless-shell');
  return found;
};

/** Options with which playwright starts a browser. The sandbox does not work for root, which tests in containers are. */
export const launchOptions = (executablePath: string) => ({
  executablePath,
  chromiumSandbox: process.getuid?.() !== 0,
});
