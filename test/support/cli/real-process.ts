import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { createServer, type RequestListener } from 'node:http';
import type { AddressInfo } from 'node:net';
import { join } from 'node:path';
import { buildCommandLine, CLI_FILE } from '../../../infra/build/cli.ts';
import { once as buildOnce } from '../setup/build-once.ts';

/** Builds the command line, because the sources take five times as long to start. @returns the path of its file. */
export const buildProgram = async (): Promise<string> => {
  const { folder } = await buildOnce('command-line', async (path) => {
    await buildCommandLine(path);
    return {};
  });
  return join(folder, CLI_FILE);
};

/** Token of the caller in processes of tests. */
export const TOKEN = 'token-that-nobody-may-see';

/** HTTP server of a test that takes the part of the service, or of another host. */
export interface TestServer {
  readonly origin: string;
  readonly stop: () => Promise<void>;
}

/** Starts a server on a local port. */
export const serve = async (respond: RequestListener): Promise<TestServer> => {
  const server = createServer(respond);
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  return {
    origin: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    stop: async () => {
      server.close();
      server.closeAllConnections();
    },
  };
};

interface ProcessResult {
  readonly code: number | null;
  readonly stdout: string;
  readonly stderr: string;
}

interface ProcessOptions {
  /** Address of the service. */
  readonly origin: string;
  readonly nodeOptions?: readonly string[];
  /** End of the shell command, such as `| head -1`. */
  readonly shell?: string;
  /** Called with the process after its start. */
  readonly onStart?: (child: ChildProcess) => void;
}

/**
 * Runs the command line in a process of its own, whose standard input is closed. In a shell, the exit code is that of the command
 * line and not that of the pipeline.
 */
export const runCli = async (
  argv: readonly string[],
  { origin, nodeOptions = [], shell, onStart }: ProcessOptions,
): Promise<ProcessResult> => {
  const command = [process.execPath, ...nodeOptions, await buildProgram(), ...argv];
  const [file = '', ...args] =
    shell === undefined ? command : ['bash', '-c', `"$@" ${shell}; exit "\${PIPESTATUS[0]}"`, 'bash', ...command];
  const child = spawn(file, args, {
    stdio: ['ignore', 'pipe', 'pipe'],
    env: {
      PATH: process.env['PATH'] ?? '',
      HOME: '/nonexistent',
      HOLDFAST_URL: origin,
      HOLDFAST_ORG: 'acme',
      HOLDFAST_TOKEN: TOKEN,
    },
  });
  onStart?.(child);
  const [stdout, stderr]: Buffer[][] = [[], []];
  child.stdout.on('data', (part: Buffer) => stdout?.push(part));
  child.stderr.on('data', (part: Buffer) => stderr?.push(part));
  const [code] = (await once(child, 'close')) as [number | null];
  return { code, stdout: Buffer.concat(stdout ?? []).toString(), stderr: Buffer.concat(stderr ?? []).toString() };
};
