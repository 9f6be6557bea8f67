import { beforeAll, expect, it } from 'vitest';
import {
  addressOf,
  chooseAction,
  create,
  createOrganization,
  createWorkspace,
  describeConsole,
  expectAccessible,
  expectNoSidewaysScrolling,
  openConsole,
  request,
} from '../support/console/console.ts';

describeConsole('the page of workload identities', () => {
  let organization: string;
  let team: string;
  let network: string;

  const addIdentity = (name: string, attributes: object = {}, relationships: object = {}) =>
    create(
      `/organizations/${organization}/workload-identities`,
      'workload-identities',
      {
        name,
        issuer: 'https://gitlab.com',
        conditions: [{ claim: '/project_id', equals: ['456'] }],
        ...attributes,
      },
      { team: { data: { id: team } }, ...relationships },
    );
  const find = async (id: string) => (await request(`/workload-identities/${id}`)).data;
  const open = (expectedComplaints?: RegExp) =>
    openConsole(`/app/${organization}/workload-identities`, {
      ...(expectedComplaints !== undefined && { expectedComplaints }),
    });

  beforeAll(async () => {
    organization = await createOrganization();
    team = (await create(`/organizations/${organization}/teams`, 'teams', { name: 'builders' })).id;
    network = (await createWorkspace(organization, { name: 'network' })).id;
  });

  it('creates one for GitHub Actions, limited to a workspace, and shows the lines of the pipeline', async () => {
    const { page } = await open(/422 \(Unprocessable Entity\)/);
    await page.getByText('There are no workload identities').waitFor();
    await page.getByRole('button', { name: 'New workload identity' }).click();
    const dialog = page.getByRole('dialog');
    const submit = dialog.getByRole('button', { name: 'Create', exact: true });
    await page.getByLabel('Name', { exact: true }).fill('deploy');
    await page.getByLabel('Team', { exact: true }).selectOption('builders');
    await expect
      .poll(() => page.getByLabel('Team', { exact: true }).locator('option').allTextContents())
      .not.toContain('owners');
    await dialog.getByText('Enter at least one condition first.').waitFor({ state: 'attached' });
    await page.getByLabel('Repository ID').fill('acme/web-shop');
    await page.getByLabel('Branch or tag').fill('*');
    await dialog.getByText('Repository ID: enter a number, not a name.').first().waitFor();
    await page.getByLabel('Repository ID').fill('');
    await submit.click();
    await dialog.getByText('Everybody can get a token of GitHub').waitFor();
    await page.getByLabel('Repository ID').fill('456789, 456790');
    await page.getByLabel('Only some projects and workspaces').check();
    await page.getByLabel('Workspace (optional)').fill('network');
    await dialog.getByRole('button', { name: 'Add workspace' }).click();
    await dialog.getByRole('list', { name: 'Chosen workspaces' }).getByText('network').waitFor();
    await expectAccessible(page);
    await page.getByLabel('Project (optional)').fill('Default');
    await dialog.getByText('Add “Default” to the list, or clear the field first.').waitFor({ state: 'attached' });
    await page.getByLabel('Project (optional)').fill('');
    await page.getByLabel('Lifetime of a token (minutes)').fill('3');
    await submit.click();
    await page.locator('[name="lifetime-minutes"][aria-invalid="true"]').waitFor();
    await page.getByLabel('Lifetime of a token (minutes)').fill('30');
    await submit.click();

    await dialog.getByRole('heading', { name: 'Set up the pipeline of “deploy”' }).waitFor();
    await expectAccessible(page);
    const lines = await dialog.locator('pre').textContent();
    const { data } = await request(`/organizations/${organization}/workload-identities`);
    const [{ id, attributes, relationships }] = data;
    const { origin } = new URL(addressOf('/'));
    expect(lines).toContain(`client_id=${id}`);
    expect(lines).toContain(`audience=${encodeURIComponent(origin)}`);
    expect(attributes).toMatchObject({
      name: 'deploy',
      issuer: 'https://token.actions.githubusercontent.com',
      audience: origin,
      conditions: [
        { claim: '/repository_id', equals: ['456789', '456790'] },
        { claim: '/ref', matches: 'refs/heads/*' },
      ],
      'lifetime-minutes': 30,
      enabled: true,
    });
    expect(relationships.workspaces.data).toEqual([{ type: 'workspaces', id: network }]);
    expect(relationships.projects.data).toEqual([]);
    await dialog.getByRole('button', { name: 'Done' }).click();
    await page.getByRole('row', { name: /^deploy GitHub Actions .*builders workspaces: network 30 minutes/ }).waitFor();
    await expectAccessible(page);
    await page.setViewportSize({ width: 390, height: 844 });
    await expectNoSidewaysScrolling(page);
  });

  it('fills in the issuer of each platform, and takes any condition for an issuer that it does not know', async () => {
    const { page } = await open(/422 \(Unprocessable Entity\)/);
    await page.getByRole('button', { name: 'New workload identity' }).click();
    const dialog = page.getByRole('dialog');
    const platform = page.getByLabel('Platform of the pipeline');
    await platform.selectOption('GitLab CI');
    await expect.poll(() => page.getByLabel('Issuer').inputValue()).toBe('https://gitlab.com');
    await page.getByLabel('Project ID').waitFor();
    await platform.selectOption('AWS');
    await expect.poll(() => page.getByLabel('Issuer').inputValue()).toBe('');
    await page.getByLabel('ARN of the role').waitFor();
    await platform.selectOption('Another issuer');
    await page.getByLabel('Name', { exact: true }).fill('other');
    await page.getByLabel('Team', { exact: true }).selectOption('builders');
    await page.getByLabel('Issuer').fill('https://ci.example.com');
    await dialog.getByRole('button', { name: 'Add condition' }).click();
    await page.getByLabel('Claim').fill('sub');
    await page.getByLabel('Values').fill('one\ntwo');
    await dialog.getByRole('button', { name: 'Create', exact: true }).click();
    await page.getByText('must name a claim by a JSON pointer such as /sub').waitFor();
    await expectAccessible(page);
    await page.getByLabel('Claim').fill('/sub');
    await dialog.getByRole('button', { name: 'Create', exact: true }).click();
    await dialog.getByRole('heading', { name: 'Set up the pipeline of “other”' }).waitFor();
    await dialog.getByRole('button', { name: 'Done' }).click();
    await page.getByRole('row', { name: /^other Another issuer.*\/sub is one or two/ }).waitFor();
  });

  it('changes only what the user has changed, and keeps a condition that no field of the platform can show', async () => {
    const conditions = [
      { claim: '/ref_path', equals: ['refs/heads/main', 'refs/heads/release'] },
      { claim: '/project_id', equals: ['456'] },
    ];
    const { id } = await addIdentity('kept', { conditions });
    const { page } = await open();
    await chooseAction(page, 'Edit', 'kept');
    const dialog = page.getByRole('dialog');
    const save = dialog.getByRole('button', { name: 'Save' });
    await expect.poll(() => page.getByLabel('Values').inputValue()).toBe('refs/heads/main\nrefs/heads/release');
    await expect.poll(() => page.getByLabel('Project ID').inputValue()).toBe('456');
    await dialog.getByText('Change something first.').waitFor({ state: 'attached' });
    await page.getByLabel('Enabled').uncheck();
    const update = page.waitForRequest((one) => one.method() === 'PATCH');
    await save.click();
    expect((await update).postDataJSON()).toEqual({
      data: { type: 'workload-identities', attributes: { enabled: false } },
    });
    await page.getByRole('row', { name: /^kept disabled/ }).waitFor();
    expect((await find(id)).attributes).toMatchObject({ conditions, enabled: false });
  });

  it('shows what somebody else has changed meanwhile, and extends a limit but never removes it', async () => {
    const limited = { workspaces: { data: [{ type: 'workspaces', id: network }] } };
    const { id } = await addIdentity('limited', {}, limited);
    const { page } = await open(/412 \(Precondition Failed\)/);
    await chooseAction(page, 'Edit', 'limited');
    const dialog = page.getByRole('dialog');
    await dialog.getByRole('list', { name: 'Chosen workspaces' }).getByText('network').waitFor();
    await expect.poll(() => page.getByLabel('Only some projects and workspaces').isDisabled()).toBe(true);
    await page.getByLabel('Project (optional)').fill('Default Project');
    await dialog.getByRole('button', { name: 'Add project' }).click();
    await request(`/workload-identities/${id}`, {
      method: 'PATCH',
      body: { data: { type: 'workload-identities', attributes: { 'lifetime-minutes': 20 } } },
    });
    await dialog.getByRole('button', { name: 'Save' }).click();
    await dialog.getByText('Somebody else has changed this meanwhile').waitFor();
    await expect.poll(() => page.getByLabel('Lifetime of a token (minutes)').inputValue()).toBe('20');
    await dialog.getByRole('button', { name: 'Save' }).click();
    const scope = 'projects: Default Project workspaces: network';
    const row = page.getByRole('row', { name: new RegExp(`^limited .*${scope} 20 minutes`) });
    await row.getByRole('link', { name: 'network' }).click();
    await page.waitForURL(/\/workspaces\/network$/);
  });

  it('tests a pasted identity token and shows the result of each check', async () => {
    const { id } = await addIdentity('tested', { conditions: [{ claim: '/project_id', equals: ['456'] }] });
    const { page } = await open();
    await chooseAction(page, 'Test', 'tested');
    const dialog = page.getByRole('dialog');
    const token = page.getByLabel('Identity token');
    const submit = dialog.getByRole('button', { name: 'Test', exact: true });
    await token.fill('no token');
    await submit.click();
    await dialog.getByRole('row', { name: /^Format not met a signed JSON Web Token nothing/ }).waitFor();
    const encode = (value: object) => Buffer.from(JSON.stringify(value)).toString('base64url');
    const ofOtherIssuer = `${encode({ alg: 'RS256' })}.${encode({ iss: 'https://example.com', project_id: '789' })}.c2ln`;
    await token.fill(`${ofOtherIssuer}\n`);
    await submit.click();
    await dialog.getByText('A pipeline with this token gets no token').waitFor();
    await dialog.getByRole('row', { name: /^Signature not met .* the token of another issuer/ }).waitFor();
    await dialog.getByRole('row', { name: /^\/project_id not met 456 789/ }).waitFor();
    await expectAccessible(page);
    await dialog.getByRole('button', { name: 'Show as curl' }).click();
    const command = page.getByRole('figure', { name: 'Command' });
    await command.getByText('<subject-token>').waitFor();
    expect(await command.textContent()).not.toContain('eyJ');
    await page.keyboard.press('Escape');

    // No issuer that the service can reach has signed a token for this test.
    const checks = [{ subject: 'signature', met: true, expected: 'a valid signature', actual: 'RS256' }];
    const accepted = { id, type: 'workload-identity-tests', attributes: { accepted: true, message: null, checks } };
    await page.route(`**/workload-identities/${id}/actions/test`, (route) =>
      route.fulfill({ contentType: 'application/vnd.api+json', body: JSON.stringify({ data: accepted }) }),
    );
    await submit.click();
    await dialog.getByText('A pipeline with this token gets a token').waitFor();
    await expect.poll(() => dialog.getByText('not met').count()).toBe(0);
  });

  it('deletes one after a confirmation that names the consequence', async () => {
    await addIdentity('obsolete');
    const { page } = await open();
    await chooseAction(page, 'Delete', 'obsolete');
    const dialog = page.getByRole('dialog');
    await dialog.getByText('tokens that they have end within seconds').waitFor();
    await dialog.getByRole('button', { name: 'Delete' }).click();
    await page.getByText('Deleted the workload identity obsolete.').waitFor();
    await expect.poll(() => page.getByRole('row', { name: /^obsolete/ }).count()).toBe(0);
  });

  it('shows members who may not manage teams why they see none', async () => {
    const { data } = await request(`/teams/${team}/authentication-token`, { method: 'POST' });
    const { page } = await openConsole(`/app/${organization}/workload-identities`, {
      token: data.attributes.token,
      // The list is not for this team, and the token of a team has no user.
      expectedComplaints: /404 \(Not Found\)/,
    });
    await page.getByRole('alert').getByText('permission to manage teams').waitFor();
    const button = page.getByRole('button', { name: 'New workload identity' });
    await expect.poll(() => button.getAttribute('aria-disabled')).toBe('true');
    await expectAccessible(page);
    await page.getByRole('link', { name: 'Audit trail' }).click();
    await page.getByText('Only owners and teams with the right to read the audit trail see it.').waitFor();
    await expect.poll(() => page.getByLabel('Action').count()).toBe(0);
    await page.getByRole('link', { name: 'Members' }).click();
    await page.getByText('Without the right to manage members, you see only yourself.').waitFor();
  });
});
