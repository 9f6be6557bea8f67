import { createHash } from 'node:crypto';
import { existsSync, mkdirSync, symlinkSync } from 'node:fs';
import { join } from 'node:path';
import {
  CreateBucketCommand,
  GetObjectCommand,
  ListObjectVersionsCommand,
  PutBucketVersioningCommand,
  S3Client,
} from '@aws-sdk/client-s3';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { openCommandLine } from '../support/clients/command-line.ts';
import { findCommand, findPostgres, installedPrograms, moto, usesAllClients } from '../support/clients/programs.ts';
import { type SecureService, startSecureService } from '../support/clients/secure-service.ts';
import { removedAfterwards } from '../support/local/small-assembly.ts';
import { readHistory } from '../support/migration/compare.ts';
import { openRemote, remoteConfiguration, resources } from '../support/migration/fill.ts';
import { startMoto } from '../support/migration/moto.ts';
import { openMover } from '../support/migration/mover.ts';
import { type Postgres, startPostgres } from '../support/migration/postgres.ts';

const postgresPrograms = findPostgres();
const programs = installedPrograms().filter(
  ({ name }) => usesAllClients && (name === 'terraform' || name === 'tofu') && findCommand('openssl') !== undefined,
);

const BUCKET = 'acme-states';
const KEY = 'network/terraform.tfstate';
const credentials = { AWS_ACCESS_KEY_ID: 'local', AWS_SECRET_ACCESS_KEY: 'local', AWS_REGION: 'eu-west-1' };

