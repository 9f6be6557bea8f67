import { spawn } from 'node:child_process';
import { createRequire } from 'node:module';
import { dirname, join } from 'node:path';
import { randomNumber } from '../../../shared/lib/random.ts';
import { PlainError } from '../../command-line.ts';
import { indexStreams } from './engine-index.ts';

export interface Engine {
  readonly endpoint: string;
  /** Resolves with the reason when the engine ends although `stop` was not called. */
  readonly lost: Promise<PlainError>;
  stop(): Promise<void>;
}

/**
 * Ports that no browser connects to: the list of bad ports in the Fetch standard (https://fetch.spec.whatwg.org/#port-blocking).
 * The engine accepts requests with any Origin, Host and credentials, so web pages must not reach it.
 */
const browserBlockedPorts: readonly number[] = [
  1719, 1720, 1723, 2049, 3659, 4045, 4190, 5060, 5061, 6000, 6566, 6665, 6666, 6667, 6668, 6669, 6679, 6697, 10080,
];

/**
 * Chooses the address of an engine. Linux has 16 million loopback addresses, so that engines do not compete for the ports.
 * Other systems have one.
 */
const loopbackAddress = (): string =>
  process.platform === 'linux'
    ? `127.${randomNumber(1, 255)}.${randomNumber(0, 256)}.${randomNumber(1, 255)}`
    : '127.0.0.1';

/**
 * Starts the embedded engine on a database file and a loopback port that browsers cannot reach.
 * @throws PlainError when there is no binary for this platform, the database file cannot be used, or no port is free.
 */
export const startEngine = async (database: string, binary = findBinary()): Promise<Engine> => {
  const host = loopbackAddress();
  const first = randomNumber(0, browserBlockedPorts.length);
  for (const port of [...browserBlockedPorts.slice(first), ...browserBlockedPorts.slice(0, first)]) {
    const started = await startOnPort(binary, database, host, port);
    if ('endpoint' in started) return started;
    if (!/address .*in use|port \d+ is already in use/i.test(started.errorOutput))
      throw engineError(started, binary, database);
  }
  throw new PlainError(`All ports for the embedded DynamoDB are in use on ${host}: ${browserBlockedPorts.join(', ')}`);
};

/**
 * Runs the engine as the child process, and ends it when the service ends. If the service is killed and cannot stop the
 * engine, the pipe at file descriptor 3 closes.
 */
const SCRIPT = '(cat <&3; kill $$) >/dev/null 2>&1 & exec "$0" "$@" 3<&-';

interface EngineEnd {
  readonly errorOutput: string;
  readonly code: number | null;
  readonly signal: NodeJS.Signals | null;
}

/** Exit codes of the shell when it cannot run a program. */
const cannotRun: readonly (number | null)[] = [126, 127];

/** Starts the engine on a port. @returns how the engine ended if it could not start. */
const startOnPort = async (
  binary: string,
  database: string,
  host: string,
  port: number,
): Promise<Engine | EngineEnd> => {
  const child = spawn(
    '/bin/sh',
    ['-c', SCRIPT, binary, '--host', host, '--port', String(port), '--db-path', database],
    // In a separate process group, so that Ctrl-C reaches only the service, which then stops the engine.
    { stdio: ['ignore', 'ignore', 'pipe', 'pipe'], detached: true },
  );
  let errorOutput = '';
  const listening = new Promise<true>((resolve) => {
    child.stderr?.setEncoding('utf8').on('data', (text: string) => {
      errorOutput = (errorOutput + text).slice(-2_000);
      if (/listening on/i.test(errorOutput)) resolve(true);
    });
  });
  const ended = new Promise<EngineEnd>((resolve) =>
    child.once('close', (code, signal) => resolve({ errorOutput, code, signal })),
  );
  child.once('exit', () => child.stdio[3]?.destroy());
  const result = await Promise.race([ended, listening]);
  if (result !== true) return result;
  indexStreams(database);
  let isStopping = false;
  const lost = new Promise<PlainError>((resolve) => {
    void ended.then((end) => isStopping || resolve(engineError(end, binary, database)));
  });
  return {
    endpoint: `http://${host}:${port}`,
    lost,
    stop: async () => {
      isStopping = true;
      child.kill('SIGTERM');
      const timer = setTimeout(() => child.kill('SIGKILL'), KILL_AFTER_MILLIS);
      await ended;
      clearTimeout(timer);
    },
  };
};

const KILL_AFTER_MILLIS = 3_000;

const engineError = ({ errorOutput, code, signal }: EngineEnd, binary: string, database: string): PlainError => {
  if (cannotRun.includes(code)) return new PlainError(`${noBinary}: ${binary} cannot be run. ${otherEngine}`);
  if (signal) return new PlainError(`The embedded DynamoDB with the data in ${database} was ended by ${signal}`);
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
