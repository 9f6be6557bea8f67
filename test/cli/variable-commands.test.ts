import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { type CliBed, startCliBed } from '../support/cli/cli-bed.ts';

const SECRET = 'correct horse battery staple';

let bed: CliBed;
let folder: string;
beforeAll(async () => {
  bed = await startCliBed();
  folder = mkdtempSync(join(tmpdir(), 'holdfast-variables-'));
});
afterAll(async () => {
  rmSync(folder, { recursive: true, force: true });
  await bed.stop();
});

const createWorkspace = async (): Promise<string> => (await bed.createWorkspace()).name;
const set = (workspace: string, key: string, value: string, ...flags: readonly string[]) =>
  bed.json(['var', 'set', workspace, key, ...flags], { stdin: value });
const get = async (workspace: string, key: string): Promise<string> =>
  (await bed.run(['var', 'get', workspace, key])).stdout;
const writeFile = (name: string, content: string): string => {
  writeFileSync(join(folder, name), content);
  return join(folder, name);
};

/** Creates a variable set with one variable of the environment. */
const createSet = async (name: string, key: string, value: string, ...flags: readonly string[]): Promise<void> => {
  await bed.json(['varset', 'create', name, ...flags]);
  await bed.json(['varset', 'var', 'set', name, key, '--category', 'env'], { stdin: value });
};

test('stores piped input without the newlines at its end, and a file as it is', async () => {
  const workspace = await createWorkspace();
  await set(workspace, 'piped', 'one\ntwo\r\n\n');
  expect((await bed.json(['var', 'get', workspace, 'piped'])).value).toBe('one\ntwo');
  await bed.json(['var', 'set', workspace, 'file', '--file', writeFile('value.txt', 'one\n')]);
  expect((await bed.json(['var', 'get', workspace, 'file'])).value).toBe('one\n');
});

test('keeps the value if standard input is empty, and stores an empty value for an empty line', async () => {
  const workspace = await createWorkspace();
  await set(workspace, 'region', 'eu-west-1');
  const { code, routes } = await bed.run(['var', 'set', workspace, 'region']);
  expect({ code, routes }).toEqual({ code: 2, routes: [] });
  expect(await get(workspace, 'region')).toBe('eu-west-1\n');
  await set(workspace, 'region', '\n');
  expect(await get(workspace, 'region')).toBe('\n');
});

test('rejects a value that is not text or is too large without a request', async () => {
  const workspace = await createWorkspace();
  writeFileSync(join(folder, 'binary'), Buffer.from([0xff, 0xfe]));
  for (const file of [join(folder, 'binary'), '/dev/zero', join(folder, 'missing')]) {
    const { code, routes } = await bed.run(['var', 'set', workspace, 'x', '--file', file]);
    expect({ file, code, routes }).toEqual({ file, code: 2, routes: [] });
  }
});

test('changes a variable without its other attributes, and requires the category of a key that is in both', async () => {
  const workspace = await createWorkspace();
  await set(workspace, 'zones', '["a"]', '--hcl', 'true', '--description', 'Zones');
  expect(await set(workspace, 'zones', '["b"]')).toMatchObject({ change: 'changed', hcl: true, description: 'Zones' });
  expect(await set(workspace, 'zones', 'b', '--category', 'env')).toMatchObject({ change: 'created', category: 'env' });
  const { code, stderr } = await bed.run(['var', 'set', workspace, 'zones'], { stdin: 'c' });
  expect({ code, stderr }).toMatchObject({ code: 2, stderr: expect.stringContaining('--category') });
  expect(await bed.json(['var', 'get', workspace, 'zones', '--category', 'terraform'])).toMatchObject({
    value: '["b"]',
  });
});

test('changes a variable that somebody else creates after it was looked for', async () => {
  const workspace = await createWorkspace();
  let isOvertaken = false;
  const { code, stderr } = await bed.run(['var', 'set', workspace, 'raced'], {
    stdin: 'mine',
    fetch: async (...request) => {
      if (request[1]?.method === 'POST' && !isOvertaken) {
        isOvertaken = true;
        await set(workspace, 'raced', 'theirs');
      }
      return bed.fetch(...request);
    },
  });
  expect({ code, stderr }).toEqual({ code: 0, stderr: 'Changed raced.\n' });
  expect(await get(workspace, 'raced')).toBe('mine\n');
});

