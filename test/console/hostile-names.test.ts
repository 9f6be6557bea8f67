import type { Page } from 'playwright-core';
import { beforeAll, expect, it } from 'vitest';
import {
  create,
  createOrganization,
  createWorkspace,
  describeConsole,
  openConsole,
  request,
} from '../support/console/console.ts';
import { serveSignIns } from '../support/console/sign-ins.ts';

/** Markup that would run as a script, characters that nobody sees, right-to-left letters, and a word without a break. */
// cspell:disable-next-line
const HOSTILE = `<img src=x onerror="globalThis.hostile=1"><script>globalThis.hostile=1</script>\u202Etxt\u200B\u2066שלום${'W'.repeat(120)}`;
/** Without characters that the API does not accept in the address of an e-mail or of a repository. */
const HOSTILE_WORD = HOSTILE.replaceAll(/[\s@]/g, '');

/** Names of which the API accepts few characters. The responses that the page receives have the hostile text instead. */
const PLACEHOLDER = 'Placeholder';

/** Lists the elements that are visible outside of the window. What is cut or scrolls in a box of its own is within it. */
const findOutside = (page: Page): Promise<readonly string[]> =>
  page.evaluate(() => {
    const isBoxed = (element: Element): boolean => {
      for (let box = element.parentElement; box !== null && !box.matches('main, body'); box = box.parentElement) {
        if (getComputedStyle(box).overflowX !== 'visible') return true;
      }
      return false;
    };
    return [...document.querySelectorAll('body *')]
      .filter((element) => {
        const { left, right, width } = element.getBoundingClientRect();
        const isOutside = width > 1 && (left < -1 || right > innerWidth + 1);
        return isOutside && element.checkVisibility({ visibilityProperty: true }) && !isBoxed(element);
      })
      .map(({ outerHTML }) => outerHTML.slice(0, 200));
  });

