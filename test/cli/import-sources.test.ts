import { createHash } from 'node:crypto';
import {
  chmodSync,
  existsSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  statSync,
  symlinkSync,
  truncateSync,
  writeFileSync,
} from 'node:fs';
import { hostname, tmpdir } from 'node:os';
import { delimiter, dirname, join } from 'node:path';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { openFiles } from '../../infra/cli/import/sources/files.ts';
import { toName } from '../../infra/cli/import/sources/names.ts';
import { openTerraform } from '../../infra/cli/import/sources/terraform.ts';
import { type ContextBed, createContextBed } from '../support/cli/context-bed.ts';
import { collectInventory, downloadAll, stateOf } from '../support/import/inventory.ts';

let user: ContextBed;
beforeEach(() => {
  user = createContextBed();
});
afterEach(() => user.remove());

const inFolder = (...path: readonly string[]): string => join(user.folder, ...path);
const write = (path: string, content: string): void => {
  mkdirSync(dirname(inFolder(path)), { recursive: true });
  writeFileSync(inFolder(path), content);
};
const sha256 = (content: string): string => createHash('sha256').update(content).digest('hex');

describe('the name of a workspace', () => {
  test.each([
    ['network/terraform.tfstate', undefined, 'network'],
    ['network/terraform.tfstate', 'prod', 'network-prod'],
    ['network.tfstate', undefined, 'network'],
    ['terraform.tfstate', undefined, 'acme'],
    ['terraform.tfstate', 'prod', 'acme-prod'],
    ['eu/my network/vpc.tfstate', undefined, 'eu-my-network-vpc'],
    ['states/terraform', undefined, 'states-terraform'],
    ['my_app/terraform.tfstate', 'b', 'my_app-b'],
    ['größe.tfstate', undefined, 'gr-e'],
    ['.hidden.tfstate', undefined, 'hidden'],
    ['ü.tfstate', undefined, ''],
  ])('follows from %s and the workspace %s', (path, workspace, name) => {
    expect(toName({ path, workspace }, 'acme')).toBe(name);
  });
});