test('changes nothing if somebody else changes the variable after it was read', async () => {
  const workspace = await createWorkspace();
  await set(workspace, 'raced', 'old');
  const { code } = await bed.run(['var', 'set', workspace, 'raced'], {
    stdin: 'mine',
    fetch: async (...request) => {
      if (request[1]?.method === 'PATCH') await set(workspace, 'raced', 'theirs');
      return bed.fetch(...request);
    },
  });
  expect(code).toBe(5);
  expect(await get(workspace, 'raced')).toBe('theirs\n');
});

test('prints no sensitive value, and compares it with another one', async () => {
  const workspace = await createWorkspace();
  const results = [
    await bed.run(['var', 'set', workspace, 'PASSWORD', '--sensitive', '--category', 'env'], { stdin: SECRET }),
    await bed.run(['var', 'set', workspace, 'PASSWORD', '--curl'], { stdin: SECRET }),
    await bed.run(['var', 'list', workspace, '--json']),
    await bed.run(['var', 'export', workspace]),
    await bed.run(['var', 'get', workspace, 'PASSWORD']),
    await bed.run(['var', 'verify', workspace, 'PASSWORD'], { stdin: `${SECRET}\n` }),
    await bed.run(['var', 'verify', workspace, 'PASSWORD'], { stdin: 'guess' }),
  ];
  expect(results.map(({ code }) => code)).toEqual([0, 0, 0, 0, 3, 0, 7]);
  for (const { stdout, stderr } of results) expect(stdout + stderr).not.toContain(SECRET);
});

test('shows from where each value in force comes, and what it overrides', async () => {
  const workspace = await createWorkspace();
  await createSet('defaults', 'LEVEL', 'default', '--global', 'true');
  await createSet('enforced', 'FORCED', 'forced', '--global', 'true', '--priority', 'true');
  await set(workspace, 'LEVEL', 'own', '--category', 'env');
  await set(workspace, 'FORCED', 'own', '--category', 'env');
  const fields = '--json=key,value,origin,overrides';
  expect(JSON.parse((await bed.run(['var', 'list', workspace, '--in-force', fields])).stdout)).toEqual([
    { key: 'FORCED', value: 'forced', origin: 'enforced', overrides: ['workspace'] },
    { key: 'LEVEL', value: 'own', origin: 'workspace', overrides: ['defaults'] },
  ]);
  const explained = await bed.json(['var', 'explain', workspace, 'FORCED']);
  expect(explained).toMatchObject([
    { origin: 'enforced', 'in-force': true, value: 'forced', scope: 'global', priority: true },
    { origin: 'workspace', 'in-force': false, value: 'own', scope: 'workspace', priority: false },
  ]);
  expect(await get(workspace, 'FORCED')).toBe('forced\n');
  expect((await bed.run(['var', 'explain', workspace, 'NOTHING'])).code).toBe(3);
});

test('imports only what differs, and compares secrets with those that are stored', async () => {
  const workspace = await createWorkspace();
  await set(workspace, 'same', 'x', '--category', 'env', '--description', 'stays');
  await set(workspace, 'PASSWORD', SECRET, '--category', 'env', '--sensitive');
  await set(workspace, 'other', 'old', '--category', 'env');
  const file = writeFile('.env', `same=x\nPASSWORD='${SECRET}'\nother=new\nadded=1\n`);
  const asked = await bed.run(['var', 'import', workspace, file]);
  expect(asked).toMatchObject({
    code: 2,
    stderr: expect.stringContaining('Creates added.\nChanges other.\nVariables that are the same already: 2.'),
  });
  expect(await get(workspace, 'other')).toBe('old\n');
  const rows = await bed.json(['var', 'import', workspace, file, '--yes']);
  expect(rows.map(({ key, change }: Record<string, string>) => [key, change])).toEqual([
    ['other', 'changed'],
    ['added', 'created'],
  ]);
  const again = await bed.run(['var', 'import', workspace, file]);
  expect(again).toMatchObject({ code: 0, routes: expect.not.arrayContaining(['workspace-variables.update']) });
  expect(again.stderr).toBe('Variables that are the same already: 4.\n');
});

test('imports nothing of a file with a mistake', async () => {
  const workspace = await createWorkspace();
  const file = writeFile('broken.tfvars', 'good = "1"\nbad = var.x\n');
  const { code, stderr, routes } = await bed.run(['var', 'import', workspace, file]);
  expect({ code, routes }).toEqual({ code: 2, routes: [] });
  expect(stderr).toContain('broken.tfvars, line 2');
});

