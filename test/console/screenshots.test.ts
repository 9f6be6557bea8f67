import { beforeAll, it } from 'vitest';
import {
  create,
  createWorkspace,
  describeConsole,
  expectAccessible,
  expectNoSidewaysScrolling,
  openConsole,
  request,
  takeScreenshots,
} from '../support/console/console.ts';

/** The main pages of an organization with some content, also as the screenshots of docs/concepts/console.md. */

describeConsole('the pages of an organization', () => {
  const organization = 'acme';

  beforeAll(async () => {
    await create('/organizations', 'organizations', { name: organization, email: 'ada@example.com' });
    const names = ['network', 'network-staging', 'billing', 'billing-staging', 'identity', 'data-platform'];
    const project = await create(`/organizations/${organization}/projects`, 'projects', { name: 'Platform' });
    for (const [index, name] of names.entries()) {
      const { id } = await createWorkspace(
        organization,
        {
          name,
          'infra-version': index % 2 === 0 ? '1.9.8' : '1.8.5',
          'execution-mode': index % 3 === 0 ? 'local' : 'remote',
        },
        index < 2 ? { project: { data: { type: 'projects', id: project.id } } } : undefined,
      );
      await create(`/workspaces/${id}/vars`, 'vars', { key: 'region', value: 'eu-central-1', category: 'terraform' });
      await create(`/workspaces/${id}/vars`, 'vars', {
        key: 'PASSWORD',
        value: 's3cret',
        category: 'env',
        sensitive: true,
      });
      const tags = [{ type: 'tags', attributes: { name: index < 2 ? 'core' : 'team' } }];
      await request(`/workspaces/${id}/relationships/tags`, { body: { data: tags } });
      if (index % 2 === 0) await request(`/workspaces/${id}/actions/lock`, { body: { reason: 'Migrating the state' } });
    }
  });

  it.each([
    ['sign-in', '', 'Sign in'],
    ['workspaces', '/workspaces', 'network-staging'],
    ['workspace', '/workspaces/network', 'Migrating the state'],
    ['variables', '/workspaces/network/variables', 'PASSWORD'],
    ['settings', '/workspaces/network/settings', 'Execution mode'],
    ['locks', '/locks', 'Migrating the state'],
  ])('%s has no accessibility violations and fits the window', async (name, path, content) => {
    const { page } = await openConsole(`/app/${organization}${path}`, name === 'sign-in' ? { token: false } : {});
    await page.getByText(content).first().waitFor();
    await expectAccessible(page);
    await takeScreenshots(page, `docs-${name}`);
    await page.setViewportSize({ width: 360, height: 740 });
    await expectNoSidewaysScrolling(page);
  });
});
