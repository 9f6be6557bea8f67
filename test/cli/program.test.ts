import { Readable, Writable } from 'node:stream';
import { afterAll, beforeAll, describe, expect, test, vi } from 'vitest';
import { exitCodes } from '../../infra/cli/failure.ts';
import { createTable, formatAge, formatCsv, formatTabs, withoutControls } from '../../infra/cli/output/format.ts';
import { withProgress } from '../../infra/cli/output/progress.ts';
import { type CliBed, startCliBed } from '../support/cli/cli-bed.ts';

let bed: CliBed;
beforeAll(async () => {
  bed = await startCliBed();
});
afterAll(() => bed.stop());

test.each([
  ['without arguments', []],
  ['with --help', ['--help']],
  ['with -h', ['-h']],
])('prints all commands and the exit codes %s', async (_, argv) => {
  const { code, stdout, stderr } = await bed.run(argv);
  expect({ code, stderr }).toEqual({ code: 0, stderr: '' });
  expect(stdout).toMatch(/^ {2}state +States: list, show, pull, /m);
  expect(stdout).toContain('Exit codes:');
});

test('suggests a command for a misspelled one and ends with exit code 2', async () => {
  const { code, stdout, stderr } = await bed.run(['ws', 'lsit']);
  expect({ code, stdout }).toEqual({ code: 2, stdout: '' });
  expect(stderr).toContain('Did you mean list?');
});

test('prints an empty array, no line and a CSV header for an empty list', async () => {
  expect(await bed.run(['locks', '--json'])).toMatchObject({ code: 0, stdout: '[]\n' });
  expect(await bed.run(['locks'])).toMatchObject({ code: 0, stdout: '' });
  expect(await bed.run(['locks', '--csv=name,age'])).toMatchObject({ code: 0, stdout: 'name,age\n' });
});

test('never takes the next argument as the value of --json', async () => {
  const { name } = await bed.createWorkspace();
  const { code, stdout } = await bed.run(['ws', 'show', '--json', name]);
  expect({ code, name: JSON.parse(stdout).name }).toEqual({ code: 0, name });
});

test('lists the fields with --json=? without a request and selects fields in their order', async () => {
  const listed = await bed.run(['ws', 'list', '--json=?']);
  expect(listed.routes).toEqual([]);
  expect(JSON.parse(listed.stdout)).toContain('locked-by');
  await bed.createWorkspace();
  const [row] = await bed.run(['ws', 'list', '--json=locked,name']).then(({ stdout }) => JSON.parse(stdout));
  expect(Object.keys(row)).toEqual(['locked', 'name']);
});

test('rejects an unknown field before it sends a request', async () => {
  const { code, routes, stderr } = await bed.run(['ws', 'list', '--json=nmae']);
  expect({ code, routes }).toEqual({ code: 2, routes: [] });
  expect(JSON.parse(stderr)).toMatchObject({ detail: 'There is no field "nmae".' });
});

test('lists the oldest lock first, with its holder, reason and age', async () => {
  const [first, second] = [await bed.createWorkspace(), await bed.createWorkspace()];
  await bed.run(['lock', second.name, '--reason', 'second']);
  const locked = await bed.json(['lock', first.name, '--reason', 'first']);
  const rows = await bed.json(['locks']);
  expect(rows.map((row: { name: string }) => row.name)).toEqual([second.name, first.name]);
  expect(locked['locked-by']).toBe(rows[1]['locked-by']);
  expect(rows[0]).toMatchObject({ 'locked-reason': 'second', age: expect.stringMatching(/^\d+m?s$/) });
});

test('waits for a lock, says who holds it, and ends with 8 when the time is over', async () => {
  const { name } = await bed.createWorkspace();
  await bed.run(['lock', name, '--reason', 'upgrade']);
  const { code, stdout, stderr } = await bed.run(['lock', name, '--wait', '1m']);
  expect({ code, stdout }).toEqual({ code: 8, stdout: '' });
  expect(stderr).toContain(': upgrade');
});

test('unlocks several workspaces, reports the one that fails, and ends with 7', async () => {
  const [locked, unlocked] = [await bed.createWorkspace(), await bed.createWorkspace()];
  await bed.run(['lock', locked.name]);
  const { code, stderr } = await bed.run(['unlock', unlocked.name, locked.name]);
  expect(code).toBe(7);
  expect(stderr).toContain(`Unlocked ${locked.name}.`);
  expect(await bed.json(['ws', 'show', locked.name])).toMatchObject({ locked: false });
});

