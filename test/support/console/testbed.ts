import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { chromium } from 'playwright-core';
import { startService } from '../../../infra/local/service/service.ts';
import { launchOptions } from '../browser/find-browser.ts';
import { synthesizedOnce } from '../setup/build-once.ts';

/** A service and a browser for the web console. Its members can be sent to another process. */
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

/** Starts a service and a browser. @returns both, and a function that stops them. */
export const startTestbed = async (
  executable: string,
): Promise<{ readonly testbed: ConsoleTestbed; readonly stop: () => Promise<void> }> => {
  const folder = mkdtempSync(join(tmpdir(), 'holdfast-console-'));
  const assembly = await synthesizedOnce({ deviceLogin: true });
  const service = await startService({ dataFolder: join(folder, 'data'), assembly });
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
  const stop = async () => {
    await browser.close();
    await service.stop();
    rmSync(folder, { recursive: true, force: true });
  };
  return { testbed: { origin, token, credentials, browser: browser.wsEndpoint() }, stop };
};
