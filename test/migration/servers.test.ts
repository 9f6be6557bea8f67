import { mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { findCommand, installedPrograms, usesAllClients } from '../support/clients/programs.ts';
import { type SecureService, startSecureService } from '../support/clients/secure-service.ts';
import { describeMany } from '../support/import/hcp-description.ts';
import { startHcpServer } from '../support/import/hcp-server.ts';
import { removedAfterwards } from '../support/local/small-assembly.ts';
import { listWorkspaces, readHistories, readReport, readVariables } from '../support/migration/compare.ts';
import {
  applyTimes,
  fillByApi,
  openRemote,
  type RemoteServer,
  remoteConfiguration,
} from '../support/migration/fill.ts';
import { openJsonApi } from '../support/migration/json-api.ts';
import { openMover } from '../support/migration/mover.ts';

const programs = installedPrograms().filter(({ name }) => name === 'terraform' || name === 'tofu');
const canRun = usesAllClients && findCommand('openssl') !== undefined;

describe.runIf(canRun)('an organization of another server', () => {
  const folder = removedAfterwards();
  const startService = (name: string): Promise<SecureService> => {
    mkdirSync(join(folder, name));
    return startSecureService(join(folder, name));
  };
  let target: SecureService;
  beforeAll(async () => {
    target = await startService('target');
  });
  afterAll(() => target?.stop());

  const toServer = async ({ service, host, certificateFile, environment }: SecureService, name: string) => {
    const { target: place } = await openMover({ service, certificateFile }, join(folder, name));
    return { ...place, host, token: service.token ?? '', environment } satisfies RemoteServer;
  };

  it.skipIf(programs.length === 0)('is moved from Holdfast over HTTP, and cut over', async () => {
    const source = await startService('source');
    const at = await toServer(source, 'at-source');
    const [program] = programs;
    if (program === undefined) throw new Error('No command line is installed.');
    await fillByApi(at, ['network', 'web', 'empty']);
    for (const [workspace, times] of [
      ['network', 3],
      ['web', 2],
    ] as const)
      await applyTimes(at, program, { folder: join(folder, 'lines'), workspace, backend: 'cloud', times });

    const authorities = join(folder, 'authorities.pem');
    writeFileSync(
      authorities,
      [source, target].map(({ certificateFile }) => readFileSync(certificateFile, 'utf8')).join(''),
    );
    const env = { HOLDFAST_SOURCE_TOKEN: at.token, NODE_EXTRA_CA_CERTS: authorities };
    const mover = await openMover(target, join(folder, 'mover'), env);
    await mover.prepare(`tfe://${new URL(source.service.origin).host}/${at.organization}`, 'move');
    const value = { value: 'new-password' };
    mover.setSecrets('move', { 'variables/network/env/PASSWORD': value, 'variables/web/env/PASSWORD': value });
    expect(await mover.json('import', 'run', 'move')).toMatchObject({ workspaces: 3, states: 5 });
    expect(await mover.json('import', 'verify', 'move', '--deep')).toMatchObject({ open: 0, downloaded: 5 });
    const histories = await readHistories(at);
    expect(Object.values(histories).map(({ length }) => length)).toEqual([0, 3, 2]);
    expect(await readHistories(mover.target)).toEqual(histories);
    for (const name of Object.keys(histories)) {
      expect(await readVariables(mover.target, name), name).toEqual(await readVariables(at, name));
    }
    const report = readReport(mover.read('move', 'report.md'));
    expect(report).toMatchObject({
      workspaces: { inventory: 3, carried: 3 },
      variables: { inventory: 8, carried: 8 },
      'state-versions': { inventory: 5, carried: 5 },
    });

    await mover.json('import', 'cutover', 'move', '--wave', 'all', '--name', '*');
    const late = openRemote(at, program, join(folder, 'late'), remoteConfiguration(at, 'cloud', 'network', 9));
    await late.succeed('init');
    expect(await late.run(['apply', '-auto-approve'])).toMatchObject({ code: 1 });
    const to = await toServer(target, 'at-target');
    const moved = openRemote(to, program, join(folder, 'moved'), remoteConfiguration(to, 'cloud', 'network', 2));
    await moved.succeed('init');
    await moved.succeed('plan', '-detailed-exitcode');
    moved.write(remoteConfiguration(to, 'cloud', 'network', 9));
    await moved.succeed('apply', '-auto-approve');
    await source.stop();
  });

  it('is moved from a server with the faults of a network, also after the import was killed', async () => {
    const hcp = await startHcpServer(describeMany(7, 12, 6));
    const at = {
      api: openJsonApi(new URL(hcp.address.replace('tfe:', 'http:')).origin, hcp.token),
      organization: 'acme',
    };
    const histories = await readHistories(at);
    const names = Object.keys(histories);
    const versions = Object.values(histories).flat().length;
    hcp.setFaults({ seed: 7, throttleEvery: 11, bursts: 0.03, truncated: 0.05, slow: 0.1 });
    const mover = await openMover(target, join(folder, 'faults'), { HOLDFAST_SOURCE_TOKEN: hcp.token });
    await mover.prepare(hcp.address, 'move');
    const kills = [];
    for (const bytes of [1, 2_000, 6_000, 9_000]) {
      kills.push(await mover.kill('move', { bytes, delay: 0 }, 'import', 'run', 'move'));
    }
    expect(kills).toEqual([true, true, true, true]);
    await mover.json('import', 'run', 'move');
    expect(await mover.json('import', 'verify', 'move', '--deep')).toMatchObject({ open: 0, downloaded: versions });
    expect((await listWorkspaces(mover.target)).filter((name) => name.startsWith('workspace-'))).toEqual(names);
    expect(await readHistories(mover.target)).toMatchObject(histories);
    expect(readReport(mover.read('move', 'report.md'))).toMatchObject({
      workspaces: { inventory: names.length, carried: names.length },
      'state-versions': { inventory: versions, carried: versions },
    });
    expect(hcp.violations).toEqual([]);
    await hcp.stop();
  });
});