describeConsole('hostile names in the web console', () => {
  let organization: string;

  beforeAll(async () => {
    organization = await createOrganization();
    const path = `/organizations/${organization}`;
    const team = await create(`${path}/teams`, 'teams', { name: PLACEHOLDER });
    await create(`/teams/${team.id}/authentication-tokens`, 'authentication-tokens', { description: HOSTILE });
    const members = { teams: { data: [{ type: 'teams', id: team.id }] } };
    const email = `${HOSTILE_WORD}@example.com`;
    await create(`${path}/organization-memberships`, 'organization-memberships', { email }, members);
    const project = await create(`${path}/projects`, 'projects', { name: PLACEHOLDER, description: HOSTILE });
    await create(
      '/team-projects',
      'team-projects',
      { access: 'read' },
      { project: { data: { type: 'projects', id: project.id } }, team: { data: { type: 'teams', id: team.id } } },
    );
    const set = await create(`${path}/varsets`, 'varsets', { name: PLACEHOLDER, description: HOSTILE, global: true });
    const variable = { key: PLACEHOLDER, value: HOSTILE, category: 'infra' };
    await create(`/varsets/${set.id}/relationships/vars`, 'vars', variable);
    await create(`${path}/agent-pools`, 'agent-pools', { name: PLACEHOLDER });
    await create(`${path}/ssh-keys`, 'ssh-keys', { name: PLACEHOLDER, value: 'key' });
    await create(`${path}/reserved-tag-keys`, 'reserved-tag-keys', { key: PLACEHOLDER });
    const connection = await create(`${path}/oauth-clients`, 'oauth-clients', {
      name: PLACEHOLDER,
      'service-provider': 'github',
      'http-url': `https://example.com/${HOSTILE_WORD}`,
    });
    const workspace = await createWorkspace(
      organization,
      {
        name: 'network',
        description: HOSTILE,
        'working-directory': HOSTILE,
        'vcs-repo': {
          identifier: `${HOSTILE_WORD}/${HOSTILE_WORD}`.slice(0, 250),
          branch: HOSTILE,
          'oauth-token-id': connection.relationships['oauth-tokens'].data[0].id,
        },
      },
      {
        project: { data: { type: 'projects', id: project.id } },
        tags: { data: [{ type: 'tags', attributes: { name: PLACEHOLDER } }] },
      },
    );
    await create(`/workspaces/${workspace.id}/vars`, 'vars', { ...variable, description: HOSTILE });
    await request(`/workspaces/${workspace.id}/actions/lock`, { body: { reason: HOSTILE.repeat(3) } });
    const removed = await createWorkspace(organization, { name: PLACEHOLDER });
    await request(`/workspaces/${removed.id}`, { method: 'DELETE' });
  });

  it('run no scripts, stay within the page, and show the characters that nobody sees', async () => {
    const { page } = await openConsole('/app/sign-in', {
      viewport: { width: 390, height: 844 },
      expectedComplaints: /status of 404/,
    });
    await page.route('**/api/**', async (route) => {
      const response = await route.fetch();
      const text = await response.text();
      await route.fulfill({ response, body: text.replaceAll(PLACEHOLDER, JSON.stringify(HOSTILE).slice(1, -1)) });
    });
    // They come from identity providers, of which this service has none.
    await serveSignIns(page, HOSTILE);
    const findings: unknown[] = [];
    const check = async () => {
      // A field shows what is edited as it is.
      const shown = await page.evaluate(() => {
        const copy = document.body.cloneNode(true) as HTMLElement;
        for (const field of copy.querySelectorAll('textarea')) field.remove();
        return copy.textContent ?? '';
      });
      if (!shown.includes('U+202EtxtU+200BU+2066')) findings.push([page.url(), 'The hostile text is not shown.']);
      const invisible = shown.match(/.{0,60}[\u200B\u202E\u2066]/);
      if (invisible !== null) findings.push([page.url(), invisible[0]]);
      for (const element of await findOutside(page)) findings.push([page.url(), element]);
    };
    // Without loading the console again, which takes most of the time.
    const openPage = async (path: string, title: string, parent = organization) => {
      await page.evaluate((to) => history.pushState({}, '', to), `/app/${parent}/${path}`);
      await page.getByRole('heading', { level: 1, name: title, exact: true }).waitFor();
      await page.getByRole('main').getByText('<script>').first().waitFor();
    };
    for (const [path, title] of [
      ['workspaces', 'Workspaces'],
      ['locks', 'Locks'],
      ['deleted-workspaces', 'Deleted workspaces'],
      ['projects', 'Projects'],
      ['variable-sets', 'Variable sets'],
      ['teams', 'Teams'],
      ['members', 'Members'],
      ['api-tokens', 'Tokens'],
      ['agent-pools', 'Agent pools'],
      ['ssh-keys', 'SSH keys'],
      ['vcs-connections', 'VCS connections'],
      ['reserved-tags', 'Reserved tags'],
      ['audit-trail', 'Audit trail'],
    ] as const) {
      await openPage(path, title);
      await check();
    }
    for (const [tab, content] of [
      ['', 'Repository'],
      ['/variables', 'this workspace'],
      ['/history', 'Filters'],
      ['/settings', 'Values of all attributes'],
    ] as const) {
      await openPage(`workspaces/network${tab}`, 'network');
      await page.getByText(content).first().waitFor();
      await check();
    }
    for (const [path, title] of [
      ['sessions', 'Your sessions'],
      ['linked-identities', 'Linked identities'],
    ] as const) {
      await openPage(path, title, 'settings');
      await check();
    }
    await openPage('projects', 'Projects');
    await page.getByRole('link', { name: /^<img/ }).click();
    await page.getByRole('button', { name: /^Remove <img/ }).waitFor();
    await page.waitForLoadState('networkidle');
    await check();
    expect(findings).toEqual([]);
    expect(await page.evaluate(() => Reflect.get(globalThis, 'hostile'))).toBeUndefined();
    // The end of the test may interrupt a request that is still on its way.
    await page.unrouteAll({ behavior: 'ignoreErrors' });
  });
});
