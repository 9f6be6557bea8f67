import { existsSync, mkdirSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { findCommand, findPostgres, installedPrograms, otf, usesAllClients } from '../support/clients/programs.ts';
import { type SecureService, startSecureService } from '../support/clients/secure-service.ts';
import { removedAfterwards } from '../support/local/small-assembly.ts';
import { type Place, readHistories, readHistory, readReport, readVariables } from '../support/migration/compare.ts';
import {
  applyTimes,
  fillByApi,
  openRemote,
  type RemoteServer,
  remoteConfiguration,
} from '../support/migration/fill.ts';
import { openJsonApi } from '../support/migration/json-api.ts';
import { type Mover, openMover } from '../support/migration/mover.ts';
import { OTF_TOKEN, type Otf, startOtf } from '../support/migration/otf.ts';
import { type Postgres, startPostgres } from '../support/migration/postgres.ts';

const postgresPrograms = findPostgres();
const programs = installedPrograms().filter(({ name }) => name === 'terraform' || name === 'tofu');
const canRun =
  usesAllClients &&
  existsSync(otf.path) &&
  postgresPrograms !== undefined &&
  programs.length > 0 &&
  findCommand('openssl') !== undefined;

/** Workspaces with the number of their state versions. The one with none stays empty. */
const versions = { network: 4, web: 3, dns: 2, empty: 0 } as const;

describe.runIf(canRun)('an organization of OTF with PostgreSQL', () => {
  const folder = removedAfterwards();
  let postgres: Postgres;
  let server: Otf;
  let source: RemoteServer;
  let target: SecureService;
  let mover: Mover;
  beforeAll(async () => {
    for (const name of ['otf', 'target']) mkdirSync(join(folder, name));
    postgres = await startPostgres(postgresPrograms ?? '');
    server = await startOtf(postgres, join(folder, 'otf'));
    target = await startSecureService(join(folder, 'target'));
    mover = await openMover(target, join(folder, 'mover'), { HOLDFAST_SOURCE_TOKEN: OTF_TOKEN });
    source = {
      ...{
        host: server.proxy.host,
        token: OTF_TOKEN,
        organization: 'acme',
        api: openJsonApi(server.origin, OTF_TOKEN),
      },
      environment: { SSL_CERT_FILE: server.proxy.certificateFile },
    };
    const attributes = { name: 'acme', email: 'ada@example.com' };
    await source.api.send('POST', '/organizations', { data: { type: 'organizations', attributes } });
    await fillByApi(source, Object.keys(versions));
    for (const [index, [workspace, times]] of Object.entries(versions).entries()) {
      const program = programs[index % programs.length];
      const backend = index % 2 === 0 ? 'cloud' : 'remote';
      if (program !== undefined && times > 0) await applyTimes(source, program, { folder, workspace, backend, times });
    }
  });
  afterAll(async () => {
    await target?.stop();
    await server?.stop();
    await postgres?.stop();
  });

  const workspaceOf = async ({ api, organization }: Place, name: string) =>
    (await api.send('GET', `/organizations/${organization}/workspaces/${name}`)).data;

  it('is carried except for the values that OTF does not show, and no workspace is cut over without them', async () => {
    await mover.prepare(`tfe://${new URL(server.origin).host}/acme`, 'move');
    mover.setSecrets('move', { 'variables/network/env/PASSWORD': { value: 'new-password' } });
    const { code, stderr } = await mover.run('import', 'run', 'move', '--json');
    expect({ code, result: JSON.parse(stderr).meta }).toMatchObject({ code: 7, result: { open: 1, states: 9 } });
    const refused = await mover.run('import', 'cutover', 'move', '--wave', 'early', '--name', 'web');
    expect(refused).toMatchObject({ code: 7, stderr: expect.stringContaining('variables web/env/PASSWORD') });
    expect((await workspaceOf(source, 'web')).attributes.locked).toBe(false);
  });

  it('is then the same byte for byte, as a comparison of both servers shows', async () => {
    mover.setSecrets('move', {
      'variables/network/env/PASSWORD': { value: 'new-password' },
      'variables/web/env/PASSWORD': { value: 'new-password' },
    });
    await mover.json('import', 'run', 'move');
    const verified = await mover.json('import', 'verify', 'move', '--deep');
    expect(verified).toMatchObject({ open: 0, accepted: 0, downloaded: 9 });
    const histories = await readHistories(source);
    expect(Object.fromEntries(Object.entries(histories).map(([name, { length }]) => [name, length]))).toEqual(versions);
    expect(await readHistories(mover.target)).toEqual(histories);
    for (const name of Object.keys(versions)) {
      expect(await readVariables(mover.target, name), name).toEqual(await readVariables(source, name));
      const [atSource, atTarget] = [await workspaceOf(source, name), await workspaceOf(mover.target, name)];
      for (const attribute of ['description', 'execution-mode', 'terraform-version', 'locked']) {
        expect(atTarget.attributes[attribute], `${name} ${attribute}`).toBe(atSource.attributes[attribute]);
      }
      expect(atTarget.attributes['tag-names'].toSorted()).toEqual((atSource.attributes['tag-names'] ?? []).toSorted());
    }
  });

  it('has the numbers of the database of OTF in its report', async () => {
    const report = readReport(mover.read('move', 'report.md'));
    const rowsOf = async (sql: string) => {
      const inventory = Number((await postgres.query(`select count(*) from ${sql}`))[0]);
      return { inventory, carried: inventory };
    };
    expect(report).toEqual({
      organization: await rowsOf('organizations'),
      teams: await rowsOf('teams'),
      workspaces: await rowsOf('workspaces'),
      variables: await rowsOf('variables where workspace_id is not null'),
      'variable-sets': await rowsOf('variable_sets'),
      'variable-set-variables': await rowsOf('variables where variable_set_id is not null'),
      'state-versions': await rowsOf('state_versions'),
    });
  });

  it('is not written again by a second run', async () => {
    expect(await mover.json('import', 'run', 'move')).toMatchObject({ records: 0, states: 0 });
  });

  const cutOver = () =>
    mover.json(
      'import',
      'cutover',
      'move',
      '--wave',
      'first',
      '--name',
      'network',
      '--check',
      'test -n "$HOLDFAST_WORKSPACE"',
    );
  /** Opens the configuration of the workspace `network` at a server, as a user who has replaced the block. */
  const openNetwork = async (place: RemoteServer, name: string, value: number) => {
    const [program] = programs;
    if (program === undefined) throw new Error('No command line is installed.');
    const configuration = remoteConfiguration(place, 'cloud', 'network', value);
    const line = openRemote(place, program, join(folder, name), configuration);
    await line.succeed('init');
    return line;
  };

  it('is cut over, returned with a newer state, and cut over again, and no write is lost', async () => {
    const holdfast: RemoteServer = {
      ...{ ...mover.target, host: target.host, token: target.service.token ?? '', environment: target.environment },
    };
    await cutOver();
    const old = await openNetwork(source, 'network', 10);
    const late = await old.run(['apply', '-auto-approve']);
    expect(late).toMatchObject({ code: 1, output: expect.stringMatching(/lock/i) });

    const moved = await openNetwork(holdfast, 'moved', versions.network - 1);
    await moved.succeed('plan', '-detailed-exitcode');
    moved.write(remoteConfiguration(holdfast, 'cloud', 'network', 11));
    await moved.succeed('apply', '-auto-approve');
    const [former, newest] = (await readHistory(mover.target, 'network')).slice(-2);
    expect(newest).toMatchObject({ lineage: former?.lineage, serial: (former?.serial ?? 0) + 1 });

    const refused = await mover.run('import', 'rollback', 'move', '--wave', 'first');
    expect(refused.code).toBe(7);
    await mover.json('import', 'rollback', 'move', '--wave', 'first', '--push-state');
    expect((await readHistory(source, 'network')).at(-1)).toEqual(newest);
    expect(await moved.run(['apply', '-auto-approve'])).toMatchObject({ code: 1 });
    old.write(remoteConfiguration(source, 'cloud', 'network', 11));
    await old.succeed('plan', '-detailed-exitcode');
    old.write(remoteConfiguration(source, 'cloud', 'network', 12));
    await old.succeed('apply', '-auto-approve');

    await cutOver();
    expect(await readHistory(mover.target, 'network')).toEqual(await readHistory(source, 'network'));
    moved.write(remoteConfiguration(holdfast, 'cloud', 'network', 12));
    await moved.succeed('plan', '-detailed-exitcode');
    moved.write(remoteConfiguration(holdfast, 'cloud', 'network', 13));
    await moved.succeed('apply', '-auto-approve');
  });
});
