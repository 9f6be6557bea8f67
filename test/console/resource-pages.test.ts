import { createHash } from 'node:crypto';
import { beforeAll, expect, it } from 'vitest';
import { digestOf, mintToken } from '../../shared/access/credentials.ts';
import {
  addressOf,
  create,
  createOrganization,
  createWorkspace,
  describeConsole,
  expectAccessible,
  expectNoSidewaysScrolling,
  openConsole,
  report,
  request,
} from '../support/console/console.ts';

/** A browser reports each response with 404. */
const notFound = /404 \(Not Found\)/;

const one = (type: string, id: string) => ({ data: { type, id } });

describeConsole('the page of one resource', () => {
  let organization: string;

  beforeAll(async () => {
    organization = await createOrganization();
  });

  /** Creates a project and returns it. */
  const createProject = (attributes: { readonly name: string; readonly [attribute: string]: unknown }) =>
    create(`/organizations/${organization}/projects`, 'projects', attributes);

  it('shows what a project contains, what applies to it, and its settings', async () => {
    const project = await createProject({ name: 'payments', description: 'Everything about money' });
    const placed = { project: one('projects', project.id) };
    const { id: ledger } = await createWorkspace(organization, { name: 'ledger' }, placed);
    for (let number = 1; number <= 8; number += 1)
      await createWorkspace(organization, { name: `invoices-${number}` }, placed);
    await request(`/workspaces/${ledger}/actions/lock`, { body: { reason: 'Audit' } });
    const list = `/organizations/${organization}/varsets`;
    await create(list, 'varsets', { name: 'everywhere', global: true });
    await create(list, 'varsets', { name: 'own', priority: true }, { parent: one('projects', project.id) });
    await create(list, 'varsets', { name: 'elsewhere' });
    const { page, requests } = await openConsole(`/app/${organization}/projects/${project.id}`);
    await page.getByRole('heading', { level: 1, name: 'payments' }).waitFor();
    await page.waitForLoadState('networkidle');
    await expect.poll(() => page.title()).toBe('payments · Holdfast');
    await page.getByText('Everything about money').waitFor();
    const current = page.getByRole('navigation', { name: 'Organization' }).locator('[aria-current="page"]');
    await expect.poll(() => current.textContent()).toBe('Projects');

    const workspaces = page.getByRole('table', { name: 'Workspaces' });
    await expect.poll(() => workspaces.getByRole('row').count()).toBe(9);
    await page.getByRole('link', { name: 'Show all 9' }).waitFor();
    const sets = page.getByRole('table', { name: 'Variable sets' });
    await sets.getByRole('row', { name: 'everywhere applies to all workspaces 0' }).waitFor();
    await sets.getByRole('row', { name: 'own priority owned by this project 0' }).waitFor();
    await expect.poll(() => sets.getByRole('row').count()).toBe(3);
    await page.getByText('remote (inherited)').waitFor();
    // One for each section, and none for each workspace.
    const sent = requests.filter((url) => url.includes('/api/v2/')).map((url) => new URL(url).pathname);
    expect(new Set(sent).size).toBe(sent.length);
    await expectAccessible(page);
    await page.setViewportSize({ width: 360, height: 740 });
    await expectNoSidewaysScrolling(page);

    await page.getByRole('link', { name: 'Show all 9' }).click();
    await page.waitForURL(new RegExp(`/workspaces\\?project=${project.id}$`));
    await page.getByRole('link', { name: 'ledger' }).click();
    const created = '/history?filter[action]=workspace.created';
    await expect.poll(async () => (await request(`/workspaces/${ledger}${created}`)).data.length).toBe(1);
    await page.getByRole('link', { name: 'History' }).click();
    await page.getByRole('button', { name: /^Details: Created/ }).click();
    await page.locator('.timeline').getByRole('link', { name: 'payments' }).click();
    await page.getByRole('heading', { level: 1, name: 'payments' }).waitFor();
  });

  it('renames a project at the same address, and continues with the list after its deletion', async () => {
    const pools = `/organizations/${organization}/agent-pools`;
    const pool = await create(pools, 'agent-pools', { name: 'builders' });
    const agent = { 'default-execution-mode': 'agent', 'default-agent-pool-id': pool.id };
    const project = await createProject({ name: 'short-lived', ...agent });
    const { page } = await openConsole(`/app/${organization}/projects/${project.id}`);
    await page.getByRole('button', { name: 'Edit', exact: true }).click();
    await page.getByRole('dialog').getByLabel('Name').fill('renamed');
    await page.getByRole('button', { name: 'Save' }).click();
    await page.getByRole('heading', { level: 1, name: 'renamed' }).waitFor();
    await expect.poll(() => page.url()).toMatch(new RegExp(`/projects/${project.id}$`));
    // An agent pool has no page: its row is marked.
    await page.getByRole('link', { name: 'builders' }).click();
    await page.waitForURL(new RegExp(`/agent-pools#${pool.id}$`));
    await page.locator('tr[aria-current="true"]').getByText('builders').waitFor();
    await page.goBack();
    await page.getByRole('button', { name: 'Delete', exact: true }).click();
    await page.getByLabel('Type renamed to confirm').fill('renamed');
    await page.getByRole('dialog').getByRole('button', { name: 'Delete' }).click();
    await page.getByText('Deleted the project renamed.').waitFor();
    await page.waitForURL(/\/projects$/);
    await page.getByRole('link', { name: 'Default Project' }).click();
    await page.getByRole('button', { name: 'Delete', description: 'The default project cannot be deleted.' }).waitFor();
    await page.getByRole('link', { name: 'Projects', exact: true }).first().click();
    await page.getByRole('link', { name: 'payments' }).waitFor();
    await expect.poll(() => page.getByRole('link', { name: 'renamed' }).count()).toBe(0);
  });

  /** Uploads a state with one output for each of its numbers, with the token of a run or as the owner. */
  const uploadState = (workspace: string, serial: number, token?: string) => {
    const numbers = Array.from({ length: serial }, (_, index) => [`number_${index}`, { value: index, type: 'number' }]);
    const outputs = Object.fromEntries(numbers);
    const state = { version: 4, terraform_version: '1.11.4', serial, lineage: 'a', outputs, resources: [] };
    const content = JSON.stringify(state);
    const attributes = {
      serial,
      lineage: 'a',
      md5: createHash('md5').update(content).digest('hex'),
      state: Buffer.from(content).toString('base64'),
    };
    const body = { data: { type: 'state-versions', attributes } };
    return request(`/workspaces/${workspace}/state-versions`, { body, ...(token !== undefined && { token }) });
  };

  it('shows what a run has changed, its phases, its commit, and when it held the lock', async () => {
    const { id } = await createWorkspace(organization, { name: 'deployed' });
    await request(`/workspaces/${id}/actions/lock`, { body: {} });
    await uploadState(id, 1);
    await request(`/workspaces/${id}/actions/unlock`, { method: 'POST' });
    const start = Date.now() - 600_000;
    const at = (seconds: number) => new Date(start + seconds * 1_000).toISOString();
    const token = mintToken('run');
    const version = {
      id: 'cv-6666666666666666',
      status: 'uploaded',
      speculative: false,
      at: at(0),
      'created-at': at(0),
      'ingress-attributes': {
        branch: 'main',
        'commit-sha': 'abcdef0123456789',
        'commit-url': 'https://example.com/commit',
        'pull-request-number': 7,
        // A runner reports it: it must not become a link.
        'pull-request-url': 'javascript:alert(1)',
      },
    };
    const run = (status: string, seconds: number, more: object = {}) => {
      const described = { message: 'Widen the subnets', 'configuration-version': version.id, ...more };
      const reported = { id: 'run-6666666666666666', status, at: at(seconds), 'created-at': at(0), 'plan-only': false };
      return ['run.updated', { run: { ...reported, ...described } }] as const;
    };
    await report(organization, id, [['configuration-version.updated', { 'configuration-version': version }]]);
    await report(organization, id, [run('pending', 0), run('planning', 65, { 'token-sha256': digestOf(token) })]);
    const isLocked = async () => (await request(`/workspaces/${id}`)).data.attributes.locked;
    await expect.poll(isLocked).toBe(true);
    await uploadState(id, 2, token);
    await report(organization, id, [run('planned', 70), run('applied', 310)]);
    await expect.poll(isLocked).toBe(false);
    const reported = async () => (await request('/runs/run-6666666666666666')).data.attributes['status-timestamps'];
    await expect.poll(reported).toHaveProperty('planned-at');
    // The history is written from the stream of the table, shortly after a change.
    const recorded = async () => {
      const { data } = await request(`/workspaces/${id}/history?filter[actor]=run-6666666666666666,state-content`);
      const text = JSON.stringify(data);
      const parts = ['"status":"applied"', '"current-state-version"', '"workspace.locked"', '"workspace.unlocked"'];
      return parts.filter((part) => !text.includes(part));
    };
    await expect.poll(recorded).toEqual([]);

    const { page, requests } = await openConsole(`/app/${organization}/workspaces/deployed/runs`, {
      expectedComplaints: notFound,
    });
    await page.getByRole('link', { name: 'Widen the subnets' }).click();
    await page.waitForURL(/\/workspaces\/deployed\/runs\/run-6666666666666666$/);
    const steps = page.locator('.run-step');
    // The phases are queued, plan and waiting for confirmation; the end is that of all.
    await expect
      .poll(() => steps.locator('.run-step-duration').allTextContents())
      .toEqual(['1 min 5 s', '5 s', '4 min', '5 min 10 s']);
    await expect.poll(() => page.title()).toBe('Run run-6666666666666666 · deployed · Holdfast');
    const tab = page.getByRole('navigation', { name: 'Workspace' }).locator('[aria-current="page"]');
    await expect.poll(() => tab.textContent()).toBe('Runs');
    await expect
      .poll(() => page.getByRole('link', { name: 'abcdef01' }).getAttribute('href'))
      .toBe('https://example.com/commit');
    await page.getByText('#7').waitFor();
    await expect.poll(() => page.getByRole('link', { name: '#7' }).count()).toBe(0);
    await steps.getByText('Waiting for confirmation').waitFor();
    await page.locator('.fact', { hasText: 'Lock held' }).waitFor();
    await page.locator('.fact', { hasText: '+0 added~0 changed−0 removed1 output' }).waitFor();
    await page.locator('.state-change', { hasText: 'number_1' }).waitFor();
    expect(requests.filter((url) => url.includes('/api/v2/runs/'))).toHaveLength(1);
    await expectAccessible(page);
    await page.setViewportSize({ width: 360, height: 740 });
    await expectNoSidewaysScrolling(page);
    await page.setViewportSize({ width: 1280, height: 800 });

    await page.getByRole('link', { name: 'Compare' }).click();
    await page.waitForURL(/\/state\?older=sv-\w+&newer=sv-\w+$/);
    await page.getByRole('dialog').waitFor();
    await page.keyboard.press('Escape');
    await page.getByRole('link', { name: 'run-6666666666666666' }).first().click();
    await page.getByRole('link', { name: 'Show in the history' }).click();
    await page.locator('.timeline').getByText('State version created').first().waitFor();
    await page
      .locator('.timeline')
      .getByRole('link', { name: /^Widen the subnets: applied/ })
      .first()
      .click();
    await page.waitForURL(/\/workspaces\/deployed\/runs\/run-6666666666666666$/);
    await page.goto(addressOf(`/app/${organization}/workspaces/deployed/runs/run-0000000000000000`));
    await page.getByRole('heading', { name: 'Run not found' }).waitFor();
  });

  it('shows the members of a team, what it may do and where, and its tokens', async () => {
    const path = `/organizations/${organization}`;
    const rights = { 'read-workspaces': true, 'manage-agent-pools': true };
    const team = await create(`${path}/teams`, 'teams', { name: 'operators', 'organization-access': rights });
    const ofTeam = { team: one('teams', team.id) };
    const project = await createProject({ name: 'operated' });
    const workspace = await createWorkspace(organization, { name: 'pager' });
    const inProject = { ...ofTeam, project: one('projects', project.id) };
    await create('/team-projects', 'team-projects', { access: 'maintain' }, inProject);
    const inWorkspace = { ...ofTeam, workspace: one('workspaces', workspace.id) };
    await create('/team-workspaces', 'team-workspaces', { access: 'plan' }, inWorkspace);
    await create(`/teams/${team.id}/authentication-tokens`, 'authentication-tokens', { description: 'on call' });
    const { id: ada } = (await request('/account/details')).data;
    await request(`/teams/${team.id}/relationships/users`, { body: { data: [{ type: 'users', id: ada }] } });

    const { page, requests } = await openConsole(`/app/${organization}/teams`);
    await page.getByRole('link', { name: 'operators' }).click();
    await page.waitForURL(new RegExp(`/teams/${team.id}$`));
    await page.getByRole('row', { name: /^operated Maintain: / }).waitFor();
    await page.getByRole('row', { name: /^pager Plan: / }).waitFor();
    await page.getByRole('row', { name: /^on call / }).waitFor();
    await page.getByRole('listitem').filter({ hasText: 'Manage agent pools' }).waitFor();
    await page.getByText('Secret: members and managers see it').waitFor();
    await expect.poll(() => page.title()).toBe('operators · Holdfast');
    // One list for all projects and one for all workspaces.
    expect(requests.filter((url) => /\/team-(projects|workspaces)/.test(url))).toHaveLength(2);
    await createWorkspace(organization, { name: 'monitor' });
    await page.getByRole('button', { name: 'Add workspace' }).click();
    await page.getByRole('combobox', { name: 'Workspace' }).fill('monitor');
    await page.getByRole('dialog').getByRole('button', { name: 'Add', exact: true }).click();
    await page.getByText('Added the access to the workspace monitor.').waitFor();
    await page.getByRole('row', { name: /^monitor Read: / }).waitFor();
    await expectAccessible(page);
    await page.setViewportSize({ width: 360, height: 740 });
    await expectNoSidewaysScrolling(page);
    await page.setViewportSize({ width: 1280, height: 800 });

    await page.getByRole('button', { name: 'New team token' }).click();
    await page.getByRole('dialog').getByLabel('Description').fill('dashboards');
    await page.getByRole('button', { name: 'Create' }).click();
    await page.getByText('New token of “operators”').waitFor();
    await page.getByRole('button', { name: 'Close' }).last().click();
    await page.getByRole('row', { name: /^dashboards / }).waitFor();
    await page.getByRole('link', { name: 'pager' }).click();
    await page.waitForURL(/\/workspaces\/pager$/);
    await page.goBack();
    await page.getByRole('link', { name: 'Show changes' }).click();
    await page.waitForURL(new RegExp(`/audit-trail\\?text=${team.id}$`));
    // The trail is written from the stream of the table, shortly after a change.
    await expect
      .poll(async () => {
        await page.reload();
        await page.locator('.timeline').or(page.getByText('No change matches')).waitFor();
        return page.locator('.timeline-title', { hasText: 'Team created operators' }).count();
      })
      .toBe(1);

    await page.goto(addressOf(`/app/${organization}/teams/${team.id}`));
    await page.getByRole('button', { name: 'Delete', exact: true }).click();
    await page.getByLabel('Type operators to confirm').fill('operators');
    await page.getByRole('dialog').getByRole('button', { name: 'Delete' }).click();
    await page.getByText('Deleted the team operators.').waitFor();
    await page.waitForURL(/\/teams$/);
  });

  it('conceals a secret team, and of a colleague all but the name, from who may not see more', async () => {
    const path = `/organizations/${organization}/teams`;
    const secret = await create(path, 'teams', { name: 'hidden' });
    const open = await create(path, 'teams', { name: 'visible', visibility: 'organization' });
    const outsiders = await create(path, 'teams', { name: 'outsiders' });
    const { data } = await request(`/teams/${outsiders.id}/authentication-token`, { method: 'POST' });
    const { id: ada } = (await request('/account/details')).data;
    const { page } = await openConsole(`/app/${organization}/teams/${secret.id}`, {
      token: data.attributes.token,
      expectedComplaints: notFound,
    });
    await page.getByRole('heading', { level: 1, name: 'Team not found' }).waitFor();
    await expect.poll(() => page.getByText('hidden').count()).toBe(0);
    await page.goto(addressOf(`/app/${organization}/teams/${open.id}`));
    await page.getByRole('heading', { level: 1, name: 'visible' }).waitFor();
    await page.getByRole('button', { name: 'Edit', exact: true, description: /^You need / }).waitFor();
    await page.getByText('You need ownership of the organization.').waitFor();
    await page.goto(addressOf(`/app/${organization}/members/${ada}`));
    await page.getByRole('heading', { level: 1, name: 'ada' }).waitFor();
    await page.getByText('You need permission to manage membership.').waitFor();
    await expect.poll(() => page.getByText('ada@example.com').count()).toBe(0);
  });

  it('shows a member with their teams, adds them to a team, and removes them', async () => {
    const path = `/organizations/${organization}`;
    const [one, other] = [
      await create(`${path}/teams`, 'teams', { name: 'writers' }),
      await create(`${path}/teams`, 'teams', { name: 'editors' }),
    ];
    const email = 'grace@example.com';
    const writers = { teams: { data: [{ type: 'teams', id: one.id }] } };
    const grace = await create(`${path}/organization-memberships`, 'organization-memberships', { email }, writers);
    const project = await create(`${path}/projects`, 'projects', { name: 'written' });
    await create(
      '/team-projects',
      'team-projects',
      { access: 'maintain' },
      { team: { data: { id: one.id } }, project: { data: { id: project.id } } },
    );
    const { page } = await openConsole(`/app/${organization}/members`);
    await page.getByRole('searchbox', { name: 'Search by name' }).fill('nobody');
    await page.getByText('Nothing matches “nobody”').waitFor();
    await page.getByRole('searchbox', { name: 'Search by name' }).fill('grace');
    await page.getByRole('link', { name: email }).click();
    await page.waitForURL(new RegExp(`/members/${grace.id}$`));
    await page.getByRole('row', { name: /^writers none/ }).waitFor();
    await page.getByText('invited').first().waitFor();
    await page.getByRole('row', { name: /^project written Maintain: .* writers$/ }).waitFor();
    await expectAccessible(page);
    await page.setViewportSize({ width: 360, height: 740 });
    await expectNoSidewaysScrolling(page);
    await page.setViewportSize({ width: 1280, height: 800 });
    await page.getByRole('button', { name: 'Add to a team' }).click();
    await page.getByLabel('Team', { exact: true }).selectOption('editors');
    await page.getByRole('button', { name: 'Add', exact: true }).click();
    await page.getByRole('row', { name: /^editors / }).waitFor();
    await page.getByRole('button', { name: 'Remove writers' }).click();
    await page.getByRole('dialog').getByRole('button', { name: 'Remove' }).click();
    await page.getByText(`Removed the member ${email} from the team writers.`).waitFor();
    await page.getByRole('row', { name: /^writers / }).waitFor({ state: 'detached' });
    expect((await request(`/organization-memberships/${grace.id}`)).data.relationships.teams.data).toEqual([
      { type: 'teams', id: other.id },
    ]);
    // Teams and histories name the user, whose membership is found by the id of the user.
    await page.getByRole('link', { name: 'editors' }).click();
    await page.getByRole('table', { name: 'Members' }).getByRole('link').click();
    await page.waitForURL(/\/members\/user-\w+$/);
    await page.getByRole('heading', { level: 1, name: email }).waitFor();
    await page.getByRole('button', { name: 'Remove', exact: true }).click();
    await page.getByRole('dialog').getByRole('button', { name: 'Remove' }).click();
    await page.getByText(`Removed the member ${email}.`).waitFor();
    await page.waitForURL(/\/members$/);

    // From an entry of the audit trail to who made the change, and back to all changes of theirs.
    await page.goto(addressOf(`/app/${organization}/audit-trail`));
    await page.locator('.timeline').getByRole('link', { name: 'ada' }).first().click();
    await page.getByRole('heading', { level: 1, name: 'ada' }).waitFor();
    await page.getByText('ada@example.com').waitFor();
    await page.getByRole('link', { name: 'Show changes' }).click();
    await page.waitForURL(/\/audit-trail\?actor=user-\w+$/);
    await page.locator('.timeline').getByText('Team created').first().waitFor();
  });

  it.each([
    ['Project', 'projects/prj-1111111111111111', 'projects'],
    ['Team', 'teams/team-1111111111111111', 'teams'],
    ['Variable set', 'variable-sets/varset-1111111111111111', 'variable sets'],
    ['Member', 'members/user-1111111111111111', 'members'],
    ['Member', 'members/ou-1111111111111111', 'members'],
  ])('says in words that there is no such resource: %s', async (kind, path, list) => {
    const { page } = await openConsole(`/app/${organization}/${path}`, { expectedComplaints: notFound });
    await page.getByRole('heading', { level: 1, name: `${kind} not found` }).waitFor();
    await expect.poll(() => page.title()).toBe(`${kind} not found · Holdfast`);
    await expectAccessible(page);
    await page.getByRole('link', { name: `all ${list}` }).click();
    await page.waitForURL(new RegExp(`/${list.replace(' ', '-')}$`));
  });
});
