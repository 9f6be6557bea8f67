import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { CreateTableCommand, DynamoDBClient } from '@aws-sdk/client-dynamodb';
import {
  DeleteObjectCommand,
  GetObjectCommand,
  ListObjectsV2Command,
  PutObjectCommand,
  S3Client,
} from '@aws-sdk/client-s3';
import { vi } from 'vitest';
import type { Source } from '../../../infra/cli/import/source.ts';
import { openS3 } from '../../../infra/cli/import/sources/s3.ts';
import { listenForBuckets } from '../../../infra/local/s3/bucket-server.ts';
import { openBucketStore } from '../../../infra/local/s3/bucket-store.ts';
import { base58 } from '../../../shared/lib/random.ts';
import { createContextBed } from '../cli/context-bed.ts';
import { callEngine } from '../engine/call-engine.ts';
import { startEngine } from '../engine/engine.ts';
import { sendToEngine } from '../engine/engine-connection.ts';

/** Name of the bucket. */
export const BUCKET = 'acme-states';

const DYNAMODB = 'http://dynamodb.test';

/** A request of the source. */
export interface SentRequest {
  readonly method: string;
  readonly url: URL;
  readonly headers: Readonly<Record<string, string>>;
}

/** A bucket of the local service, and a table of locks in its engine, for the source `s3://`. */
export interface S3Bed {
  /** Endpoints of S3 and DynamoDB, which accept the credentials `local` and `local`. */
  readonly endpoints: { readonly s3: string; readonly dynamodb: string };
  /** Stores an object. @returns the id of its version. */
  readonly put: (key: string, content: string | Buffer) => Promise<string>;
  readonly remove: (key: string) => Promise<void>;
  /** Reads an object. @returns undefined if it does not exist. */
  readonly read: (key: string) => Promise<string | undefined>;
  readonly keys: () => Promise<readonly string[]>;
  /** Removes all objects with all of their versions, and all items of the table. */
  readonly clear: () => Promise<void>;
  /** Table of locks. */
  readonly table: string;
  readonly putItem: (item: Readonly<Record<string, string>>) => Promise<void>;
  readonly readItem: (id: string) => Promise<Readonly<Record<string, string>> | undefined>;
  /** Environment of a program that uses the bucket and the table. */
  readonly environment: Readonly<Record<string, string>>;
  /** Sends a request of such a program. @param others sends those that do not go to the table. Default: `fetch`. */
  readonly send: (input: Parameters<typeof fetch>[0], init?: RequestInit, others?: typeof fetch) => Promise<Response>;
  /**
   * Opens the source. Waiting takes no time.
   * @param respond returns a response in place of that of the bucket or the table, or undefined.
   */
  readonly open: (
    address?: string,
    respond?: (request: SentRequest) => Promise<Response | undefined> | Response | undefined,
    env?: Readonly<Record<string, string | undefined>>,
  ) => Promise<Source>;
  readonly stop: () => Promise<void>;
}

interface Attributes {
  readonly Item?: Readonly<Record<string, { readonly S: string }>>;
}

/** Starts the bucket, and creates the table. */
export const startS3Bed = async (): Promise<S3Bed> => {
  for (const name of ['AWS_ACCESS_KEY_ID', 'AWS_SECRET_ACCESS_KEY']) vi.stubEnv(name, 'local');
  vi.stubEnv('AWS_SESSION_TOKEN', undefined);
  const root = mkdtempSync(join(tmpdir(), 'holdfast-s3-'));
  const server = await listenForBuckets({ port: 0, secrets: { local: 'local' } });
  const endpoint = `http://127.0.0.1:${server.port}`;
  const credentials = { accessKeyId: 'local', secretAccessKey: 'local' };
  const s3 = new S3Client({ endpoint, region: 'eu-west-1', credentials, forcePathStyle: true });
  const engine = await startEngine();
  const table = `locks-${base58(8)}`;
  const dynamodb = new DynamoDBClient(engine.client);
  await dynamodb.send(
    new CreateTableCommand({
      TableName: table,
      BillingMode: 'PAY_PER_REQUEST',
      AttributeDefinitions: [{ AttributeName: 'LockID', AttributeType: 'S' }],
      KeySchema: [{ AttributeName: 'LockID', KeyType: 'HASH' }],
    }),
  );
  dynamodb.destroy();
  const user = createContextBed();
  const call = <T>(operation: string, input: object) =>
    callEngine<T>(engine.endpoint, `DynamoDB_20120810.${operation}`, { TableName: table, ...input });

  const clear = async (): Promise<void> => {
    server.serve(new Map([[BUCKET, openBucketStore(join(root, base58(8)), () => undefined)]]));
    const { Items = [] } = await call<{ readonly Items?: readonly { readonly LockID: object }[] }>('Scan', {});
    for (const { LockID } of Items) await call('DeleteItem', { Key: { LockID } });
  };
  await clear();

  const environment = {
    AWS_REGION: 'eu-west-1',
    AWS_ENDPOINT_URL_S3: endpoint,
    AWS_ENDPOINT_URL_DYNAMODB: DYNAMODB,
    USER: 'ada',
  };
  const sendToBoth: S3Bed['send'] = async (input, init = {}, others = fetch) => {
    if (new URL(String(input)).origin !== DYNAMODB) return others(input, init);
    // The engine is on a port to which `fetch` does not connect.
    const target = new Headers(init.headers).get('x-amz-target') ?? '';
    const { status, body } = await sendToEngine(engine.endpoint, target, String(init.body));
    return new Response(new Uint8Array(body), { status });
  };

  return {
    environment,
    send: sendToBoth,
    endpoints: { s3: endpoint, dynamodb: engine.endpoint },
    put: async (Key, Body) =>
      (await s3.send(new PutObjectCommand({ Bucket: BUCKET, Key, Body: Buffer.from(Body) }))).VersionId ?? '',
    remove: async (Key) => void (await s3.send(new DeleteObjectCommand({ Bucket: BUCKET, Key }))),
    read: async (Key) =>
      s3.send(new GetObjectCommand({ Bucket: BUCKET, Key })).then(
        ({ Body }) => Body?.transformToString(),
        () => undefined,
      ),
    keys: async () =>
      ((await s3.send(new ListObjectsV2Command({ Bucket: BUCKET }))).Contents ?? []).map(({ Key = '' }) => Key),
    clear,
    table,
    putItem: async (item) => {
      const Item = Object.fromEntries(Object.entries(item).map(([name, S]) => [name, { S }]));
      await call('PutItem', { Item });
    },
    readItem: async (id) => {
      const { Item } = await call<Attributes>('GetItem', { Key: { LockID: { S: id } }, ConsistentRead: true });
      return Item && Object.fromEntries(Object.entries(Item).map(([name, { S }]) => [name, S]));
    },
    open: (address = `s3://${BUCKET}`, respond = () => undefined, env = {}) => {
      const send: typeof fetch = async (input, init = {}) => {
        const url = new URL(String(input));
        const headers = Object.fromEntries(new Headers(init.headers));
        const given = await respond({ method: init.method ?? 'GET', url, headers });
        return given ?? sendToBoth(input, init);
      };
      return openS3({ ...user.io({ ...environment, ...env }), fetch: send }, address);
    },
    stop: async () => {
      s3.destroy();
      await server.close();
      await engine.stop();
      user.remove();
      rmSync(root, { recursive: true, force: true });
      vi.unstubAllEnvs();
    },
  };
};
