import { readdir, readFile } from 'node:fs/promises';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { join } from 'node:path';
import { beforeAll, describe, expect, test, vi } from 'vitest';
import type { Bundles } from '../../infra/bundle.ts';
import { mintToken } from '../../shared/access/credentials.ts';
import { functionNames } from '../../shared/env.ts';
import { bundledOnce } from '../support/once.ts';

/**
 * Bytes that Lambda loads at a cold start. `workspaces` carries the pattern engine, globs and version constraints;
 * `variables` and `directory` the encryption library; `state-versions` the client of S3, with what signs URLs, and
 * `ingest` that of SQS beside it.
 */
const budgets: Readonly<Record<string, number>> = {
  workspaces: 680_000,
  variables: 900_000,
  directory: 900_000,
  'state-versions': 650_000,
  ingest: 650_000,
};
const budgetOf = (name: string): number => budgets[name] ?? 450_000;

let folder: string;
let bundles: Bundles;
beforeAll(async () => {
  ({ folder, bundles } = await bundledOnce());
});

describe.each(functionNames)('the bundle of %s', (name) => {
  test('stays within its budget', () => {
    expect(bundles[name].bytes).toBeGreaterThan(0);
    expect(bundles[name].bytes).toBeLessThanOrEqual(budgetOf(name));
  });

  test('is one file that needs nothing beside it', async () => {
    expect(await readdir(bundles[name].directory)).toEqual(['index.mjs']);
    const code = await readFile(join(bundles[name].directory, 'index.mjs'), 'utf8');
    // What esbuild leaves behind where CommonJS code requires something that an ES module cannot.
    expect(code).not.toContain('Dynamic require of');
  });
});

test('source maps and the account of what is inside lie beside the bundles, not in them', async () => {
  expect((await readdir(join(folder, 'maps'))).sort()).toEqual(functionNames.map((name) => `${name}.mjs.map`).sort());
  const { outputs } = JSON.parse(await readFile(join(folder, 'metafile.json'), 'utf8'));
  expect(Object.keys(outputs).filter((path) => path.endsWith('index.mjs'))).toHaveLength(functionNames.length);
});

describe('what minifying must not change', () => {
  test('a read is tried again, a write is sent once a stamp', async () => {
    const calls: string[] = [];
    const busy = createServer((incoming, outgoing) => {
      calls.push(String(incoming.headers['x-amz-target']).split('.')[1] ?? '');
      outgoing.writeHead(500, { 'content-type': 'application/x-amz-json-1.0' }).end('{}');
    });
    await new Promise<void>((resolve) => busy.listen(0, '127.0.0.1', resolve));
    vi.stubEnv('AWS_ENDPOINT_URL_DYNAMODB', `http://127.0.0.1:${(busy.address() as AddressInfo).port}`);
    for (const [name, value] of Object.entries({
      TABLE_NAME: 'table',
      EDITION: 'self-hosted',
      CALLER_CACHE_SECONDS: '0',
      STATE_CONTENT_FUNCTION: 'state-content',
      AWS_REGION: 'eu-central-1',
      AWS_ACCESS_KEY_ID: 'local',
      AWS_SECRET_ACCESS_KEY: 'local',
      POWERTOOLS_LOG_LEVEL: 'SILENT',
    }))
      vi.stubEnv(name, value);
    try {
      const { handler } = await import(join(bundles['workspace-locks'].directory, 'index.mjs'));
      const answer = await handler(
        {
          routeKey: 'POST /api/v2/workspaces/{workspace_id}/actions/lock',
          rawPath: '/api/v2/workspaces/ws-1111111111111111/actions/lock',
          rawQueryString: '',
          headers: { authorization: `Bearer ${mintToken('user')}` },
          requestContext: { requestId: 'r', domainName: 'localhost', http: { method: 'POST' } },
          pathParameters: { workspace_id: 'ws-1111111111111111' },
          isBase64Encoded: false,
        },
        { getRemainingTimeInMillis: () => 20_000 },
      );
      expect(answer.statusCode).toBe(503);
      expect(calls.filter((operation) => operation === 'GetItem').length).toBeGreaterThan(1);
    } finally {
      vi.unstubAllEnvs();
      busy.closeAllConnections();
      busy.close();
    }
  });
});