test('shows control characters of stored texts as escapes', () => {
  expect(withoutControls('a\u001b[31mb\tc\n')).toBe('a\\u001b[31mb\\tc\\n');
  expect(formatTabs({ a: 'x\ty', b: null }, ['a', 'b'])).toBe('x\\ty\t\n');
});

test('quotes cells of CSV that contain separators', () => {
  expect(formatCsv(['a,b', 'say "hi"', 'c'])).toBe('"a,b","say ""hi""",c\n');
});

test('fits a table into the terminal, and counts wide characters as two columns', () => {
  const rows = [{ name: '日本語', text: 'x'.repeat(100) }];
  const { header, format } = createTable(['name', 'text'], rows, 40);
  expect(header).toBe('NAME    TEXT\n');
  expect(format(rows[0] ?? {})).toBe(`日本語  ${'x'.repeat(31)}…\n`);
});

test('shortens the first column of a table last, and leaves milliseconds out of times', () => {
  const row = { id: 'sv-1111111111111111', 'created-at': '2026-11-24T01:42:48.748Z' };
  const line = (width: number): string => createTable(['id', 'created-at'], [row], width).format(row);
  expect(line(80)).toBe('sv-1111111111111111  2026-11-24T01:42:48Z\n');
  expect(line(30)).toBe('sv-1111111111111111  2026-11-…\n');
  expect(line(20)).toBe('sv-111111…  2026-11…\n');
});

describe('progress', () => {
  /** Collects what is written to a terminal, or to a log. */
  const openStream = (isTTY: boolean) => {
    const parts: string[] = [];
    const stream = new Writable({ decodeStrings: false, write: (part, _, done) => done(void parts.push(part)) });
    return { parts, stream: Object.assign(stream, { isTTY }) };
  };
  const CLEAR = '\r\u001b[K';

  test('is a line of the terminal after half a second, which the next output replaces', () => {
    vi.useFakeTimers();
    const { parts, stream } = openStream(true);
    const { stderr, progress } = withProgress(stream, {});
    progress('1 of 400');
    expect(parts).toEqual([]);
    vi.advanceTimersByTime(500);
    stderr.write('Changed network.\n');
    progress('2 of 400');
    vi.advanceTimersByTime(500);
    progress('');
    vi.advanceTimersByTime(5_000);
    expect(parts).toEqual(['1 of 400', CLEAR, 'Changed network.\n', '2 of 400', CLEAR]);
    expect(stderr.isTTY).toBe(true);
    vi.useRealTimers();
  });

  test.each([
    ['in a log', false, {}],
    ['on a terminal that cannot replace a line', true, { TERM: 'dumb' }],
  ])('is not shown %s', (_, isTTY, env) => {
    const { parts, stream } = openStream(isTTY);
    vi.useFakeTimers();
    withProgress(stream, env).progress('1 of 400');
    vi.advanceTimersByTime(5_000);
    vi.useRealTimers();
    expect(parts).toEqual([]);
  });

  test('counts the rows of a list that goes to a file, and the items of a change', async () => {
    const names = [(await bed.createWorkspace()).name, (await bed.createWorkspace()).name];
    const shown: string[] = [];
    const progress = (text: string) => void shown.push(text);
    await bed.run(['ws', 'list', '--limit', '2'], { progress });
    await bed.run(['ws', 'edit', ...names, '--description', 'x'], { progress });
    expect(shown).toEqual(['1 printed', '2 printed', '', '1 of 2', '2 of 2', '']);
    await bed.run(['ws', 'list', '--limit', '2'], { progress, isTerminal: true });
    expect(shown.slice(6)).toEqual(['']);
  });
});

test('names the path of a response with 404 that says nothing else', async () => {
  const { code, stderr } = await bed.run(['ws', 'list', '--org', 'acne']);
  expect({ code, stderr }).toEqual({
    code: 3,
    stderr: 'Error: organizations/acne/workspaces does not exist, or you may not see it.\n',
  });
});

test('formats an age in its two largest units', () => {
  expect([0, 5_000, 65_000, 90_061_000].map(formatAge)).toEqual(['0s', '5s', '1m5s', '1d1h']);
});

test('accepts the options of every command before the command, within it and after it', async () => {
  const { name } = await bed.createWorkspace();
  const env = { HOLDFAST_ORG: undefined };
  for (const argv of [
    ['--org', 'acme', '--json=name', 'ws', 'show', name],
    ['ws', '--org', 'acme', '--json=name', 'show', name],
    ['--org', 'other', 'ws', '--json=id', 'show', name, '--org', 'acme', '--json=name'],
    ['ws', 'show', name, '--org', 'acme', '--json=name'],
  ]) {
    expect(JSON.parse((await bed.run(argv, { env })).stdout)).toEqual({ name });
  }
});

