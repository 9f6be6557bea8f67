import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { type CliBed, startCliBed } from '../support/cli/cli-bed.ts';

let bed: CliBed;
const working = () => ({ wait: () => bed.api.lambda.runDeferred() });
beforeAll(async () => {
  bed = await startCliBed();
});
afterAll(() => bed.stop());

const descriptionOf = async (name: string) => (await bed.json(['ws', 'show', name])).description;

describe('job create', () => {
  test('prints the preview, changes the workspaces, and reports what it has changed', async () => {
    const [one, two] = [await bed.createWorkspace(), await bed.createWorkspace()];
    const set = ['--set', 'description=by a job', '--set', 'infra-version=1.9.8'];
    const args = ['job', 'create', 'update', one.name, two.name, ...set, '--yes'];
    const { code, stderr } = await bed.run(args, working());
    expect({ code, stderr }).toMatchObject({ code: 0, stderr: expect.stringContaining('2 workspaces, 2 changed') });
    const preview = String.raw`${one.name}  changed  description none -> by a job  infra-version \S+ -> 1\.9\.8  version-older\n`;
    expect(stderr).toMatch(new RegExp(preview));
    expect(stderr).toContain('is complete: 2 applied.');
    expect([await descriptionOf(one.name), await descriptionOf(two.name)]).toEqual(['by a job', 'by a job']);
  });

  test('selects workspaces as their list does, and leaves the job ready with --dry-run', async () => {
    const { name } = await bed.createWorkspace();
    const args = ['job', 'create', 'update', '--filter', `search=${name}`, '--set', 'description=x', '--dry-run'];
    const { code, stderr } = await bed.run(args, working());
    expect({ code, stderr }).toMatchObject({ code: 0, stderr: expect.stringContaining('1 workspace, 1 changed') });
    const id = /job apply (bulk-\w+)/.exec(stderr)?.[1] ?? '';
    expect(await descriptionOf(name)).toBeNull();
    expect((await bed.run(['job', 'apply', id, '--yes'], working())).code).toBe(0);
    expect(await descriptionOf(name)).toBe('x');
  });

  test('ends with 7 and names what was refused', async () => {
    const { name } = await bed.createWorkspace();
    await bed.run(['lock', name]);
    const { code, stderr } = await bed.run(['job', 'create', 'lock', name, '--yes'], working());
    expect({ code, stderr }).toMatchObject({ code: 7, stderr: expect.stringContaining('refused') });
  });

  test('leaves out workspaces with a warning with --skip-warned', async () => {
    const [free, locked] = [await bed.createWorkspace(), await bed.createWorkspace()];
    await bed.run(['lock', locked.name]);
    const args = ['job', 'create', 'update', free.name, locked.name, '--set', 'description=s', '--skip-warned'];
    const { stderr } = await bed.run([...args, '--dry-run'], working());
    const id = /job apply (bulk-\w+) --skip-warned"/.exec(stderr)?.[1] ?? '';
    expect(await bed.json(['job', 'items', id, '--warned', 'true'])).toMatchObject([{ 'workspace-name': locked.name }]);
    const { code, stderr: applied } = await bed.run(['job', 'apply', id, '--skip-warned', '--yes'], working());
    expect({ code, applied }).toMatchObject({ code: 7, applied: expect.stringContaining('1 applied, 1 skipped') });
    expect([await descriptionOf(free.name), await descriptionOf(locked.name)]).toEqual(['s', null]);
  });

  test('rejects an unknown action, an unknown filter, and names together with a filter before it creates anything', async () => {
    for (const args of [
      ['erase', 'x'],
      ['update', '--filter', 'size=large', '--yes'],
      ['update', 'x', '--filter', 'tag=y', '--yes'],
      ['update', '--yes'],
      ['update', 'x', '--set', 'description', '--yes'],
    ]) {
      const { code, routes } = await bed.run(['job', 'create', ...args]);
      expect({ args, code, routes: routes.filter((route) => route === 'bulk-jobs.create') }).toEqual({
        args,
        code: 2,
        routes: [],
      });
    }
  });
});

describe('ws edit --filter', () => {
  test('previews and changes the workspaces with a bulk job, and prints a row for each as without --filter', async () => {
    const project = 'bulk-edit';
    await bed.run(['project', 'create', project]);
    const [one, two] = [await bed.createWorkspace(), await bed.createWorkspace()];
    await bed.run(['ws', 'edit', one.name, two.name, '--project', project]);
    await bed.run(['ws', 'edit', two.name, '--description', 'd']);
    const edit = ['ws', 'edit', '--filter', `project=${project}`, '--description', 'd'];
    const preview = await bed.run([...edit, '--dry-run'], working());
    expect(preview.stderr).toContain(`Would change ${one.name}: description none -> d.`);
    expect(preview.stderr).toContain(`${two.name} is unchanged.`);
    expect(await descriptionOf(one.name)).toBeNull();
    const done = await bed.run([...edit, '--yes'], working());
    expect({ ...done, routes: done.routes.includes('workspaces.update') }).toMatchObject({ code: 0, routes: false });
    expect(done.stderr).toContain(`Changed ${one.name}: description none -> d.`);
    expect(await descriptionOf(one.name)).toBe('d');
  });

  test('names the workspaces that are left as they are', async () => {
    const [free, locked] = [await bed.createWorkspace(), await bed.createWorkspace()];
    await bed.run(['lock', locked.name]);
    for (const { name } of [free, locked]) await bed.run(['ws', 'tag', 'add', name, 'left']);
    const edit = ['ws', 'edit', '--filter', 'tag=left', '--description', 'd', '--skip-warned', '--yes'];
    const { code, stderr } = await bed.run(edit, working());
    expect({ code, stderr }).toMatchObject({ code: 7, stderr: expect.stringContaining(`${locked.name}`) });
    expect(stderr).toContain('left it as it is: skipped');
    expect(stderr).toContain(`Changed ${free.name}`);
  });

  test('creates no job without --yes and without a terminal', async () => {
    const { code, routes } = await bed.run(['ws', 'edit', '--filter', 'tag=left', '--description', 'd']);
    expect({ code, creates: routes.includes('bulk-jobs.create') }).toEqual({ code: 2, creates: false });
  });

  test('rejects names together with a filter, a new name, and a move together with settings', async () => {
    for (const args of [
      ['x', '--filter', 'tag=y', '--description', 'd'],
      ['--filter', 'tag=y', '--name', 'z', '--yes'],
      ['--filter', 'tag=y', '--project', 'Default Project', '--description', 'd', '--yes'],
      ['--description', 'd'],
    ]) {
      expect((await bed.run(['ws', 'edit', ...args])).code).toBe(2);
    }
  });
});
