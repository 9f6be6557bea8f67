import { spawn } from 'node:child_process';
import { existsSync } from 'node:fs';
import { CreateTableCommand, DynamoDBClient, GetItemCommand } from '@aws-sdk/client-dynamodb';
import {
  CreateBucketCommand,
  DeleteObjectCommand,
  GetObjectCommand,
  PutBucketVersioningCommand,
  PutObjectCommand,
  S3Client,
} from '@aws-sdk/client-s3';
import { afterAll, beforeAll, describe, expect, it, vi } from 'vitest';
import { openS3 } from '../../infra/cli/import/sources/s3.ts';
import { type ContextBed, createContextBed } from '../support/cli/context-bed.ts';
import { findFreePort } from '../support/clients/free-port.ts';
import { moto, usesAllClients } from '../support/clients/programs.ts';
import { collectInventory, downloadAll, stateOf } from '../support/import/inventory.ts';
import { POLL_DEADLINE } from '../support/setup/deadline.ts';

const isInstalled = usesAllClients && existsSync(moto.mark);

describe.runIf(isInstalled)('a bucket of moto, with versions as S3 has them', () => {
  const stops: (() => unknown)[] = [];
  let endpoint: string;
  let s3: S3Client;
  let dynamodb: DynamoDBClient;
  let user: ContextBed;
  beforeAll(async () => {
    const port = await findFreePort();
    const server = spawn(moto.path, ['-H', '127.0.0.1', '-p', String(port)], { stdio: 'ignore' });
    stops.push(() => server.kill());
    endpoint = `http://127.0.0.1:${port}`;
    await vi.waitFor(() => fetch(endpoint), { timeout: POLL_DEADLINE });
    for (const name of ['AWS_ACCESS_KEY_ID', 'AWS_SECRET_ACCESS_KEY']) vi.stubEnv(name, 'local');
    const client = {
      endpoint,
      region: 'eu-west-1',
      credentials: { accessKeyId: 'local', secretAccessKey: 'local' },
    };
    s3 = new S3Client({ ...client, forcePathStyle: true });
    dynamodb = new DynamoDBClient(client);
    user = createContextBed();
    stops.push(
      () => s3.destroy(),
      () => dynamodb.destroy(),
      () => user.remove(),
      () => vi.unstubAllEnvs(),
    );
  });
  afterAll(() => {
    for (const stop of stops) stop();
  });

  const createBucket = async (Bucket: string): Promise<void> => {
    const CreateBucketConfiguration = { LocationConstraint: 'eu-west-1' } as const;
    await s3.send(new CreateBucketCommand({ Bucket, CreateBucketConfiguration }));
  };
  const setVersioning = (Bucket: string, Status: 'Enabled' | 'Suspended') =>
    s3.send(new PutBucketVersioningCommand({ Bucket, VersioningConfiguration: { Status } }));
  const put = (Bucket: string, Key: string, Body: string) => s3.send(new PutObjectCommand({ Bucket, Key, Body }));
  const read = async (Bucket: string, Key: string) =>
    (await s3.send(new GetObjectCommand({ Bucket, Key }))).Body?.transformToString();
  const open = (address: string) => {
    const variables = { AWS_REGION: 'eu-west-1', AWS_ENDPOINT_URL_S3: endpoint, AWS_ENDPOINT_URL_DYNAMODB: endpoint };
    return openS3({ ...user.io(variables), fetch }, address);
  };

  it('is imported with its versions and deletions, also from before and after versioning was on', async () => {
    await createBucket('history');
    await put('history', 'a & b/net.tfstate', stateOf(1));
    await setVersioning('history', 'Enabled');
    await put('history', 'a & b/net.tfstate', stateOf(2));
    await s3.send(new DeleteObjectCommand({ Bucket: 'history', Key: 'a & b/net.tfstate' }));
    await put('history', 'a & b/net.tfstate', stateOf(3));
    await put('history', 'gone.tfstate', stateOf(1));
    await s3.send(new DeleteObjectCommand({ Bucket: 'history', Key: 'gone.tfstate' }));
    const source = await open('s3://history');
    const { workspaces, versions, notCarried } = await collectInventory(source);
    expect(workspaces).toEqual(['a-b-net']);
    expect(versions.map(({ position, 'is-current': isCurrent }) => [position, isCurrent])).toEqual([
      [1, false],
      [2, false],
      [3, true],
    ]);
    expect(versions[0]?.origin.id).toMatch(/^a & b\/net\.tfstate\?versionId=null&etag=[0-9a-f]{32}$/);
    const contents = await Promise.all(versions.map((version) => downloadAll(source, version)));
    expect(contents).toEqual([stateOf(1), stateOf(2), stateOf(3)]);
    expect(notCarried).toMatchObject([
      { type: 'state-versions', name: 'a & b/net.tfstate', reason: 'no-content', count: 1 },
      { type: 'states', name: 'gone.tfstate', reason: 'no-content', count: 2 },
    ]);
  });

  it('is imported without versioning, and is read in pages of 1,000 objects', async () => {
    await createBucket('plain');
    const keys = Array.from({ length: 1_003 }, (_, number) => `ws-${number}/terraform.tfstate`);
    for (let first = 0; first < keys.length; first += 50) {
      await Promise.all(keys.slice(first, first + 50).map((key) => put('plain', key, stateOf(1))));
    }
    const source = await open('s3://plain');
    const { workspaces, versions } = await collectInventory(source);
    expect(workspaces).toHaveLength(1_003);
    const [version] = versions;
    if (version !== undefined) expect(await downloadAll(source, version)).toBe(stateOf(1));
  });

  it('is locked and gets a state back, also with a table of locks', async () => {
    await createBucket('locked');
    await dynamodb.send(
      new CreateTableCommand({
        TableName: 'locks',
        BillingMode: 'PAY_PER_REQUEST',
        AttributeDefinitions: [{ AttributeName: 'LockID', AttributeType: 'S' }],
        KeySchema: [{ AttributeName: 'LockID', KeyType: 'HASH' }],
      }),
    );
    await put('locked', 'net.tfstate', stateOf(1));
    const address = 's3://locked?dynamodb_table=locks';
    const source = await open(address);
    await source.locks?.acquire('net', 'import imp-1');
    await expect((await open(address)).locks?.acquire('net', 'import imp-2')).rejects.toMatchObject({
      exit: 'conflict',
    });
    await source.push('net', Buffer.from(stateOf(2)));
    await source.locks?.release('net', 'import imp-1');
    expect(await read('locked', 'net.tfstate')).toBe(stateOf(2));
    await expect(read('locked', 'net.tfstate.tflock')).rejects.toMatchObject({ name: 'NoSuchKey' });
    const itemOf = async (id: string) =>
      (await dynamodb.send(new GetItemCommand({ TableName: 'locks', Key: { LockID: { S: id } } }))).Item;
    expect(await itemOf('locked/net.tfstate')).toBeUndefined();
    expect((await itemOf('locked/net.tfstate-md5'))?.['Digest']?.S).toMatch(/^[0-9a-f]{32}$/);
  });
});