describe('a folder of files', () => {
  const open = (address = `files:${user.folder}`) => openFiles(user.io(), address);

  test('is read recursively, without backups, folders of terraform and other files', async () => {
    write('terraform.tfstate', stateOf(3));
    write('terraform.tfstate.backup', stateOf(2));
    write('terraform.tfstate.d/prod/terraform.tfstate', stateOf(1));
    write('eu/network.tfstate', stateOf(7, 'l-7'));
    write('eu/dns/terraform.tfstate.d/prod/terraform.tfstate', stateOf(4));
    write('eu/.terraform/terraform.tfstate', stateOf(9));
    write('eu/main.tf', '');
    const { workspaces, notCarried, versions } = await collectInventory(await open());
    expect(workspaces).toEqual(['eu-dns-prod', 'eu-network', 'folder', 'folder-prod']);
    expect(notCarried).toEqual([]);
    expect(versions[1]).toEqual({
      workspace: 'eu-network',
      position: 1,
      'is-current': true,
      serial: 7,
      lineage: 'l-7',
      sha256: sha256(stateOf(7, 'l-7')),
      md5: createHash('md5').update(stateOf(7, 'l-7')).digest('hex'),
      size: stateOf(7, 'l-7').length,
      origin: {
        id: `eu/network.tfstate?sha256=${sha256(stateOf(7, 'l-7'))}`,
        'created-at': statSync(inFolder('eu/network.tfstate')).mtime.toISOString(),
      },
    });
  });

  test('is named by this computer, and has workspaces for local runs', async () => {
    write('network.tfstate', stateOf(1));
    const source = await open();
    expect(source).toMatchObject({ origin: { host: hostname(), organization: null }, organization: 'folder' });
    expect(source.locks).toBeUndefined();
    const { records } = await collectInventory(source);
    expect(records[0]).toEqual([
      'workspaces',
      { name: 'network', project: null, 'execution-mode': 'local', origin: { id: 'network.tfstate' } },
    ]);
  });

  test('may be relative to the working directory', async () => {
    write('states/network.tfstate', stateOf(1));
    expect((await collectInventory(await open('files:states'))).workspaces).toEqual(['network']);
    await expect(open('files:absent')).rejects.toMatchObject({ exit: 'usage', message: 'absent is not a folder.' });
  });

  test('reports each file that is no state by its name', async () => {
    write('broken.tfstate', stateOf(1).slice(0, -5));
    write('empty.tfstate', '');
    write('foreign.tfstate', '{"name":"holdfast"}');
    write('list.tfstate', '[]');
    write('null.tfstate', 'null');
    write('serial.tfstate', '{"serial":1}');
    write('backend.tfstate', stateOf(1, 'l-1', { version: 3, backend: { type: 's3' } }));
    write('huge.tfstate', '');
    truncateSync(inFolder('huge.tfstate'), 101 * 2 ** 20);
    write('good.tfstate', stateOf(1));
    const { workspaces, notCarried } = await collectInventory(await open());
    expect(workspaces).toEqual(['good']);
    expect(notCarried.map(({ name, reason, detail }) => [name, reason, detail])).toEqual([
      ['backend.tfstate', 'not-supported', 'This is not a state, but the settings of a backend.'],
      ['broken.tfstate', 'not-supported', expect.stringContaining('not complete JSON')],
      ['empty.tfstate', 'no-content', 'It is empty.'],
      ['foreign.tfstate', 'not-supported', expect.stringContaining('not a state')],
      ['huge.tfstate', 'not-supported', expect.stringContaining('100 MiB')],
      ['list.tfstate', 'not-supported', expect.stringContaining('not a state')],
      ['null.tfstate', 'not-supported', expect.stringContaining('not a state')],
      ['serial.tfstate', 'not-supported', expect.stringContaining('no version')],
    ]);
  });

  test('carries a state that tofu has encrypted, as it is', async () => {
    const encrypted = '{"serial":5,"lineage":"l-5","meta":{},"encrypted_data":"0123","encryption_version":"v0"}';
    write('network.tfstate', encrypted);
    const source = await open();
    const [version] = (await collectInventory(source)).versions;
    expect(version).toMatchObject({ serial: 5, lineage: 'l-5' });
    expect(await downloadAll(source, version ?? ({} as never))).toBe(encrypted);
  });

  test('refuses two files that lead to one name, and names both', async () => {
    write('network.tfstate', stateOf(1));
    write('network/terraform.tfstate', stateOf(1));
    write('other.tfstate', stateOf(1));
    const { workspaces, notCarried } = await collectInventory(await open());
    expect(workspaces).toEqual(['other']);
    expect(notCarried.map(({ name }) => name)).toEqual(['network.tfstate', 'network/terraform.tfstate']);
    for (const { detail } of notCarried) {
      expect(detail).toContain('network.tfstate and network/terraform.tfstate lead to the same workspace, network.');
    }
  });

  test('refuses a path whose name is longer than 90 characters, or has a control character', async () => {
    write(`${'a'.repeat(90)}.tfstate`, stateOf(1));
    write(`${'b'.repeat(91)}.tfstate`, stateOf(1));
    write('c\n.tfstate', stateOf(1));
    const { workspaces, notCarried } = await collectInventory(await open());
    expect(workspaces).toEqual(['a'.repeat(90)]);
    expect(notCarried.map(({ detail }) => detail)).toEqual([
      expect.stringContaining('longer than 90 characters'),
      expect.stringContaining('control character'),
    ]);
  });

  test('reads only what the filter includes, and ignores the locks and faults of other files', async () => {
    write('network.tfstate', stateOf(1));
    write('dns.tfstate', 'broken');
    write('web.tfstate', stateOf(1));
    write('.web.tfstate.lock.info', '{}');
    const { workspaces, notCarried } = await collectInventory(await open(), (name) => name === 'network');
    expect({ workspaces, notCarried }).toEqual({ workspaces: ['network'], notCarried: [] });
  });

  test('is refused while terraform holds a lock, and names the holder', async () => {
    write('a.tfstate', stateOf(1));
    write('eu/terraform.tfstate', stateOf(1));
    write(
      'eu/.terraform.tfstate.lock.info',
      '{"ID":"1","Operation":"OperationTypeApply","Who":"ada@laptop","Created":"2026-11-24T08:00:00Z"}',
    );
    await expect(collectInventory(await open())).rejects.toMatchObject({
      exit: 'conflict',
      message:
        'Locked at the source: eu/terraform.tfstate by ada@laptop since 2026-11-24T08:00:00Z for OperationTypeApply.',
    });
  });

  test('follows no symbolic link, and reports those that could hide a state', async () => {
    const elsewhere = mkdtempSync(join(tmpdir(), 'holdfast-elsewhere-'));
    try {
      writeFileSync(join(elsewhere, 'secret.tfstate'), stateOf(1));
      write('network.tfstate', stateOf(1));
      symlinkSync(join(elsewhere, 'secret.tfstate'), inFolder('link.tfstate'));
      symlinkSync(elsewhere, inFolder('folder-link'));
      symlinkSync(user.folder, inFolder('loop'));
      symlinkSync(inFolder('absent'), inFolder('dangling'));
      const { workspaces, notCarried } = await collectInventory(await open());
      expect(workspaces).toEqual(['network']);
      expect(notCarried.map(({ type, name, reason }) => [type, name, reason])).toEqual([
        ['files', 'folder-link', 'not-supported'],
        ['files', 'link.tfstate', 'not-supported'],
      ]);
    } finally {
      rmSync(elsewhere, { recursive: true });
    }
  });

  test('yields the bytes of a file, and refuses one that has changed since it was listed', async () => {
    const content = `${stateOf(1)}  \n`;
    write('network.tfstate', content);
    const source = await open();
    const [version] = (await collectInventory(source)).versions;
    if (version === undefined) throw new Error('There is a version.');
    expect(await downloadAll(source, version)).toBe(content);
    write('network.tfstate', stateOf(2));
    await expect(downloadAll(source, version)).rejects.toMatchObject({ exit: 'conflict' });
    rmSync(inFolder('network.tfstate'));
    await expect(downloadAll(source, version)).rejects.toMatchObject({ exit: 'failed' });
  });

  describe('gets a state back', () => {
    const push = async (content: string, workspace = 'network') => (await open()).push(workspace, Buffer.from(content));
    const read = (path = 'network.tfstate') => readFileSync(inFolder(path), 'utf8');

    test('with the mode of the file, and leaves no other file', async () => {
      write('network.tfstate', stateOf(1));
      chmodSync(inFolder('network.tfstate'), 0o640);
      await push(stateOf(2));
      expect(read()).toBe(stateOf(2));
      expect(statSync(inFolder('network.tfstate')).mode & 0o777).toBe(0o640);
      expect(readdirSync(user.folder)).toEqual(['network.tfstate']);
    });

    test('once, although it is sent twice', async () => {
      write('network.tfstate', stateOf(1));
      await push(stateOf(2));
      const { ino } = statSync(inFolder('network.tfstate'));
      await push(stateOf(2));
      expect(statSync(inFolder('network.tfstate')).ino).toBe(ino);
    });

    test('unless the present one is as new, has another lineage, or is damaged', async () => {
      write('network.tfstate', stateOf(3));
      await expect(push(stateOf(3, 'l-1', { outputs: { a: 1 } }))).rejects.toMatchObject({ exit: 'conflict' });
      await expect(push(stateOf(4, 'l-2'))).rejects.toMatchObject({ exit: 'conflict' });
      write('network.tfstate', stateOf(3).slice(1));
      await expect(push(stateOf(4))).rejects.toMatchObject({ exit: 'conflict' });
      expect(read()).toBe(stateOf(3).slice(1));
    });

    test('unless terraform holds a lock, or the file does not exist any more', async () => {
      write('network.tfstate', stateOf(1));
      write('.network.tfstate.lock.info', 'no JSON');
      await expect(push(stateOf(2))).rejects.toMatchObject({
        exit: 'conflict',
        message: 'Locked at the source: network.tfstate.',
      });
      await expect(push(stateOf(2), 'absent')).rejects.toMatchObject({ exit: 'conflict' });
      expect(read()).toBe(stateOf(1));
    });
  });
});

