import { spawn } from 'node:child_process';
import { mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { type Browser, chromium } from 'playwright-core';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { findBrowser, launchOptions } from '../support/browser/find-browser.ts';
import { findCommand, installedPrograms, type Program } from '../support/clients/programs.ts';
import { type SecureService, startSecureService } from '../support/clients/secure-service.ts';
import { codeBlocks } from '../support/docs/pages.ts';
import { removedAfterwards } from '../support/local/small-assembly.ts';

/** `terraform login` and `tofu login` over HTTPS, with a browser in which the user allows it. */
const executable = findBrowser();
const commandLines = installedPrograms().filter(
  ({ name }) =>
    ['terraform', 'tofu'].includes(name) && findCommand('openssl') !== undefined && executable !== undefined,
);
if (commandLines.length === 0)
  console.warn('Skipped: terraform, openssl or a browser is not installed on this computer');

// A file needs a test, also where everything is skipped.
it.skipIf(commandLines.length === 0)('a command line and a browser are installed', () => {
  expect(executable).toBeDefined();
});

/** A run of a command line that has an own HOME, and finds no program that could open a browser. */
const run = ({ path }: Program, home: string, words: readonly string[], environment: object, input = '') => {
  mkdirSync(join(home, '.terraform.d'), { recursive: true });
  const child = spawn(path, words, {
    cwd: home,
    env: { HOME: home, PATH: home, CHECKPOINT_DISABLE: '1', ...environment },
  });
  let output = '';
  for (const stream of [child.stdout, child.stderr]) stream.on('data', (chunk) => (output += String(chunk)));
  child.stdin.on('error', () => {}).end(input);
  const ended = new Promise<number | null>((resolve) => child.once('close', resolve));
  return { child, ended, output: () => output };
};

describe.each(commandLines)('the login of $name $version', (program) => {
  const folder = removedAfterwards();
  let secure: SecureService;
  let browser: Browser;
  beforeAll(async () => {
    secure = await startSecureService(folder);
    browser = await chromium.launch(launchOptions(executable ?? ''));
  });
  afterAll(async () => {
    await browser?.close();
    await secure?.stop();
  });

  /** Logs in, and allows it in the browser, which is signed in at an origin. @returns the output of the command line. */
  const login = async (host: string, home: string, origin: string): Promise<string> => {
    const { child, ended, output } = run(program, home, ['login', host], secure.environment, 'yes\n');
    const addressIn = () => /https?:\/\/\S+\/oauth2\/authorize\?\S+/.exec(output())?.[0];
    await expect.poll(() => addressIn() ?? child.exitCode, { interval: 100 }).not.toBeNull();
    const address = addressIn();
    if (address === undefined) throw new Error(output());
    const context = await browser.newContext({ ignoreHTTPSErrors: true });
    const page = await context.newPage();
    await page.goto(`${origin}/.well-known/terraform.json`);
    await page.evaluate((token) => sessionStorage.setItem('holdfast.token', token), secure.service.token ?? '');
    await page.goto(address);
    await page.getByRole('button', { name: 'Allow', exact: true }).click();
    // The command line ends while the browser shows its page.
    expect(await ended, output()).toBe(0);
    await context.close();
    return output();
  };

  it('stores a token, with which a plan runs', async () => {
    const home = join(folder, 'home');
    await login(secure.host, home, `https://${secure.host}`);
    const stored = JSON.parse(readFileSync(join(home, '.terraform.d/credentials.tfrc.json'), 'utf8'));
    const { token } = stored.credentials[secure.host];
    expect(token).toMatch(/^hfu_/);
    expect(token).not.toBe(secure.service.token);
    writeFileSync(
      join(home, 'main.tf'),
      `terraform {
  cloud {
    hostname     = "${secure.host}"
    organization = "demo"
    workspaces { name = "after-login" }
  }
}
resource "terraform_data" "one" {}`,
    );
    for (const words of [['init'], ['plan']]) {
      const { ended, output } = run(program, home, [...words, '-no-color', '-input=false'], secure.environment);
      expect(await ended, output()).toBe(0);
      if (words[0] === 'plan') expect(output()).toContain('1 to add');
    }
  });

  it('works at the local service without HTTPS, with the settings of docs/getting-started.md', async () => {
    const home = join(folder, 'laptop');
    mkdirSync(home);
    const { origin } = secure.service;
    const settings = codeBlocks('docs/getting-started.md', 'hcl').find((block) => block.includes('login.v1')) ?? '';
    writeFileSync(join(home, '.terraformrc'), settings.replaceAll('http://127.0.0.1:8080', origin));
    await login('holdfast.local', home, origin);
    const stored = JSON.parse(readFileSync(join(home, '.terraform.d/credentials.tfrc.json'), 'utf8'));
    expect(stored.credentials['holdfast.local'].token).toMatch(/^hfu_/);
  });
});