test('imports the other variables if the service rejects one, and ends with exit code 7', async () => {
  const workspace = await createWorkspace();
  const file = writeFile('long.tfvars', `${'k'.repeat(200)} = "1"\ngood = "1"\n`);
  const { code, stderr } = await bed.run(['var', 'import', workspace, file]);
  expect({ code, stderr }).toMatchObject({ code: 7, stderr: expect.stringContaining('Key is too long') });
  expect(await get(workspace, 'good')).toBe('1\n');
});

test('exports the variables in force without secrets, in each format, and names what is left out', async () => {
  const workspace = await createWorkspace();
  await set(workspace, 'TOKEN', "it's $x", '--category', 'env');
  await set(workspace, 'zones', '["a"]', '--hcl', 'true');
  await set(workspace, 'PASSWORD', SECRET, '--category', 'env', '--sensitive');
  const own = async (format: string): Promise<string> => {
    const { stdout, stderr } = await bed.run(['var', 'export', workspace, '--format', format]);
    expect(stderr).toContain('PASSWORD is left out: it is sensitive.');
    return stdout;
  };
  expect(await own('sh')).toContain(`export TOKEN='it'\\''s $x'\nexport TF_VAR_zones='["a"]'\n`);
  expect(await own('env')).toContain('TOKEN="it\'s \\$x"\nTF_VAR_zones=\'["a"]\'\n');
  expect(await own('tfvars')).toBe('zones = ["a"]\n');
  const copy = await createWorkspace();
  await bed.json(['var', 'import', copy, writeFile('copy.json', await own('json'))]);
  expect((await bed.json(['var', 'list', copy])).map(({ key }: { key: string }) => key)).toEqual(
    expect.arrayContaining(['TOKEN', 'zones']),
  );
  expect(await bed.json(['var', 'export', workspace])).toMatchObject({ format: 'sh', 'left-out': ['PASSWORD'] });
});

test('lists the differences of two workspaces, and calls that of two secrets unknown', async () => {
  const [first, second] = [await createWorkspace(), await createWorkspace()];
  for (const workspace of [first, second]) {
    await set(workspace, 'same', 'x');
    await set(workspace, 'changed', workspace);
    await set(workspace, 'secret', SECRET, '--sensitive');
  }
  await set(second, 'added', '1');
  const { code, stdout } = await bed.run(['var', 'diff', first, second, '--json=key,difference,first,second']);
  expect(code).toBe(7);
  expect(JSON.parse(stdout)).toEqual([
    { key: 'added', difference: 'second-only', first: null, second: '1' },
    { key: 'changed', difference: 'different', first, second },
    { key: 'secret', difference: 'unknown', first: null, second: null },
  ]);
  expect(await bed.run(['var', 'diff', first, first, '--json'])).toMatchObject({ code: 0, stdout: '[]\n' });
});

test('assigns a variable set of a project to the project, and lists where it applies', async () => {
  await bed.json(['project', 'create', 'Platform']);
  await createSet('platform', 'REGION', 'eu-central-1', '--owner', 'Platform');
  const sentence = await bed.run(['varset', 'assign', 'platform', '--project', 'Platform']);
  expect(sentence).toMatchObject({ code: 0, stderr: 'Assigned it to Platform.\n' });
  expect(await bed.json(['varset', 'show', 'platform'])).toMatchObject({ projects: ['Platform'], workspaces: [] });
  const names = async (...flags: readonly string[]): Promise<readonly string[]> =>
    (await bed.json(['varset', 'list', ...flags])).map(({ name }: { name: string }) => name);
  expect(await names('--project', 'Platform', '--owned')).toEqual(['platform']);
  expect(await names('--workspace', await createWorkspace())).not.toContain('platform');
  await bed.json(['varset', 'unassign', 'platform', '--project', 'Platform']);
  expect(await bed.json(['varset', 'show', 'platform'])).toMatchObject({ projects: [] });
});

test('assigns a variable set to the targets that exist, and ends with exit code 7 for the others', async () => {
  await bed.json(['varset', 'create', 'shared']);
  const workspace = await createWorkspace();
  const { code } = await bed.run(['varset', 'assign', 'shared', '--workspace', 'missing', '--workspace', workspace]);
  expect(code).toBe(7);
  expect(await bed.json(['varset', 'show', 'shared'])).toMatchObject({ workspaces: [workspace] });
});
