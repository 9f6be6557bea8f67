import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtempSync, readdirSync, readFileSync, rmSync, statSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { text } from 'node:stream/consumers';
import { gzipSync } from 'node:zlib';
import { build } from 'esbuild';
import { bundleFunctions, bundling } from '../../infra/build/bundle.ts';
import { synthesize } from '../../infra/build/synthesize.ts';
import { readAssembly } from '../../infra/local/assembly/assembly.ts';
import { runtimeEnvironment } from '../../infra/local/lambda/functions.ts';
import { type FunctionName, functionNames } from '../../shared/runtime/environment.ts';
import { contentsIn, packagesOf } from '../support/checks/bundle-contents.ts';
import { type FirstRequest, measureFirstRequests } from './first-requests.ts';
import { median } from './statistics.ts';

/** Lists the files of a folder, without those of the folders in it. */
const filesIn = (folder: string): string[] =>
  readdirSync(folder, { withFileTypes: true })
    .filter((entry) => entry.isFile())
    .map(({ name }) => join(folder, name));

/**
 * Cold start measurements: bytes, modules and CPU time of importing each function's bundle, compared with a bundle that
 * contains only the two DynamoDB clients. Each import runs in its own process with the environment of the template.
 * Imports alternate, so other load on the computer affects all of them alike. Times are in milliseconds.
 */
export interface ColdStart {
  readonly node: string;
  /** Number of imports of each bundle. */
  readonly rounds: number;
  /** Duration of a process that imports nothing. */
  readonly bare: { readonly process: number };
  /** Bundle that creates the two clients and imports the commands that Holdfast sends. */
  readonly clients: Imported;
  readonly functions: readonly FunctionStart[];
  readonly firstRequests: readonly FirstRequest[];
}

interface Imported {
  readonly bytes: number;
  /** Compressed bytes, which Lambda downloads. */
  readonly gzipped: number;
  readonly modules: number;
  /** Median CPU time of the import, as measured inside the process. */
  readonly importing: number;
  /** Median duration of the process. */
  readonly process: number;
}

export interface FunctionStart extends Imported {
  readonly name: FunctionName;
  /** Median ratio of the CPU time of the import to that of the two clients in the same round. */
  readonly ratio: number;
  /** Maximum of `ratio`. */
  readonly target: number;
  /** The five packages or source folders with the most bytes in the bundle. */
  readonly heaviest: readonly { readonly name: string; readonly bytes: number }[];
}

/** Maximum ratio of the CPU time of importing a bundle to that of the two clients. */
const TARGET = 1.5;

/**
 * Plug-ins that change how functions load the SDK. The bundle of the two clients is built without them, so that what they
 * save counts.
 */
const ofFunctions: readonly string[] = ['no-config-files'];

/** Module that creates the two clients as the store does and imports the commands that it sends. */
const clients = `
import { DynamoDBClient } from '@aws-sdk/client-dynamodb';
import { DynamoDBDocumentClient } from '@aws-sdk/lib-dynamodb';
export {
  BatchGetCommand, DeleteCommand, GetCommand, PutCommand, QueryCommand, ScanCommand, TransactWriteCommand, UpdateCommand,
} from '@aws-sdk/lib-dynamodb';
export const reader = DynamoDBDocumentClient.from(new DynamoDBClient({ maxAttempts: 3 }));
export const writer = DynamoDBDocumentClient.from(new DynamoDBClient({ maxAttempts: 1 }));
`;

const child = `
const [path] = process.argv.slice(1);
const before = process.cpuUsage();
if (path) await import(path);
const { user, system } = process.cpuUsage(before);
process.stdout.write(String((user + system) / 1_000));
process.exit();
`;

interface Run {
  readonly importing: number;
  readonly process: number;
}

/** Imports a module in its own process. An empty path imports nothing. */
const run = async (path: string, environment: Readonly<Record<string, string>>): Promise<Run> => {
  const before = performance.now();
  const started = spawn(process.execPath, ['--input-type=module', '--eval', child, path], { env: environment });
  const [said, complaints, [code]] = await Promise.all([
    text(started.stdout),
    text(started.stderr),
    once(started, 'exit'),
  ]);
  if (code !== 0) throw new Error(`${path} cannot be imported: ${complaints}`);
  return { importing: Number(said), process: performance.now() - before };
};

interface ColdStartOptions {
  /** Number of imports of each bundle. */
  readonly rounds?: number;
  /** Functions to measure; by default, all. */
  readonly names?: readonly FunctionName[];
}

