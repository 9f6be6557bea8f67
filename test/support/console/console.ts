import { mkdirSync } from 'node:fs';
import { join } from 'node:path';
import { EventBridgeClient, PutEventsCommand } from '@aws-sdk/client-eventbridge';
import axe from 'axe-core';
import { type Browser, type BrowserContextOptions, chromium, type Page, type Response } from 'playwright-core';
import { describe, expect, inject, onTestFinished } from 'vitest';
import { DEADLINE } from '../setup/deadline.ts';
import type { ConsoleTestbed } from './testbed.ts';

/** Tests of the web console in a browser: `describeConsole`, `openConsole` and the helpers below. */

const testbed = inject('testbed');

/** Groups tests that need the service and the browser. Without a browser they are skipped. */
export const describeConsole: typeof describe.skip = describe.skipIf(testbed === undefined);

const requireTestbed = (): ConsoleTestbed => {
  if (testbed === undefined) throw new Error('There is no browser');
  return testbed;
};

/** Returns the address of a path of the service. */
export const addressOf = (path: string): string => new URL(path, requireTestbed().origin).href;

/** Returns the token of the user who owns the organizations of the tests. */
export const ownerToken = (): string => requireTestbed().token;

// Requests to the API

export interface ApiRequest {
  readonly method?: string;
  readonly body?: object;
  /** By default, the token of the owner. */
  readonly token?: string;
  readonly headers?: Readonly<Record<string, string>>;
}

/**
 * Sends a request to the API.
 * @param path below `/api/v2`.
 * @returns the parsed document; undefined for a response without a body.
 * @throws with status and body if the request fails.
 */
// biome-ignore lint/suspicious/noExplicitAny: documents of any resource; tests read what they have created.
export const request = async (path: string, { method, body, token, headers }: ApiRequest = {}): Promise<any> => {
  const response = await fetch(addressOf(`/api/v2${path}`), {
    method: method ?? (body === undefined ? 'GET' : 'POST'),
    headers: {
      authorization: `Bearer ${token ?? ownerToken()}`,
      ...(body !== undefined && { 'content-type': 'application/vnd.api+json' }),
      ...headers,
    },
    ...(body !== undefined && { body: JSON.stringify(body) }),
  });
  const text = await response.text();
  if (!response.ok) throw new Error(`${method ?? ''} ${path}: ${response.status} ${text}`);
  return text === '' ? undefined : JSON.parse(text);
};

/** Creates a resource and returns it. @param path of the list, below `/api/v2`. */
export const create = async (path: string, type: string, attributes: object, relationships?: object) => {
  const data = { type, attributes, ...(relationships && { relationships }) };
  return (await request(path, { body: { data } })).data;
};

let organizations = 0;

/** Creates an organization of its own for a test or a file, and returns its name. */
export const createOrganization = async (prefix = 'acme'): Promise<string> => {
  organizations += 1;
  const name = `${prefix}-${process.pid}-${organizations}`;
  await create('/organizations', 'organizations', { name, email: 'owner@example.com' });
  return name;
};

/** Creates a workspace and returns it. */
export const createWorkspace = (
  organization: string,
  attributes: { readonly name: string; readonly [attribute: string]: unknown },
  relationships?: object,
) => create(`/organizations/${organization}/workspaces`, 'workspaces', attributes, relationships);

/**
 * Sends reports of runs and configuration versions to the bus, as a runner does. The service works on them after this
 * returns.
 * @param events detail types and their details without organization and workspace, at most ten.
 */
export const report = async (
  organization: string,
  workspace: string,
  events: readonly (readonly ['run.updated' | 'configuration-version.updated', object])[],
): Promise<void> => {
  const { origin, credentials } = requireTestbed();
  const bus = new EventBridgeClient({ endpoint: origin, region: 'us-east-1', credentials });
  const Entries = events.map(([DetailType, detail]) => ({
    EventBusName: 'holdfast',
    Source: 'holdfast.runner',
    DetailType,
    Detail: JSON.stringify({ organization, workspace, ...detail }),
  }));
  await bus.send(new PutEventsCommand({ Entries }));
  bus.destroy();
};

// The browser

/** Longest wait for what a page is expected to show, in milliseconds: far more than a busy computer needs. */
export const PATIENCE: number = DEADLINE / 5;

let connected: Promise<Browser> | undefined;

export interface OpenedConsole {
  readonly page: Page;
  readonly response: Response | null;
  /** URLs of all requests. */
  readonly requests: string[];
  /** Errors and warnings in the console of the browser, among them violations of the Content-Security-Policy. */
  readonly complaints: string[];
}

interface OpenOptions extends BrowserContextOptions {
  /** False: nobody is signed in. By default, the owner is. */
  readonly token?: string | false;
  /** Errors in the console of the browser that the test provokes. */
  readonly expectedComplaints?: RegExp;
  /** Fixed time of the clock of the page, in milliseconds; its timers run. By default, the clock of the computer. */
  readonly now?: number;
}

/**
 * Opens a page of the console in a browser context of its own. After the test, the console of the browser must have no
 * errors other than the expected ones.
 * @param path of the console, such as `/app/acme/workspaces`.
 */
