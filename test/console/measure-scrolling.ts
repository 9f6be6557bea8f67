import { type CDPSession, chromium, type Page } from 'playwright-core';
import { findBrowser } from '../support/browser/find-browser.ts';
import { MANY, serveManyWorkspaces } from '../support/console/many-workspaces.ts';
import { startTestbed } from '../support/console/testbed.ts';

/**
 * `npm run bench:console` scrolls through a list of 10,000 workspaces in Chromium, and through an empty container of the same
 * height, in alternating turns. It counts frames, long frames and drawn rows, and compares the CPU time of the pages.
 */
const TURNS = 5;
const FRAMES = 120;
/** Distance of a frame, in pixels: about three rows. */
const STEP = 120;

const executable = findBrowser();
if (executable === undefined) throw new Error('There is no Chromium here: apt-get install chromium-headless-shell');

interface Turn {
  /** Times between frames, in milliseconds. */
  readonly intervals: readonly number[];
  /** Largest number of rows in the document. */
  readonly rows: number;
  /** CPU time of the page: scripts, styles, layout, painting. In seconds. */
  readonly work: number;
  readonly layouts: number;
}

const metrics = async (session: CDPSession): Promise<ReadonlyMap<string, number>> =>
  new Map((await session.send('Performance.getMetrics')).metrics.map(({ name, value }) => [name, value]));

/** Scrolls an element one step in each frame. */
const scroll = async (page: Page, session: CDPSession, selector: string): Promise<Turn> => {
  const before = await metrics(session);
  const { intervals, rows } = await page.evaluate(
    ([target, frames, step]) =>
      new Promise<{ intervals: number[]; rows: number }>((resolve) => {
        const element = document.querySelector(target);
        if (element === null) throw new Error(`${target} is missing`);
        const found: number[] = [];
        let most = 0;
        let last = performance.now();
        const draw = (now: number) => {
          found.push(now - last);
          last = now;
          most = Math.max(most, element.querySelectorAll('tbody tr').length);
          element.scrollBy(0, step);
          if (found.length < frames) requestAnimationFrame(draw);
          else resolve({ intervals: found.slice(1), rows: most });
        };
        element.scrollTo(0, 0);
        requestAnimationFrame(draw);
      }),
    [selector, FRAMES, STEP] as const,
  );
  const after = await metrics(session);
  const difference = (name: string) => (after.get(name) ?? 0) - (before.get(name) ?? 0);
  return { intervals, rows, work: difference('TaskDuration'), layouts: difference('LayoutCount') };
};

const { testbed, stop } = await startTestbed(executable);
const browser = await chromium.connect(testbed.browser);
try {
  const send = async (path: string, data: object) => {
    const response = await fetch(`${testbed.origin}/api/v2${path}`, {
      method: 'POST',
      headers: { authorization: `Bearer ${testbed.token}`, 'content-type': 'application/vnd.api+json' },
      body: JSON.stringify({ data }),
    });
    const document = (await response.json()) as { readonly data: Parameters<typeof serveManyWorkspaces>[1] };
    return document.data;
  };
  await send('/organizations', { type: 'organizations', attributes: { name: 'acme', email: 'ada@example.com' } });
  const template = await send('/organizations/acme/workspaces', {
    type: 'workspaces',
    attributes: { name: 'template' },
  });
  const openPage = async (): Promise<readonly [Page, CDPSession]> => {
    const context = await browser.newContext({ viewport: { width: 1280, height: 800 } });
    const page = await context.newPage();
    const session = await context.newCDPSession(page);
    // CPU time of the thread of the page, which does not grow with what else the machine does.
    await session.send('Performance.enable', { timeDomain: 'threadTicks' });
    return [page, session];
  };
  const [list, listSession] = await openPage();
  await list.goto(`${testbed.origin}/.well-known/terraform.json`);
  await list.evaluate((token) => sessionStorage.setItem('holdfast.token', token), testbed.token);
  await serveManyWorkspaces(list, template);
  await list.goto(`${testbed.origin}/app/acme/workspaces`);
  await list.getByRole('link', { name: 'workspace-0', exact: true }).waitFor();
  const [empty, emptySession] = await openPage();
  await empty.setContent('<div id="scroller" style="height: 600px; overflow: auto"><div style="height: 440000px">');

  const turns: { readonly list: Turn; readonly empty: Turn }[] = [];
  for (let turn = 0; turn < TURNS; turn += 1) {
    await list.bringToFront();
    const ofList = await scroll(list, listSession, '.virtual-table');
    await empty.bringToFront();
    turns.push({ list: ofList, empty: await scroll(empty, emptySession, '#scroller') });
  }
  const all = (kind: 'list' | 'empty') => turns.map((turn) => turn[kind]);
  const intervals = (kind: 'list' | 'empty') =>
    all(kind)
      .flatMap((turn) => turn.intervals)
      .sort((a, b) => a - b);
  const quantile = (kind: 'list' | 'empty', part: number) => {
    const sorted = intervals(kind);
    return sorted[Math.floor((sorted.length - 1) * part)] ?? 0;
  };
  // A frame that took more than one and a half times as long as the usual one of the empty page.
  const usual = quantile('empty', 0.5);
  const late = (kind: 'list' | 'empty') => intervals(kind).filter((interval) => interval > usual * 1.5).length;
  const sum = (kind: 'list' | 'empty', name: 'work' | 'layouts') =>
    all(kind).reduce((total, turn) => total + turn[name], 0);
  const ratio = (part: number) => (quantile('list', part) / quantile('empty', part)).toFixed(2);
  const frames = intervals('list').length;
  const rows: readonly (readonly [string, string | number])[] = [
    ['Workspaces in the list', MANY.toLocaleString('en')],
    ['Frames on each page', frames],
    ['Largest number of rows in the document', Math.max(...all('list').map((turn) => turn.rows))],
    ['Layouts for each frame', (sum('list', 'layouts') / frames).toFixed(2)],
    ['Median time of a frame, relative to the empty page', ratio(0.5)],
    ['95th percentile of it, relative to the empty page', ratio(0.95)],
    ['Late frames, of the list and of the empty page', `${late('list')}, ${late('empty')}`],
    ['CPU time of a frame, in milliseconds', ((sum('list', 'work') / frames) * 1_000).toFixed(1)],
    ['CPU time of a frame, relative to the empty page', (sum('list', 'work') / sum('empty', 'work')).toFixed(1)],
  ];
  console.log(
    ['| Scrolling | |', '| --- | ---: |', ...rows.map(([name, value]) => `| ${name} | ${value} |`)].join('\n'),
  );
} finally {
  await browser.close();
  await stop();
}