export const measureColdStart = async ({
  rounds = 15,
  names = functionNames,
}: ColdStartOptions = {}): Promise<ColdStart> => {
  const folder = mkdtempSync(join(tmpdir(), 'holdfast-cold-'));
  try {
    const bundles = await bundleFunctions(join(folder, 'bundles'));
    const contents = contentsIn(join(folder, 'bundles'));
    const { directory } = await synthesize({ outdir: join(folder, 'assembly'), bundles });
    const floor = join(folder, 'clients.mjs');
    const { metafile } = await build({
      ...bundling,
      plugins: bundling.plugins.filter(({ name }) => !ofFunctions.includes(name)),
      mainFields: [...bundling.mainFields],
      stdin: { contents: clients, resolveDir: bundling.absWorkingDir },
      outfile: floor,
    });

    const definitions = readAssembly(directory).functions;
    const credentials = { AWS_ACCESS_KEY_ID: 'local', AWS_SECRET_ACCESS_KEY: 'local', AWS_SESSION_TOKEN: 'local' };
    const environments = new Map(
      definitions.map((one) => [
        one.name.replace('holdfast-', ''),
        { ...runtimeEnvironment(one), ...credentials } as Readonly<Record<string, string>>,
      ]),
    );
    const environmentOf = (name: string) => environments.get(name) ?? {};
    const paths = new Map<string, string>([
      ['', ''],
      ['clients', floor],
      ...names.map((name): [string, string] => [name, join(bundles[name].directory, 'index.mjs')]),
    ]);
    const runs = new Map([...paths.keys()].map((name): [string, Run[]] => [name, []]));
    const ratios = new Map(names.map((name): [FunctionName, number[]] => [name, []]));
    const importNow = (name: string): Promise<Run> =>
      run(paths.get(name) ?? '', environmentOf(environments.has(name) ? name : 'workspaces'));
    // The first round fills the file cache and is not counted.
    for (let round = 0; round <= rounds; round++) {
      for (const name of names) {
        const [bare, clients, one] = [await importNow(''), await importNow('clients'), await importNow(name)];
        if (round === 0) continue;
        runs.get('')?.push(bare);
        runs.get('clients')?.push(clients);
        runs.get(name)?.push(one);
        ratios.get(name)?.push(one.importing / clients.importing);
      }
    }

    const importedOf = (name: string, modules: number): Imported => {
      const path = paths.get(name) ?? '';
      const files = path === floor ? [path] : filesIn(dirname(path));
      const sizes = files.map((file) => [statSync(file).size, gzipSync(readFileSync(file)).byteLength] as const);
      return {
        bytes: sizes.reduce((sum, [bytes]) => sum + bytes, 0),
        gzipped: sizes.reduce((sum, [, gzipped]) => sum + gzipped, 0),
        modules,
        importing: median((runs.get(name) ?? []).map(({ importing }) => importing)),
        process: median((runs.get(name) ?? []).map((one) => one.process)),
      };
    };
    const [inFloor] = Object.values(metafile.outputs);
    const ofFloor = Object.values(inFloor?.inputs ?? {}).filter(({ bytesInOutput }) => bytesInOutput > 0).length;
    const ofClients = importedOf('clients', ofFloor);
    return {
      node: process.version,
      rounds,
      bare: { process: median((runs.get('') ?? []).map((one) => one.process)) },
      clients: ofClients,
      functions: names.map((name) => {
        const imported = importedOf(name, contents[name].modules.size);
        return {
          name,
          ...imported,
          ratio: median(ratios.get(name) ?? []),
          target: TARGET,
          heaviest: packagesOf(contents[name]).slice(0, 5),
        };
      }),
      firstRequests: await measureFirstRequests(bundles, environmentOf),
    };
  } finally {
    rmSync(folder, { recursive: true });
  }
};

const thousands = (bytes: number): string => Math.round(bytes / 1_000).toLocaleString('en-US');

/** Renders the cold start measurements as Markdown. */
export const renderColdStart = ({
  node,
  rounds,
  bare,
  clients: floor,
  functions,
  firstRequests,
}: ColdStart): string[] => {
  const row = (cells: readonly (string | number)[]): string => `| ${cells.join(' | ')} |`;
  const sizes = ({ bytes, gzipped, modules, importing }: Imported) => [
    thousands(bytes),
    thousands(gzipped),
    modules,
    `${importing.toFixed(1)} ms`,
  ];
  return [
    `CPU time of importing each bundle: median of ${rounds} processes of Node ${node.slice(1)}. A process that imports nothing takes ${bare.process.toFixed(0)} ms in total.`,
    '',
    row([
      'Bundle',
      'KB',
      'KB gzipped',
      'Modules',
      'Import',
      'Relative to the two clients',
      'Limit',
      'Process relative to bare',
      'Heaviest, KB',
    ]),
    row(['---', '--:', '--:', '--:', '--:', '--:', '--:', '--:', '---']),
    row(['the two DynamoDB clients', ...sizes(floor), '1.00', '', (floor.process / bare.process).toFixed(2), '']),
    ...functions
      .toSorted((one, other) => other.ratio - one.ratio)
      .map((one) =>
        row([
          `\`${one.name}\``,
          ...sizes(one),
          `${one.ratio.toFixed(2)}${one.ratio > one.target ? ' (above)' : ''}`,
          one.target.toFixed(1),
          (one.process / bare.process).toFixed(2),
          one.heaviest.map(({ name, bytes }) => `${name} ${thousands(bytes)}`).join(', '),
        ]),
      ),
    '',
    'CPU time of a new instance: its import, its first request, and a later request. Medians in milliseconds.',
    '',
    row(['Request', 'Function', 'Import', 'First request', 'Import and first request', 'Later request']),
    row(['---', '---', '--:', '--:', '--:', '--:']),
    ...firstRequests.map(({ request, function: name, importing, first, both, later }) =>
      row([request, `\`${name}\``, ...[importing, first, both, later].map((time) => time.toFixed(1))]),
    ),
  ];
};
