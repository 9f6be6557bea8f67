import { type ChildProcess, spawn } from 'node:child_process';
import { createRequire } from 'node:module';
import { createServer } from 'node:net';
import { dirname, join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { fileURLToPath } from 'node:url';
import { PlainError } from '../common/plain-error.ts';
import { indexStreams } from './engine-index.ts';

/** A running DynamoDB engine. */
export interface Engine {
  readonly endpoint: string;
  /** Resolves with the reason when the engine ends although `stop` was not called. */
  readonly lost: Promise<PlainError>;
  stop(): Promise<void>;
}

const START_TIMEOUT_MILLIS = 10_000;
const PORT_ATTEMPTS = 3;

/**
 * Starts the embedded engine on a database file and a free loopback port.
 * @throws PlainError when there is no binary for this platform, or the database file cannot be used.
 */
export const startEngine = async (database: string, binary = findBinary()): Promise<Engine> => {
  for (let attempt = 1; ; attempt++) {
    const port = await freePort();
    const started = await startOnPort(binary, database, port);
    if (typeof started !== 'string') return started;
    // Another program may use the port after it was found to be free.
    if (!/address .*in use/i.test(started) || attempt === PORT_ATTEMPTS) throw engineError(started, binary, database);
  }
};

const keeper = fileURLToPath(new URL('engine-keeper.ts', import.meta.url));

/** Starts the engine on a port. @returns the error output when the engine ended. */
const startOnPort = async (binary: string, database: string, port: number): Promise<Engine | string> => {
  const child = spawn(
    process.execPath,
    [keeper, binary, '--host', '127.0.0.1', '--port', String(port), '--db-path', database],
    // In a separate process group, so that Ctrl-C reaches only the service, which then stops the engine.
    { stdio: ['pipe', 'ignore', 'pipe'], detached: true },
  );
  let errorOutput = '';
  child.stderr.setEncoding('utf8').on('data', (text: string) => {
    errorOutput = (errorOutput + text).slice(-2_000);
  });
  const ended = new Promise<string>((resolve) => child.once('close', () => resolve(errorOutput)));
  const endpoint = `http://127.0.0.1:${port}`;
  const result = await Promise.race([ended, waitUntilReady(endpoint)]);
  if (result === true) {
    indexStreams(database);
    let isStopping = false;
    const lost = new Promise<PlainError>((resolve) => {
      void ended.then((output) => isStopping || resolve(engineError(output, binary, database)));
    });
    return {
      endpoint,
      lost,
      stop: () => {
        isStopping = true;
        return stop(child, ended);
      },
    };
  }
  await stop(child, ended);
  return result === false ? 'it does not respond' : result;
};

const stop = async (child: ChildProcess, ended: Promise<string>): Promise<void> => {
  child.stdin?.on('error', () => {}).end();
  await ended;
};

const waitUntilReady = async (endpoint: string): Promise<boolean> => {
  const deadline = Date.now() + START_TIMEOUT_MILLIS;
  while (Date.now() < deadline) {
    const response = await fetch(endpoint, { signal: AbortSignal.timeout(1_000) }).catch(() => undefined);
    await response?.body?.cancel();
    if (response) return true;
    await sleep(15);
  }
  return false;
};

const engineError = (errorOutput: string, binary: string, database: string): PlainError => {
  if (/\b(ENOENT|EACCES|ENOEXEC|EXEC format)\b/i.test(errorOutput))
    return new PlainError(`${noBinary}: ${binary} cannot be run. ${otherEngine}`);
  const reason = errorOutput
    .trim()
    .split('\n')
    .at(-1)
    ?.replace(/^error: /, '')
    .split('. ', 1)[0];
  return new PlainError(
    `The embedded DynamoDB cannot use ${database}: ${reason || 'it ended without an error message'}`,
  );
};

const noBinary = 'There is no embedded DynamoDB for this computer';
const otherEngine =
  'Install dynoxide on the PATH, or set HOLDFAST_DYNAMODB_ENDPOINT to another engine, such as DynamoDB Local';

/** Finds the binary that npm installed for this platform. Without it, the binary on the PATH is used. */
export const findBinary = (): string => {
  try {
    const packageFile = createRequire(import.meta.url).resolve(
      `@dynoxide/${process.platform}-${process.arch}/package.json`,
    );
    const name = process.platform === 'win32' ? 'dynoxide.exe' : 'dynoxide';
    return join(dirname(packageFile), name);
  } catch {
    return 'dynoxide';
  }
};

const freePort = (): Promise<number> =>
  new Promise((resolve, reject) => {
    const server = createServer()
      .once('error', reject)
      .listen(0, '127.0.0.1', () => {
        const address = server.address();
        server.close(() => resolve(typeof address === 'object' && address ? address.port : 0));
      });
  });
