import { type ChildProcess, execFile, spawn } from 'node:child_process';
import { existsSync, mkdirSync, symlinkSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { promisify } from 'node:util';
import { type Browser, chromium, type Page } from 'playwright-core';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { findBrowser, launchOptions } from '../support/browser/find-browser.ts';
import { findFreePort } from '../support/clients/free-port.ts';
import { findCommand, keycloak, usesAllClients } from '../support/clients/programs.ts';
import { codeBlocks } from '../support/docs/pages.ts';
import { removedAfterwards } from '../support/local/small-assembly.ts';
import { POLL_DEADLINE } from '../support/setup/deadline.ts';

/**
 * The page about Keycloak: its commands are run as they are printed, except for the ports, and then people sign in through the
 * pages of Keycloak.
 */
const blocks = codeBlocks('docs/operate/keycloak.md', 'sh');
const [addresses, download, startKeycloak, createRealm, createClient, startHoldfast, mapGroups, disable, rotate] =
  blocks;

const executable = findBrowser();
const missing = [
  ...['bash', 'java', 'mvn', 'unzip'].filter((name) => findCommand(name) === undefined),
  ...(executable === undefined ? ['a browser'] : []),
  ...(existsSync(keycloak.path) ? [] : [`Keycloak ${keycloak.version}`]),
];
const isSkipped = !usesAllClients || missing.length > 0;
if (usesAllClients && missing.length > 0)
  console.warn(`Skipped: ${missing.join(', ')} is not installed on this computer`);

// A file needs a test, also where everything is skipped.
it('the page about Keycloak has the commands of a session, with the version that is tested', () => {
  expect(blocks).toHaveLength(9);
  expect(download).toContain(`:${keycloak.version}:zip`);
});

/** Time within which the tokens of an ended session are rejected (AUTH-5), with the way of the message from Keycloak. */
const SECONDS_TO_END = 5_000;

describe.skipIf(isSkipped)('Keycloak, connected by the commands of the documentation', () => {
  const home = removedAfterwards();
  const clone = join(home, 'clone');
  const servers: ChildProcess[] = [];
  let ports: Readonly<Record<'8080' | '8180', number>>;
  let origin: string;
  let browser: Browser;

  const withPorts = (script: string): string =>
    script.replaceAll(/\b(8080|8180)\b/g, (port) => String(ports[port as '8080']));
  const environment = () => ({
    ...process.env,
    HOME: home,
    // Java takes the home folder from the user database.
    KC_OPTS: `-Duser.home=${home}`,
    PORT: String(ports['8080']),
  });

  /** Runs commands in a terminal that knows the addresses of the page. @returns what they print. */
  const run = async (script = ''): Promise<string> => {
    const path = 'export PATH=$PATH:$HOME/keycloak/keycloak-26.7.3/bin';
    const { stdout } = await promisify(execFile)(
      'bash',
      ['-euo', 'pipefail', '-c', withPorts(`${addresses}${path}\n${script}`)],
      {
        cwd: clone,
        timeout: POLL_DEADLINE,
        env: environment(),
      },
    );
    return stdout.trim();
  };

  /** Starts a server in a terminal of its own, and waits until an address responds. */
  const start = async (script = '', address: string): Promise<void> => {
    const server = spawn('bash', ['-euo', 'pipefail', '-c', withPorts(script)], {
      cwd: clone,
      env: environment(),
      // A process group, so that the processes that the script starts end with it.
      detached: true,
      stdio: ['ignore', 'pipe', 'pipe'],
    });
    servers.push(server);
    let output = '';
    for (const stream of [server.stdout, server.stderr]) stream?.on('data', (chunk) => (output += String(chunk)));
    while ((await fetch(address).catch(() => undefined))?.status !== 200) {
      if (server.exitCode !== null) throw new Error(output);
      await sleep(500);
    }
  };
  const stop = async (server: ChildProcess): Promise<void> => {
    if (server.exitCode !== null || server.pid === undefined) return;
    const ended = new Promise((resolve) => server.once('close', resolve));
    process.kill(-server.pid, 'SIGTERM');
    await ended;
  };

  beforeAll(async () => {
    ports = { 8080: await findFreePort(), 8180: await findFreePort() };
    origin = `http://127.0.0.1:${ports['8080']}`;
    mkdirSync(clone);
    for (const name of ['package.json', 'infra', 'shared', 'node_modules'])
      symlinkSync(join(import.meta.dirname, '../..', name), join(clone, name));
    await run(download);
    await start(startKeycloak, `http://127.0.0.1:${ports['8180']}/realms/master`);
    await run(createRealm);
    await run(createClient);
    await start(startHoldfast?.replace('npm ci\n', ''), `${origin}/sign-in/providers`);
    await run(mapGroups);
    browser = await chromium.launch(launchOptions(executable ?? ''));
  });
  afterAll(async () => {
    await browser?.close();
    for (const server of servers.reverse()) await stop(server);
  });

  /** Opens the sign-in page in a new browser, and signs in as a person with the password of the page. */
  const signIn = async (person: string): Promise<Page> => {
    const context = await browser.newContext();
    const page = await context.newPage();
    await page.goto(`${origin}/`);
    await page.getByRole('link', { name: 'Sign in with Acme login' }).click();
    await page.getByLabel('Username or email').fill(person);
    await page.locator('#password').fill(person);
    await page.getByRole('button', { name: 'Sign In' }).click();
    return page;
  };
  /** Signs in until the console shows the account. @returns the token of the console. */
  const getToken = async (page: Page): Promise<string> => {
    await page.getByRole('button', { name: 'Account and display' }).waitFor();
    return page.evaluate(() => sessionStorage.getItem('holdfast.token') ?? '');
  };
  const get = async (token: string, path: string) => {
    const response = await fetch(`${origin}/api/v2${path}`, { headers: { authorization: `Bearer ${token}` } });
    // biome-ignore lint/suspicious/noExplicitAny: documents of every shape.
    return { status: response.status, body: (await response.json()) as any };
  };
  const canDestroy = async (token: string) => {
    const { status, body } = await get(token, '/organizations/demo');
    return status === 200 ? body.data.attributes.permissions['can-destroy'] : status;
  };
  const idOf = (resource: string, query: string) =>
    run(`kcadm.sh get ${resource} -r $REALM -q ${query} -q exact=true --fields id --format csv --noquotes`);

  it('gives the rights of the groups with the first request', async () => {
    const page = await signIn('bob');
    await page.getByRole('heading', { name: 'Workspaces', exact: true }).waitFor();
    expect(await canDestroy(await getToken(page))).toBe(false);
    const alice = await getToken(await signIn('alice'));
    expect(await canDestroy(alice)).toBe(true);
    expect((await get(alice, '/account/details')).body.data.attributes).toMatchObject({ username: 'alice' });
  });

  it('ends the session here and in Keycloak when the person signs out', async () => {
    const page = await signIn('alice');
    const token = await getToken(page);
    await page.getByRole('button', { name: 'Account and display' }).click();
    await page.getByRole('menuitem', { name: 'Sign out' }).click();
    await page.getByRole('button', { name: 'Logout' }).click();
    await page.getByRole('link', { name: 'Sign in with Acme login' }).click();
    await page.getByLabel('Username or email').waitFor();
    await expect.poll(async () => (await get(token, '/account/details')).status, { timeout: SECONDS_TO_END }).toBe(401);
  });

  it('takes the rights of a group at the next sign-in after the person has left it', async () => {
    const [user, group] = [await idOf('users', 'username=bob'), await idOf('groups', 'search=platform')];
    await run(`kcadm.sh delete users/${user}/groups/${group} -r $REALM`);
    expect(await canDestroy(await getToken(await signIn('bob')))).toBe(404);
    await run(`kcadm.sh update users/${user}/groups/${group} -r $REALM -n`);
    expect(await canDestroy(await getToken(await signIn('bob')))).toBe(false);
  });

  it('accepts the new key of a realm', async () => {
    await run(rotate);
    const page = await signIn('alice');
    const rejected = page.getByText('The response of the identity provider is not valid');
    await page.getByRole('button', { name: 'Account and display' }).or(rejected).waitFor();
    const again = (await rejected.isVisible()) ? await signIn('alice') : page;
    expect(await canDestroy(await getToken(again))).toBe(true);
  });

  it('ends the sessions of a disabled person within five seconds by back-channel logout, and shows that at the next sign-in', async () => {
    const token = await getToken(await signIn('bob'));
    await run(disable);
    await expect.poll(async () => (await get(token, '/account/details')).status, { timeout: SECONDS_TO_END }).toBe(401);
    await (await signIn('bob')).getByText('Account is disabled').waitFor();
  });

  it('explains a client that is confidential, and an address that is not registered', async () => {
    const client = await idOf('clients', 'clientId=holdfast');
    await run(`kcadm.sh update clients/${client} -r $REALM -s publicClient=false`);
    await (await signIn('alice')).getByText('Acme login does not accept this deployment').waitFor();
    await run(
      `kcadm.sh update clients/${client} -r $REALM -s publicClient=true -s 'redirectUris=["https://other.example.com/"]'`,
    );
    const page = await browser.newPage();
    await page.goto(`${origin}/sign-in/keycloak`);
    await page.getByText('Invalid parameter: redirect_uri').waitFor();
    expect(new URL(page.url()).port).toBe(String(ports['8180']));
  });
});
