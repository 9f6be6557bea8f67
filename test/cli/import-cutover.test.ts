import { mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { type CliBed, type CliResult, startCliBed } from '../support/cli/cli-bed.ts';
import { waitForReleases } from '../support/cli/wait.ts';
import { hcpState } from '../support/import/hcp-description.ts';
import { type HcpServer, startHcpServer } from '../support/import/hcp-server.ts';

/** Cutover, rollback and report of imports (docs/operate/import.md), from a server that responds like HCP Terraform. */
let target: CliBed;
let hcp: HcpServer;
let count = 0;

beforeAll(async () => {
  target = await startCliBed();
});
afterAll(async () => {
  expect((await target.api.admin('check-table')).findings).toEqual([]);
  await target.stop();
});

const versionsOf = (lineage: string, last: number) =>
  Array.from({ length: last }, (_, index) => ({ content: hcpState(index + 1, lineage) }));

/** An import that has run once, from a server of its own. Its workspaces have names of their own. */
const startMove = async () => {
  count += 1;
  const [network, dns] = [`network-${count}`, `dns-${count}`];
  hcp = await startHcpServer({
    workspaces: [
      { name: network, versions: versionsOf('network', 3), variables: [{ key: 'region', value: 'eu' }] },
      { name: dns, versions: versionsOf('dns', 1) },
    ],
  });
  const folder = `move-${count}`;
  const run = (phase: string, ...args: readonly string[]): Promise<CliResult> =>
    target.run(['import', phase, ...args, '--json'], {
      wait: waitForReleases,
      env: { HOLDFAST_SOURCE_TOKEN: hcp.token },
    });
  const succeed = async (phase: string, ...args: readonly string[]) => {
    const result = await run(phase, ...args);
    expect({ code: result.code, stderr: result.stderr }).toEqual({ code: 0, stderr: '' });
    return JSON.parse(result.stdout);
  };
  await succeed('init', hcp.address, folder, '--rate', '1000');
  await succeed('plan', folder);
  const planPath = join(target.home, folder, 'plan.json');
  const plan = JSON.parse(readFileSync(planPath, 'utf8'));
  for (const problem of plan.problems) problem.accept = true;
  writeFileSync(planPath, JSON.stringify(plan));
  await succeed('run', folder);
  return { server: hcp, folder, network, dns, run, succeed };
};

/** Writes a state at the source, as a run there would. */
const addAtSource = (server: HcpServer, workspace: string, content: Buffer): void => {
  const { versions } = server.workspace(workspace);
  const last = versions.at(-1);
  if (last === undefined) throw new Error(`${workspace} has no version to continue.`);
  const { serial } = JSON.parse(content.toString());
  const createdAt = new Date(Date.parse(last.createdAt) + 1_000).toISOString();
  versions.push({ ...last, id: `sv-${workspace}-${versions.length + 1}`, serial, createdAt, content });
};

/** Writes a state at the target, as terraform would. */
const writeAtTarget = async (workspace: string, serial: number, lineage: string): Promise<void> => {
  const file = join(target.home, `${workspace}-${serial}.tfstate`);
  writeFileSync(file, hcpState(serial, lineage));
  const { code, stderr } = await target.run(['state', 'push', workspace, file]);
  expect(code, stderr).toBe(0);
};

const resultsOf = ({ stdout }: CliResult) =>
  Object.fromEntries(JSON.parse(stdout).map(({ name, result }: { name: string; result: string }) => [name, result]));

describe('import cutover', () => {
  it('locks the source, carries what is new, and leaves the source locked', async () => {
    const { server, folder, network, dns, succeed, run } = await startMove();
    addAtSource(server, network, hcpState(4, 'network'));
    await succeed('cutover', folder, '--wave', 'first', '--name', network);
    expect(server.workspace(network).lock?.reason).toMatch(/^import /);
    expect(server.workspace(dns).lock).toBeUndefined();
    expect((await target.json(['state', 'list', network])).map(({ serial }: { serial: number }) => serial)).toEqual([
      4, 3, 2, 1,
    ]);
    const again = await run('cutover', folder, '--wave', 'first');
    expect(resultsOf(again)).toEqual({ [network]: 'cut over' });
    const report = await target.run(['import', 'report', folder]);
    expect(report.stdout).toContain(`| ${network} | first | yes | locked |`);
    await server.stop();
  });

  it('refuses a workspace that somebody else has locked or whose run is active, and cuts the others over', async () => {
    const { server, folder, network, dns, run } = await startMove();
    server.workspace(network).lock = { reason: 'a plan', by: 'grace' };
    const result = await run('cutover', folder, '--wave', 'all', '--name', '*');
    expect(result.code).toBe(7);
    expect(resultsOf(result)).toMatchObject({ [network]: 'refused', [dns]: 'cut over' });
    expect(server.workspace(network).lock).toMatchObject({ reason: 'a plan' });
    await server.stop();
  });

  it('refuses a workspace that was written at the target before, and releases its source', async () => {
    const { server, folder, network, run } = await startMove();
    await writeAtTarget(network, 9, 'network');
    const result = await run('cutover', folder, '--wave', 'first', '--name', network);
    expect(result.code).toBe(7);
    expect(JSON.parse(result.stdout)[0].detail).toContain('newest state version');
    expect(server.workspace(network).lock).toBeUndefined();
    await server.stop();
  });

  it('refuses a workspace whose check fails, and names it in HOLDFAST_WORKSPACE', async () => {
    const { server, folder, network, dns, run } = await startMove();
    const check = `test "$HOLDFAST_WORKSPACE" = ${dns}`;
    const result = await run('cutover', folder, '--wave', 'all', '--name', '*', '--check', check);
    expect(result.code).toBe(7);
    expect(resultsOf(result)).toMatchObject({ [network]: 'refused', [dns]: 'cut over' });
    expect(server.workspace(network).lock).toBeUndefined();
    await server.stop();
  });

  it('lists the blocks that still name the source', async () => {
    const { server, folder, network, succeed } = await startMove();
    const host = new URL(server.address.replace('tfe:', 'http:')).host;
    const code = join(target.home, `code-${count}`);
    mkdirSync(join(code, 'modules'), { recursive: true });
    writeFileSync(
      join(code, 'old.tf'),
      `terraform {\n cloud {\n hostname = "${host}"\n organization = "acme"\n }\n}\n`,
    );
    writeFileSync(join(code, 'other.tf'), 'terraform {\n backend "s3" {\n bucket = "states"\n }\n}\n');
    writeFileSync(
      join(code, 'modules/data.tf'),
      `data "terraform_remote_state" "dns" {\n backend = "remote"\n config = {\n hostname = "${host}"\n organization = "acme"\n }\n}\n`,
    );
    const rows = await succeed('cutover', folder, '--wave', 'first', '--name', network, '--scan', code);
    expect(rows.slice(1)).toEqual([
      {
        name: 'modules/data.tf',
        result: 'old address',
        detail: `data "terraform_remote_state" "dns" names ${host}.`,
      },
      { name: 'old.tf', result: 'old address', detail: `cloud names ${host}.` },
    ]);
    await server.stop();
  });
});

describe('import rollback', () => {
  it('unlocks the source and locks the target', async () => {
    const { server, folder, network, succeed } = await startMove();
    await succeed('cutover', folder, '--wave', 'first', '--name', network);
    await succeed('rollback', folder, '--wave', 'first');
    expect(server.workspace(network).lock).toBeUndefined();
    expect((await target.json(['ws', 'show', network])).locked).toBe(true);
    await succeed('cutover', folder, '--wave', 'first', '--name', network);
    expect((await target.json(['ws', 'show', network])).locked).toBe(false);
    await server.stop();
  });

  it('refuses while the target has a newer state, and writes it back with --push-state', async () => {
    const { server, folder, network, run, succeed } = await startMove();
    await succeed('cutover', folder, '--wave', 'first', '--name', network);
    await writeAtTarget(network, 4, 'network');
    await writeAtTarget(network, 5, 'network');
    const refused = await run('rollback', folder, '--wave', 'first');
    expect(refused.code).toBe(7);
    expect(server.workspace(network).lock).toBeDefined();
    await succeed('rollback', folder, '--wave', 'first', '--push-state');
    expect(server.workspace(network).lock).toBeUndefined();
    expect(server.workspace(network).versions.at(-1)?.content).toEqual(hcpState(5, 'network'));
    // The source goes on, and the workspace moves again.
    addAtSource(server, network, hcpState(6, 'network'));
    await succeed('cutover', folder, '--wave', 'second', '--name', network);
    expect((await target.json(['state', 'list', network])).map(({ serial }: { serial: number }) => serial)).toEqual([
      6, 5, 4, 3, 2, 1,
    ]);
    await server.stop();
  });

  it('leaves a newer state at the target with --discard, and moves the workspace again behind it', async () => {
    const { server, folder, network, succeed } = await startMove();
    await succeed('cutover', folder, '--wave', 'first', '--name', network);
    await writeAtTarget(network, 4, 'network');
    await succeed('rollback', folder, '--wave', 'first', '--discard');
    addAtSource(server, network, hcpState(4, 'network', 10));
    await succeed('cutover', folder, '--wave', 'second', '--name', network);
    expect((await target.json(['state', 'list', network])).map(({ serial }: { serial: number }) => serial)).toEqual([
      4, 4, 3, 2, 1,
    ]);
    await server.stop();
  });
});