describe('a folder that terraform has initialized', () => {
  /**
   * Installs a program that keeps the states of workspaces in files, and logs its calls. A workspace of the name `fails` cannot
   * be read.
   */
  const install = (name: string): void => {
    mkdirSync(join(user.home, 'bin'), { recursive: true });
    const script = `#!/bin/sh
echo "${name} $* TF_WORKSPACE=$TF_WORKSPACE $TF_INPUT$TF_IN_AUTOMATION" >> "${user.home}/calls"
case "$*" in
  "workspace list") [ -f "${user.home}/single" ] && { echo "Error: workspaces not supported" >&2; exit 1; }
    printf '* default\\n'; cd "${user.home}/states" && for state in *; do [ "$state" = default ] || echo "  $state"; done; echo ;;
  "state pull") [ "$TF_WORKSPACE" = fails ] && { cat "${user.home}/states/fails"; printf '\\033[31mError:\\033[0m no backend\\n' >&2; exit 1; }
    cat "${user.home}/states/$TF_WORKSPACE" ;;
  "state push -") [ -f "${user.home}/locked" ] && { echo "Error acquiring the state lock" >&2; exit 1; }
    [ -f "${user.home}/offline" ] && { echo "no route to host" >&2; exit 1; }
    cat > "${user.home}/states/$TF_WORKSPACE" ;;
  *) exit 64 ;;
esac
`;
    writeFileSync(join(user.home, 'bin', name), script, { mode: 0o755 });
  };
  const writeState = (workspace: string, content: string): void => void user.writeHome(`states/${workspace}`, content);
  const calls = (): readonly string[] => readFileSync(join(user.home, 'calls'), 'utf8').trimEnd().split('\n');
  const open = (env: Readonly<Record<string, string | undefined>> = {}) => {
    const PATH = `${join(user.home, 'bin')}${delimiter}/usr/bin${delimiter}/bin`;
    return openTerraform(user.io({ PATH, TF_WORKSPACE: 'other', ...env }), `terraform:${user.folder}`);
  };

  test('lists a workspace for each one of terraform, with its current state', async () => {
    install('terraform');
    writeState('default', stateOf(3));
    writeState('prod', `${stateOf(8, 'l-8')}\n`);
    const source = await open();
    const { workspaces, versions, notCarried } = await collectInventory(source);
    expect(workspaces).toEqual(['folder', 'folder-prod']);
    expect(notCarried).toEqual([]);
    expect(versions.map(({ workspace, serial, origin }) => [workspace, serial, origin.id])).toEqual([
      ['folder', 3, `default?sha256=${sha256(stateOf(3))}`],
      ['folder-prod', 8, `prod?sha256=${sha256(`${stateOf(8, 'l-8')}\n`)}`],
    ]);
    expect(calls()).toEqual([
      'terraform workspace list TF_WORKSPACE= 01',
      'terraform state pull TF_WORKSPACE=default 01',
      'terraform state pull TF_WORKSPACE=prod 01',
    ]);
    expect(source).toMatchObject({ origin: { host: hostname(), organization: null }, organization: 'folder' });
    expect(source.locks).toBeUndefined();
  });

  test('lists an empty workspace for one of terraform without a state, and none for an unused default one', async () => {
    install('terraform');
    writeState('default', '\n');
    writeState('prod', '');
    const { workspaces, versions, notCarried } = await collectInventory(await open());
    expect({ workspaces, versions }).toEqual({ workspaces: ['folder-prod'], versions: [] });
    expect(notCarried).toMatchObject([{ type: 'states', name: 'default', reason: 'no-content' }]);
  });

  test('lists the default workspace alone where the backend knows no other', async () => {
    install('terraform');
    writeState('default', stateOf(1));
    user.writeHome('single', '');
    expect((await collectInventory(await open())).workspaces).toEqual(['folder']);
  });

  test('reports a state that cannot be read by its workspace', async () => {
    install('terraform');
    writeState('default', stateOf(1));
    writeState('broken', '{"version":4');
    const { workspaces, notCarried } = await collectInventory(await open());
    expect(workspaces).toEqual(['folder']);
    expect(notCarried).toMatchObject([{ type: 'states', name: 'broken', reason: 'not-supported' }]);
  });

  test('passes on what a failed program reports, and never its output', async () => {
    install('terraform');
    writeState('default', '');
    writeState('fails', 'secret');
    const failure = await collectInventory(await open()).catch((error: Error) => error);
    expect(failure).toMatchObject({ exit: 'failed', message: expect.stringContaining('"terraform state pull"') });
    expect((failure as Error).message).toContain('exit code 1.\nError: no backend');
    expect((failure as Error).message).not.toContain('secret');
  });

  test('is read by the program that has written its lock file, and by terraform where both may be', async () => {
    install('tofu');
    writeState('default', stateOf(1));
    await collectInventory(await open());
    install('terraform');
    await collectInventory(await open());
    user.writeFolder('.terraform.lock.hcl', '# This file is maintained automatically by "tofu init".\n');
    await collectInventory(await open());
    const programs = calls().map((call) => call.split(' ')[0]);
    expect(programs).toEqual(['tofu', 'tofu', 'terraform', 'terraform', 'tofu', 'tofu']);
    rmSync(join(user.home, 'bin/tofu'));
    await expect(open()).rejects.toMatchObject({
      exit: 'usage',
      message: expect.stringContaining('tofu is not found'),
    });
  });

  test('is refused without a program or a folder', async () => {
    await expect(open({ PATH: user.home })).rejects.toMatchObject({
      exit: 'usage',
      message: 'terraform or tofu is not found in PATH, and the folder needs it.',
    });
    await expect(openTerraform(user.io(), 'terraform:absent')).rejects.toMatchObject({ exit: 'usage' });
  });

  test('is refused if tofu encrypts its states, because it would print them in plain text', async () => {
    install('tofu');
    await expect(open({ TF_ENCRYPTION: 'state {}' })).rejects.toMatchObject({ exit: 'rejected' });
    user.writeFolder('main.tf', 'terraform {\n  encryption {\n    plan {}\n  }\n}\nvariable "encryption" {}\n');
    await expect(open()).resolves.toBeDefined();
    user.writeFolder('main.tf', 'terraform {\n  encryption {\n    state { method = x.y }\n  }\n}\n');
    await expect(open()).rejects.toMatchObject({
      exit: 'rejected',
      message: expect.stringMatching(/^main\.tf encrypts the states of /),
    });
  });

  test('yields what the program prints, and refuses a state that has changed since it was listed', async () => {
    install('terraform');
    writeState('default', stateOf(1));
    const source = await open();
    const [version] = (await collectInventory(source)).versions;
    if (version === undefined) throw new Error('There is a version.');
    expect(await downloadAll(source, version)).toBe(stateOf(1));
    writeState('default', stateOf(2));
    await expect(downloadAll(source, version)).rejects.toMatchObject({ exit: 'conflict' });
  });

  test('gets a state back through the program, which decides about locks and serials', async () => {
    install('terraform');
    writeState('default', stateOf(1));
    writeState('prod', stateOf(1));
    const source = await open();
    await source.push('folder-prod', Buffer.from(stateOf(2)));
    expect(readFileSync(join(user.home, 'states/prod'), 'utf8')).toBe(stateOf(2));
    expect(calls().at(-1)).toBe('terraform state push - TF_WORKSPACE=prod 01');
    await expect(source.push('absent', Buffer.from(stateOf(2)))).rejects.toMatchObject({ exit: 'conflict' });
    user.writeHome('locked', '');
    await expect(source.push('folder', Buffer.from(stateOf(2)))).rejects.toMatchObject({ exit: 'conflict' });
    rmSync(join(user.home, 'locked'));
    user.writeHome('offline', '');
    await expect(source.push('folder', Buffer.from(stateOf(2)))).rejects.toMatchObject({ exit: 'failed' });
    expect(existsSync(join(user.home, 'states/absent'))).toBe(false);
  });
});