export const openConsole = async (path: string, options: OpenOptions = {}): Promise<OpenedConsole> => {
  const { token = ownerToken(), expectedComplaints: expected, now, ...contextOptions } = options;
  connected ??= chromium.connect(requireTestbed().browser);
  const context = await (await connected).newContext({ locale: 'en-US', ...contextOptions });
  context.setDefaultTimeout(PATIENCE);
  const page = await context.newPage();
  if (now !== undefined) await page.clock.setFixedTime(now);
  if (token !== false) {
    // Any address of the service: session storage belongs to the tab and the origin.
    await page.goto(addressOf('/.well-known/terraform.json'));
    await page.evaluate((value) => sessionStorage.setItem('holdfast.token', value), token);
  }
  const [requests, complaints]: [string[], string[]] = [[], []];
  page.on('request', (sent) => requests.push(sent.url()));
  page.on('console', (message) => {
    const { url } = message.location();
    // Browsers request it for addresses without HTML.
    if (url.endsWith('/favicon.ico')) return;
    if (['error', 'warning'].includes(message.type())) complaints.push(`${message.text()} (${url})`);
  });
  page.on('pageerror', (error) => complaints.push(error.message));
  onTestFinished(async () => {
    await context.close();
    expect(complaints.filter((text) => expected === undefined || !expected.test(text))).toEqual([]);
  });
  const response = await page.goto(addressOf(path));
  return { page, response, requests, complaints };
};

/**
 * Chooses an action in the menu of a row of a list.
 * @param label of the action, such as "Edit".
 */
export const chooseAction = async (page: Page, label: string, row: string): Promise<void> => {
  await page.getByRole('button', { name: `Actions on ${row}`, exact: true }).click();
  await page.getByRole('menuitem', { name: label, exact: true }).click();
};

type Theme = 'light' | 'dark';

const allRules = ['wcag2a', 'wcag2aa', 'wcag21a', 'wcag21aa', 'wcag22aa', 'best-practice'];
/** The themes differ in nothing but colors. */
const colorRules = ['color-contrast', 'link-in-text-block'];

/**
 * Lists the elements that react to clicks and that the Tab key does not reach. React keeps the handlers in a property of the
 * element. The arrow keys reach entries of menus, options, the tags of a row and the points of a chart, and what has `aria-hidden` is a second way to do something.
 */
const findPointerOnly = (page: Page): Promise<readonly string[]> =>
  page.evaluate(() => {
    const reacts = (element: Element): boolean => {
      const name = Object.keys(element).find((key) => key.startsWith('__reactProps$'));
      return (
        name !== undefined && 'onClick' in Reflect.get(element, name) && Reflect.get(element, name).onClick != null
      );
    };
    return [...document.querySelectorAll<HTMLElement>('body *')]
      .filter((element) => reacts(element) && element.tabIndex < 0)
      .filter(
        (element) =>
          element.closest(
            '[aria-hidden="true"], [role^="menuitem"], [role="option"], .tag-link, .course-points, .heat-map, .run-bars',
          ) === null,
      )
      .map(({ outerHTML }) => outerHTML.slice(0, 200));
  });

/**
 * Expects that axe finds nothing on the page, by default in the light and in the dark theme, and that the keyboard reaches
 * everything that reacts to clicks.
 */
export const expectAccessible = async (page: Page, themes: readonly Theme[] = ['light', 'dark']): Promise<void> => {
  expect(await findPointerOnly(page), `${page.url()}: elements out of reach of the keyboard`).toEqual([]);
  await page.evaluate(axe.source);
  for (const [index, colorScheme] of themes.entries()) {
    await page.emulateMedia({ colorScheme, reducedMotion: 'reduce' });
    const found = await page.evaluate(`(async () => {
      const options = { runOnly: ${JSON.stringify(index === 0 ? allRules : colorRules)}, resultTypes: ['violations'] };
      const { violations } = await axe.run(document, options);
      return violations.map(({ id, nodes }) => [id, nodes.slice(0, 3).map(({ html }) => html)]);
    })()`);
    expect(found, `${page.url()} in the ${colorScheme} theme`).toEqual([]);
  }
};

/** Expects that the page is not wider than its window. */
export const expectNoSidewaysScrolling = async (page: Page): Promise<void> => {
  expect(await page.evaluate(() => document.documentElement.scrollWidth - innerWidth)).toBeLessThanOrEqual(0);
};

/** Folder for screenshots; undefined if none are taken. */
export const screenshotFolder: string | undefined = process.env['HOLDFAST_SCREENSHOTS'];

/** Returns the height of a window that shows the whole page, whose main part scrolls. */
const heightOf = (page: Page): Promise<number> =>
  page.evaluate(() => {
    const main = document.querySelector('main');
    return main === null ? 0 : window.innerHeight - main.clientHeight + main.scrollHeight;
  });

/**
 * Takes screenshots of the page at 1280 and 390 pixels in both themes, if HOLDFAST_SCREENSHOTS names a folder for them
 * (`npm run console:screenshots`).
 * @param name such as `workspaces`. The files are `workspaces-1280-light.png` and so on.
 * @param isWhole the window becomes as high as the page.
 */
export const takeScreenshots = async (page: Page, name: string, isWhole = false): Promise<void> => {
  if (screenshotFolder === undefined) return;
  mkdirSync(screenshotFolder, { recursive: true });
  const size = page.viewportSize();
  for (const [width, height] of [
    [1280, 800],
    [390, 844],
  ] as const) {
    await page.setViewportSize({ width, height });
    if (isWhole) await page.setViewportSize({ width, height: Math.max(height, await heightOf(page)) });
    for (const colorScheme of ['light', 'dark'] as const) {
      await page.emulateMedia({ colorScheme, reducedMotion: 'reduce' });
      await page.screenshot({ path: join(screenshotFolder, `${name}-${width}-${colorScheme}.png`) });
    }
  }
  if (size) await page.setViewportSize(size);
};