describe.skipIf(programs.length === 0)('states in backends', () => {
  describe.each(programs)('states of $name $version', (program) => {
    const folder = removedAfterwards();
    const stops: (() => unknown)[] = [];
    let target: SecureService;
    beforeAll(async () => {
      mkdirSync(join(folder, 'target'));
      target = await startSecureService(join(folder, 'target'));
      stops.push(() => target.stop());
      // The program has its ordinary name, and no other one is found.
      mkdirSync(join(folder, 'bin'));
      symlinkSync(program.path, join(folder, 'bin', program.name));
    });
    afterAll(async () => {
      for (const stop of stops.toReversed()) await stop();
    });

    const PATH = `${join(folder, 'bin')}:/usr/bin:/bin`;

    /** Applies twice in the workspace `default`, and three times in `prod`. */
    const fill = async (name: string, backend: string, environment: Readonly<Record<string, string>> = {}) => {
      const write = (value: number) => `terraform {\n${backend}\n}\n${resources(value)}`;
      const options = { program: program.path, folder: join(folder, name), settings: '', environment };
      const line = openCommandLine(options, write(0));
      await line.succeed('init');
      for (const value of [0, 1]) {
        line.write(write(value));
        await line.succeed('apply', '-auto-approve');
      }
      await line.succeed('workspace', 'new', 'prod');
      for (const value of [2, 3, 4]) {
        line.write(write(value));
        await line.succeed('apply', '-auto-approve');
      }
      const pull = async (workspace: string) => {
        await line.succeed('workspace', 'select', workspace);
        const { serial, lineage } = JSON.parse(await line.succeed('state', 'pull'));
        return { serial, lineage };
      };
      return { default: await pull('default'), prod: await pull('prod') };
    };

    /** Requires that a command line plans nothing with an imported state, and stores its next version. */
    const requireUsable = async (workspace: string, value: number): Promise<void> => {
      const { service, host, environment } = target;
      const { organization = '', token = '' } = service;
      const mover = await openMover(target, join(folder, 'reader'));
      const server = { ...mover.target, host, token, environment };
      const line = openRemote(
        server,
        program,
        join(folder, `after-${workspace}`),
        remoteConfiguration({ host, organization }, 'cloud', workspace, value),
      );
      await line.succeed('init');
      await line.succeed('plan', '-detailed-exitcode');
      const before = (await readHistory(mover.target, workspace)).at(-1);
      line.write(remoteConfiguration({ host, organization }, 'cloud', workspace, 99));
      await line.succeed('apply', '-auto-approve');
      const after = (await readHistory(mover.target, workspace)).at(-1);
      expect(after).toMatchObject({ serial: (before?.serial ?? 0) + 1, lineage: before?.lineage });
    };

    /** Moves the current states of an initialized folder. */
    const moveFolder = async (name: string, states: Awaited<ReturnType<typeof fill>>): Promise<void> => {
      const mover = await openMover(target, join(folder, 'mover'), { PATH });
      await mover.prepare(`terraform:${join(folder, name)}`, name);
      expect(await mover.json('import', 'run', name)).toMatchObject({ workspaces: 2, states: 2 });
      expect(await mover.json('import', 'verify', name, '--deep')).toMatchObject({ open: 0, downloaded: 2 });
      expect(await readHistory(mover.target, name)).toMatchObject([states.default]);
      expect(await readHistory(mover.target, `${name}-prod`)).toMatchObject([states.prod]);
      await requireUsable(name, 1);
      await requireUsable(`${name}-prod`, 4);
    };

    it('are moved from the backend local', async () => {
      await moveFolder('plain', await fill('plain', 'backend "local" {}'));
    });

    it.skipIf(postgresPrograms === undefined)('are moved from the backend pg', async () => {
      const postgres: Postgres = await startPostgres(postgresPrograms ?? '');
      stops.push(() => postgres.stop());
      const states = await fill('stored', `backend "pg" { conn_str = "${postgres.url}" }`);
      await moveFolder('stored', states);
      expect(await postgres.query('select name from terraform_remote_state.states order by name')).toEqual([
        'default',
        'prod',
      ]);
    });

    it.skipIf(!existsSync(moto.mark))('are moved from a bucket of moto with their history', async () => {
      const server = await startMoto();
      stops.push(() => server.stop());
      const s3 = new S3Client({
        ...{ endpoint: server.origin, region: 'eu-west-1', forcePathStyle: true },
        credentials: { accessKeyId: 'local', secretAccessKey: 'local' },
      });
      const CreateBucketConfiguration = { LocationConstraint: 'eu-west-1' } as const;
      await s3.send(new CreateBucketCommand({ Bucket: BUCKET, CreateBucketConfiguration }));
      const VersioningConfiguration = { Status: 'Enabled' } as const;
      await s3.send(new PutBucketVersioningCommand({ Bucket: BUCKET, VersioningConfiguration }));
      stops.push(() => s3.destroy());
      const skipped = ['skip_credentials_validation', 'skip_requesting_account_id', 'skip_metadata_api_check'];
      const states = await fill(
        'bucket',
        `backend "s3" {
        bucket         = "${BUCKET}"
        key            = "${KEY}"
        region         = "eu-west-1"
        endpoints      = { s3 = "${server.origin}" }
        use_lockfile   = true
        use_path_style = true
        ${skipped.map((name) => `${name} = true`).join('\n')}
      }`,
        credentials,
      );
      const mover = await openMover(target, join(folder, 'mover'), {
        ...credentials,
        AWS_ENDPOINT_URL_S3: server.origin,
      });
      await mover.prepare(`s3://${BUCKET}`, 'from-bucket');
      // The command that creates a workspace stores an empty state.
      expect(await mover.json('import', 'run', 'from-bucket')).toMatchObject({ workspaces: 2, states: 6 });
      expect(await mover.json('import', 'verify', 'from-bucket', '--deep')).toMatchObject({ open: 0, downloaded: 6 });
      const digests = async (Key: string) => {
        const { Versions = [] } = await s3.send(new ListObjectVersionsCommand({ Bucket: BUCKET, Prefix: Key }));
        const stored = Versions.filter((version) => version.Key === Key).toReversed();
        return Promise.all(
          stored.map(async ({ VersionId }) => {
            const { Body } = await s3.send(new GetObjectCommand({ Bucket: BUCKET, Key, VersionId }));
            return createHash('sha256')
              .update((await Body?.transformToByteArray()) ?? '')
              .digest('hex');
          }),
        );
      };
      for (const [workspace, key, state] of [
        ['network', KEY, states.default],
        ['network-prod', `env:/prod/${KEY}`, states.prod],
      ] as const) {
        const history = await readHistory(mover.target, workspace);
        expect(history.map(({ sha256 }) => sha256)).toEqual(await digests(key));
        expect(history.at(-1)).toMatchObject(state);
      }
      await requireUsable('network', 1);
      await requireUsable('network-prod', 4);
    });
  });
});
