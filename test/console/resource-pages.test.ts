import { beforeAll, expect, it } from 'vitest';
import {
  create,
  createOrganization,
  createWorkspace,
  describeConsole,
  expectAccessible,
  expectNoSidewaysScrolling,
  openConsole,
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
    expect(await page.title()).toBe('payments · Holdfast');
    await page.getByText('Everything about money').waitFor();
    const current = page.getByRole('navigation', { name: 'Organization' }).locator('[aria-current="page"]');
    expect(await current.textContent()).toBe('Projects');

    const workspaces = page.getByRole('table', { name: 'Workspaces' });
    expect(await workspaces.getByRole('row').count()).toBe(9);
    await page.getByRole('link', { name: 'Show all 9' }).waitFor();
    const sets = page.getByRole('table', { name: 'Variable sets' });
    await sets.getByRole('row', { name: 'everywhere applies to all workspaces 0' }).waitFor();
    await sets.getByRole('row', { name: 'own priority owned by this project 0' }).waitFor();
    expect(await sets.getByRole('row').count()).toBe(3);
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
    await page.getByRole('link', { name: 'payments' }).first().click();
    await page.getByRole('heading', { level: 1, name: 'payments' }).waitFor();
  });

  it('renames a project at the same address, and continues with the list after its deletion', async () => {
    const project = await createProject({ name: 'short-lived' });
    const { page } = await openConsole(`/app/${organization}/projects/${project.id}`);
    await page.getByRole('button', { name: 'Edit', exact: true }).click();
    await page.getByRole('dialog').getByLabel('Name').fill('renamed');
    await page.getByRole('button', { name: 'Save' }).click();
    await page.getByRole('heading', { level: 1, name: 'renamed' }).waitFor();
    expect(page.url()).toMatch(new RegExp(`/projects/${project.id}$`));
    await page.getByRole('button', { name: 'Delete', exact: true }).click();
    await page.getByLabel('Type renamed to confirm').fill('renamed');
    await page.getByRole('dialog').getByRole('button', { name: 'Delete' }).click();
    await page.getByText('Deleted the project renamed.').waitFor();
    await page.waitForURL(/\/projects$/);
    await page.getByRole('link', { name: 'Default Project' }).click();
    await page.getByText('Delete (disabled): The default project cannot be deleted.').waitFor();
    await page.getByRole('link', { name: 'Projects', exact: true }).first().click();
    await page.getByRole('link', { name: 'payments' }).waitFor();
    expect(await page.getByRole('link', { name: 'renamed' }).count()).toBe(0);
  });

  it.each([['Project', 'projects/prj-1111111111111111', 'projects']])(
    'says in words that there is no such resource: %s',
    async (kind, path, list) => {
      const { page } = await openConsole(`/app/${organization}/${path}`, { expectedComplaints: notFound });
      await page.getByRole('heading', { level: 1, name: `${kind} not found` }).waitFor();
      expect(await page.title()).toBe(`${kind} not found · Holdfast`);
      await expectAccessible(page);
      await page.getByRole('link', { name: `all ${list}` }).click();
      await page.waitForURL(new RegExp(`/${list}$`));
    },
  );
});
