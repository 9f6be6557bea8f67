import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { text } from 'node:stream/consumers';
import { build } from 'esbuild';
import { bundling } from '../../infra/build/bundle.ts';
import { markdownTable } from '../support/docs/generated-tables.ts';
import { startCannedDynamoDB } from '../support/engine/canned-dynamodb.ts';
import { type ClientKind, clientKinds } from '../support/engine/client-pair.ts';
import type { MeasuredCommand } from './client-child.ts';
import { median } from './statistics.ts';

/** CPU time of the lean client for one command, relative to the client of the SDK. */
export interface ClientRatio {
  readonly command: MeasuredCommand;
  readonly median: number;
  readonly lowest: number;
  readonly highest: number;
}

const workspace = (index: number) => ({
  pk: { S: `W#ws-${String(index).padStart(16, '0')}` },
  sk: { S: 'W' },
  ty: { S: 'workspace' },
  v: { N: '3' },
  name: { S: `network-${index}` },
  tags: { L: [{ S: 'core' }, { S: 'production' }] },
  acc: { M: { 'team-1': { S: 'read' }, 'team-2': { S: 'write' } } },
  seq: { N: '17' },
  ca: { N: '1760000000000' },
  ra: { N: '1760000000000' },
  locked: { BOOL: false },
  description: { NULL: true },
  settings: { M: { mode: { S: 'remote' }, apply: { BOOL: true }, directory: { S: 'environments/production' } } },
});
const ConsumedCapacity = { TableName: 'table', CapacityUnits: 0.5 };

const outputs: Readonly<Record<MeasuredCommand, object>> = {
  GetItem: { Item: workspace(1), ConsumedCapacity },
  'Query of 20 items': {
    Items: Array.from({ length: 20 }, (_, index) => workspace(index)),
    Count: 20,
    ConsumedCapacity,
  },
  UpdateItem: { Attributes: workspace(1), ConsumedCapacity },
  'BatchGetItem of 3 items': { Responses: { table: [1, 2, 3].map(workspace) }, UnprocessedKeys: {} },
  'TransactWriteItems of 2 writes': { ConsumedCapacity: [ConsumedCapacity] },
};

/**
 * Compares the CPU time of the lean client with that of the SDK's client: minified, each run in a process of its own, in
 * alternating turns, against a server in this process that always sends the same response.
 * @param calls calls of each run that count; as many are sent before them.
 */
export const compareClients = async (
  rounds: number,
  calls: number,
  progress: (line: string) => void,
): Promise<ClientRatio[]> => {
  const folder = mkdtempSync(join(tmpdir(), 'holdfast-clients-'));
  const server = await startCannedDynamoDB();
  try {
    const program = join(folder, 'child.mjs');
    await build({
      ...bundling,
      plugins: [...bundling.plugins],
      mainFields: [...bundling.mainFields],
      entryPoints: ['test/bench/client-child.ts'],
      outfile: program,
    });
    const microseconds = async (kind: ClientKind, command: MeasuredCommand): Promise<number> => {
      server.respond({ body: outputs[command] });
      const env = {
        ...{ KIND: kind, COMMAND: command, ENDPOINT: server.endpoint, CALLS: String(calls) },
        // The session token of a function has about this length.
        ...{ AWS_ACCESS_KEY_ID: 'local', AWS_SECRET_ACCESS_KEY: 'local', AWS_SESSION_TOKEN: 'x'.repeat(800) },
        AWS_REGION: 'eu-central-1',
      };
      const child = spawn(process.execPath, [program], { env, stdio: ['ignore', 'pipe', 'inherit'] });
      const [printed, [code]] = await Promise.all([text(child.stdout), once(child, 'exit')]);
      if (code !== 0) throw new Error(`${command} cannot be measured with the ${kind} client`);
      return Number(printed);
    };
    const ratios: ClientRatio[] = [];
    for (const command of Object.keys(outputs) as MeasuredCommand[]) {
      const measured: number[] = [];
      for (let round = 0; round < rounds; round++) {
        const [lean, sdk] = [await microseconds(clientKinds[0], command), await microseconds(clientKinds[1], command)];
        measured.push(lean / sdk);
      }
      ratios.push({
        command,
        ...{ median: median(measured), lowest: Math.min(...measured), highest: Math.max(...measured) },
      });
      progress(`Compared the clients: ${command}`);
    }
    return ratios;
  } finally {
    await server.stop();
    rmSync(folder, { recursive: true });
  }
};

/** Renders the ratios as Markdown. */
export const renderClients = (ratios: readonly ClientRatio[]): string[] =>
  markdownTable(
    ['Command', 'CPU time, lean : SDK (median)', 'Lowest', 'Highest'],
    ratios.map(({ command, median, lowest, highest }) => [
      command,
      ...[median, lowest, highest].map((ratio) => ratio.toFixed(2)),
    ]),
  );
