import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { chromium } from 'playwright-core';
import type { TestProject } from 'vitest/node';
import { startService } from '../../../infra/local/service/service.ts';
import { findBrowser, launchOptions } from '../browser/find-browser.ts';
import { synthesizedOnce } from '../setup/build-once.ts';

/** The service and the browser that all tests of the web console share. */
export interface ConsoleTestbed {
  /** Origin of the service. */
  readonly origin: string;
  /** Token of a user who may create organizations. */
  readonly token: string;
  /** Credentials for the bus, to which runners report. */
  readonly credentials: { readonly accessKeyId: string; readonly secretAccessKey: string };
  /** Address at which playwright finds the browser. */
  readonly browser: string;
}

declare module 'vitest' {
  interface ProvidedContext {
    /** Absent where there is no browser. */
    readonly testbed?: ConsoleTestbed;
  }
}

/** Starts one service and one browser for all files, if there is a browser. */
export default async (project: TestProject): Promise<(() => Promise<void>) | undefined> => {
  const executable = findBrowser();
  if (executable === undefined) {
    console.log('Skipped: the web console in a browser. There is no Chromium here (apt-get install chromium).');
    return undefined;
  }
  const folder = mkdtempSync(join(tmpdir(), 'holdfast-console-'));
  const service = await startService({ dataFolder: join(folder, 'data'), assembly: await synthesizedOnce() });
  const browser = await chromium.launchServer(launchOptions(executable));
  const administer = async (command: object): Promise<string> => {
    const outcome = await service.functions.invoke('holdfast-admin', JSON.stringify(command));
    if (outcome.kind !== 'succeeded') throw new Error(`The function admin ${outcome.kind}`);
    return JSON.parse(outcome.payload).token;
  };
  const username = 'ada';
  await administer({ command: 'create-user', username, email: 'ada@example.com', siteAdmin: true });
  const token = await administer({ command: 'create-token', kind: 'user', username });
  const { origin, credentials } = service;
  project.provide('testbed', { origin, token, credentials, browser: browser.wsEndpoint() });
  return async () => {
    await browser.close();
    await service.stop();
    rmSync(folder, { recursive: true, force: true });
  };
};