test('unlocks by force only with a reason', async () => {
  const { name } = await bed.createWorkspace();
  for (const rest of [['--force'], ['--force', '--reason', ' '], ['--reason', 'crashed']]) {
    expect(await bed.run(['unlock', name, ...rest])).toMatchObject({ code: 2, routes: [] });
  }
});

test('says so if a list of names is empty, and does not repeat the password of an address', async () => {
  const { code, stderr } = await bed.run(['ws', 'edit', '-', '--infra-version', '1.10.0'], { stdin: '' });
  expect({ code, stderr }).toEqual({ code: 0, stderr: 'Standard input has no names.\n' });
  const refused = await bed.run(['ws', 'list', '--url', 'https://ada:hunter2@holdfast.example.com']);
  expect(refused).toMatchObject({ code: 2, stderr: expect.stringContaining('user name or a password') });
  expect(refused.stderr).not.toContain('hunter2');
});

test.each([
  ['an argument too many', ['var', 'set', 'network', 'PASSWORD', 'hunter2']],
  ['the value of an unknown flag', ['var', 'set', 'network', 'PASSWORD', "--value=it's hunter2"]],
])('does not repeat %s, which can be a secret', async (_, argv) => {
  const { code, stderr, routes } = await bed.run(argv);
  expect({ code, routes }).toEqual({ code: 2, routes: [] });
  expect(stderr).toMatch(/Expected 2 arguments but got 3\.|'--value'/);
  expect(stderr).not.toContain('hunter2');
});

test('lists the options of a command before those of every command', async () => {
  const { stdout } = await bed.run(['locks', '--help']);
  expect([...stdout.matchAll(/^\S.*:$/gm)].map(([heading]) => heading)).toEqual(['Global options:', 'Examples:']);
  expect((await bed.run(['ws', '--help'])).stdout).toContain('--org <NAME>');
});

test('ends with 130 as soon as the user interrupts a command that reads standard input', async () => {
  const { name } = await bed.createWorkspace();
  for (const argv of [
    ['var', 'set', name, 'region'],
    ['unlock', '-'],
    ['login', 'holdfast.test', '--token-stdin'],
  ]) {
    const interruption = new AbortController();
    const stdin = new Readable({ read: () => interruption.abort() });
    const { code, stdout, stderr, routes } = await bed.run(argv, { stdin, signal: interruption.signal });
    expect({ code, stdout, stderr }).toEqual({ code: 130, stdout: '', stderr: '' });
    expect(routes.filter((route) => route !== 'workspaces.show-by-name')).toEqual([]);
  }
});

test('has the exit code of each class of error that the service itself reports', async () => {
  await bed.admin('create-organization', { name: 'foreign', email: 'mallory@example.com' });
  const { token: stranger } = await bed.admin('create-token', { kind: 'organization', organization: 'foreign' });
  const workspace = await bed.createWorkspace();
  const { id: team } = await bed.json(['team', 'create', 'builders', '--manage-workspaces', 'true']);
  const { token: ofTeam } = await bed.json([
    'token',
    'create',
    '--team',
    team,
    '--description',
    'build',
    '--expires',
    '1d',
  ]);
  const code = async (argv: readonly string[], token = bed.owner): Promise<number> =>
    (await bed.run(argv, { env: { HOLDFAST_TOKEN: token } })).code;

  expect(await code(['ws', 'show', workspace.id], stranger)).toBe(exitCodes.notFound);
  expect(await code(['ws', 'show', `acme/${workspace.name}`], stranger)).toBe(exitCodes.notFound);
  expect(await code(['lock', workspace.name], ofTeam)).toBe(exitCodes.done);
  expect(await code(['unlock', workspace.name])).toBe(exitCodes.conflict);
  expect(await code(['ws', 'edit', workspace.name, '--infra-version', 'one'])).toBe(exitCodes.rejected);
  vi.useFakeTimers({ toFake: ['Date'], now: Date.now() + 2 * 86_400_000 });
  expect(await code(['ws', 'list'], ofTeam)).toBe(exitCodes.notAuthenticated);
  expect(await code(['ws', 'list'])).toBe(exitCodes.done);
  vi.useRealTimers();
});
