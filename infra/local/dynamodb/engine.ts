import { type ChildProcess, spawn } from 'node:child_process';
import { createRequire } from 'node:module';
import { createServer } from 'node:net';
import { dirname, join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { fileURLToPath } from 'node:url';
import { PlainError } from '../gateway/plain-error.ts';
import { indexStreams } from './engine-index.ts';

/** The DynamoDB that the functions talk to. */
export interface Engine {
  readonly endpoint: string;
  /** Resolves should the engine end by itself. */
  readonly lost: Promise<PlainError>;
  stop(): Promise<void>;
}

const READY_WITHIN_MILLIS = 10_000;
const PORT_ATTEMPTS = 3;

/**
 * Starts the embedded engine on its database file and a free loopback port.
 * @throws PlainError when there is no binary for this platform, or the database file is damaged.
 */
export const startEngine = async (database: string, binary = findBinary()): Promise<Engine> => {
  for (let attempt = 1; ; attempt++) {
    const port = await freePort();
    const started = await tryEngine(binary, database, port);
    if (typeof started !== 'string') return started;
    // Another program may take the port between our looking and the engine's listening.
    if (!/address .*in use/i.test(started) || attempt === PORT_ATTEMPTS) throw refusal(started, binary, database);
  }
};

const keeper = fileURLToPath(new URL('engine-keeper.ts', import.meta.url));

/** The running engine, or what it said before it ended. */
const tryEngine = async (binary: string, database: string, port: number): Promise<Engine | string> => {
  const child = spawn(
    process.execPath,
    [keeper, binary, '--host', '127.0.0.1', '--port', String(port), '--db-path', database],
    // In a process group of its own: Ctrl-C at the terminal must reach the service first, which then stops the engine.
    { stdio: ['pipe', 'ignore', 'pipe'], detached: true },
  );
  let said = '';
  child.stderr.setEncoding('utf8').on('data', (text: string) => {
    said = (said + text).slice(-2_000);
  });
  const ended = new Promise<string>((resolve) => child.once('close', () => resolve(said)));
  const endpoint = `http://127.0.0.1:${port}`;
  const first = await Promise.race([ended, isReady(endpoint)]);
  if (first === true) {
    indexStreams(database);
    let isStopping = false;
    const lost = new Promise<PlainError>((resolve) => {
      void ended.then((words) => isStopping || resolve(refusal(words, binary, database)));
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
  return first === false ? 'it does not answer' : first;
};

const stop = async (child: ChildProcess, ended: Promise<string>): Promise<void> => {
  child.stdin?.on('error', () => {}).end();
  await ended;
};

const isReady = async (endpoint: string): Promise<boolean> => {
  const deadline = Date.now() + READY_WITHIN_MILLIS;
  while (Date.now() < deadline) {
    const answer = await fetch(endpoint, { signal: AbortSignal.timeout(1_000) }).catch(() => undefined);
    await answer?.body?.cancel();
    if (answer) return true;
    await sleep(15);
  }
  return false;
};

const refusal = (said: string, binary: string, database: string): PlainError => {
  if (/\b(ENOENT|EACCES|ENOEXEC|EXEC format)\b/i.test(said))
    return new PlainError(`${noBinary}: ${binary} cannot be run. ${otherEngine}`);
  const what = said
    .trim()
    .split('\n')
    .at(-1)
    ?.replace(/^error: /, '')
    .split('. ', 1)[0];
  return new PlainError(`The embedded DynamoDB cannot use ${database}: ${what || 'it ended without a word'}`);
};

const noBinary = 'There is no embedded DynamoDB for this computer';
const otherEngine =
  'Install dynoxide on the PATH, or set HOLDFAST_DYNAMODB_ENDPOINT to another engine, such as DynamoDB Local';

/** The binary that npm installed for this platform, else the one on the PATH. */
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
